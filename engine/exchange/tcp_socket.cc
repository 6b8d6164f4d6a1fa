#include "engine/exchange/tcp_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"

namespace rdmalab {
namespace {

// How often a wait looks at the stop signal and how often a refused connection is tried again.
constexpr absl::Duration kLook = absl::Milliseconds(25);

struct AddressListDeleter {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressListDeleter>;

absl::StatusOr<AddressList> Resolve(const HostPort& address, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), absl::StrCat(address.port).c_str(), &hints, &list);
  if (error != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("address ", address.ToString(), ": ", gai_strerror(error)));
  }
  return AddressList(list);
}

absl::StatusOr<uint16_t> PortOf(const FileDescriptor& socket) {
  sockaddr_storage bound{};
  socklen_t bytes = sizeof(bound);
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &bytes) != 0) {
    return absl::ErrnoToStatus(errno, "getsockname(control listener)");
  }
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

absl::Status ListenError(const HostPort& address, const char* call, int error) {
  const std::string what = absl::StrCat(call, "(", address.ToString(), "): ", std::strerror(error));
  if (error == EADDRINUSE) {
    return absl::AlreadyExistsError(absl::StrCat(
        what, "; port ", address.port,
        " is taken by another process: name a free one, or port 0 with --exchange=dir"));
  }
  if (error == EADDRNOTAVAIL) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "; --listen takes an address of this host"));
  }
  return absl::ErrnoToStatus(error, what);
}

// Waits until the socket is ready for `events`; OK even if it is so by an error.
absl::Status WaitFor(const FileDescriptor& socket, int16_t events, const Deadline& deadline) {
  while (true) {
    RETURN_IF_ERROR(StopSignal::Check());
    pollfd entry{.fd = socket.get(), .events = events, .revents = 0};
    const int ready = poll(&entry, 1, deadline.AtMost(kLook).RemainingPollMs());
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return absl::ErrnoToStatus(errno, "poll(control socket)");
    if (deadline.Expired()) return absl::DeadlineExceededError("no answer within the time given");
  }
}

absl::StatusOr<FileDescriptor> ConnectOnce(const addrinfo& to, const HostPort& address,
                                           const Deadline& deadline) {
  FileDescriptor socket(
      ::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, to.ai_protocol));
  if (!socket.valid()) return absl::ErrnoToStatus(errno, "socket(control connection)");
  int error = 0;
  if (connect(socket.get(), to.ai_addr, to.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) {
      error = errno;
    } else {
      RETURN_IF_ERROR(WaitFor(socket, POLLOUT, deadline));
      socklen_t bytes = sizeof(error);
      (void)getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &bytes);
    }
  }
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat("connect(", address.ToString(), "): ", std::strerror(error)));
  }
  return socket;
}

// A name may stand for an IPv6 and an IPv4 address of which the listener has one.
absl::StatusOr<FileDescriptor> ConnectToAny(const addrinfo* list, const HostPort& address,
                                            const Deadline& deadline) {
  absl::StatusOr<FileDescriptor> connected = absl::UnavailableError("no address");
  for (const addrinfo* to = list; to != nullptr && absl::IsUnavailable(connected.status());
       to = to->ai_next) {
    connected = ConnectOnce(*to, address, deadline);
  }
  return connected;
}

}  // namespace

absl::StatusOr<TcpListener> TcpListener::Create(const HostPort& address) {
  ASSIGN_OR_RETURN(const AddressList list, Resolve(address, AI_PASSIVE));
  FileDescriptor socket(
      ::socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, list->ai_protocol));
  if (!socket.valid()) return absl::ErrnoToStatus(errno, "socket(control listener)");
  // A port whose last user has just ended is free; one that somebody listens on is still refused.
  const int one = 1;
  (void)setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  if (bind(socket.get(), list->ai_addr, list->ai_addrlen) != 0) {
    return ListenError(address, "bind", errno);
  }
  if (listen(socket.get(), 1) != 0) return ListenError(address, "listen", errno);
  HostPort bound = address;
  ASSIGN_OR_RETURN(bound.port, PortOf(socket));
  return TcpListener(std::move(socket), std::move(bound));
}

absl::StatusOr<FileDescriptor> TcpListener::Accept(const Deadline& deadline) {
  while (true) {
    RETURN_IF_ERROR(WithContext(WaitFor(socket_, POLLIN, deadline),
                                absl::StrCat("waiting for the consumer at ", address_.ToString())));
    FileDescriptor accepted(accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (accepted.valid()) return accepted;
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      return absl::ErrnoToStatus(errno, absl::StrCat("accept(", address_.ToString(), ")"));
    }
  }
}

absl::StatusOr<FileDescriptor> TcpConnect(const HostPort& address, WhenRefused when_refused,
                                          const Deadline& deadline) {
  ASSIGN_OR_RETURN(const AddressList list, Resolve(address, 0));
  while (true) {
    absl::StatusOr<FileDescriptor> connected = ConnectToAny(list.get(), address, deadline);
    const bool refused = absl::IsUnavailable(connected.status());
    if (connected.ok() || !refused || when_refused == WhenRefused::kGiveUp) {
      return connected;
    }
    if (deadline.Expired()) return connected.status();
    RETURN_IF_ERROR(StopSignal::Check());
    // Nothing tells when a listener appears; the deadline above bounds the retries.
    std::this_thread::sleep_for(absl::ToChronoNanoseconds(std::min(kLook, deadline.Remaining())));
  }
}

}  // namespace rdmalab
