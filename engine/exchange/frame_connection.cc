#include "engine/exchange/frame_connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "engine/base/little_endian.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

constexpr size_t kBufferBytes = 64 * 1024;
static_assert(kMaxMessageBytes + kFrameHeaderBytes <= kBufferBytes);

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

absl::Status Lost(const std::string& peer, absl::string_view how) {
  return absl::UnavailableError(absl::StrCat("control connection: the ", peer, " ", how));
}

// What sendmsg still has to send after `sent` bytes.
void Advance(msghdr& message, size_t sent) {
  while (sent > 0) {
    iovec& part = *message.msg_iov;
    const size_t step = std::min(sent, part.iov_len);
    part.iov_base = static_cast<uint8_t*>(part.iov_base) + step;
    part.iov_len -= step;
    sent -= step;
    if (part.iov_len == 0 && message.msg_iovlen > 1) {
      ++message.msg_iov;
      --message.msg_iovlen;
    }
  }
}

iovec Part(const void* data, size_t bytes) {
  return {.iov_base = const_cast<void*>(data), .iov_len = bytes};  // sendmsg only reads it
}

}  // namespace

FrameConnection::FrameConnection(FileDescriptor socket, std::string peer)
    : socket_(std::move(socket)), peer_(std::move(peer)), buffer_(new uint8_t[kBufferBytes]) {}

absl::StatusOr<FrameConnection> FrameConnection::Create(FileDescriptor socket, std::string peer) {
  const int flags = fcntl(socket.get(), F_GETFL);
  if (flags < 0 || fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return absl::ErrnoToStatus(errno, "fcntl(control connection, O_NONBLOCK)");
  }
  // A control message is smaller than a segment: without this it would wait for the last one's
  // acknowledgement. Fails on a socket pair (tests), where it is not needed.
  const int one = 1;
  (void)setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  return FrameConnection(std::move(socket), std::move(peer));
}

absl::Status FrameConnection::Send(uint16_t type, absl::Span<const uint8_t> head,
                                   absl::Span<const uint8_t> body,
                                   absl::FunctionRef<absl::Status()> while_full) {
  if (sending_) {
    return absl::FailedPreconditionError(
        absl::StrCat("control connection: a frame to the ", peer_, " is not sent to its end"));
  }
  std::array<uint8_t, kFrameHeaderBytes> header{};
  StoreLittle<uint32_t>(&header[0], static_cast<uint32_t>(head.size() + body.size()));
  StoreLittle<uint16_t>(&header[4], type);
  std::array<iovec, 3> parts = {Part(header.data(), header.size()), Part(head.data(), head.size()),
                                Part(body.data(), body.size())};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const size_t total = header.size() + head.size() + body.size();
  size_t left = total;
  sending_ = true;
  const auto ended = absl::MakeCleanup([&] { sending_ = left > 0 && left < total; });
  while (left > 0) {
    const ssize_t sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      left -= static_cast<size_t>(sent);
      Advance(message, static_cast<size_t>(sent));
    } else if (!WouldBlock(errno)) {
      return Lost(peer_, absl::StrCat("is gone (", std::strerror(errno), ")"));
    } else {
      RETURN_IF_ERROR(while_full());
    }
  }
  return absl::OkStatus();
}

absl::Status FrameConnection::Send(uint16_t type, absl::Span<const uint8_t> head,
                                   absl::Span<const uint8_t> body, const Deadline& deadline) {
  return Send(type, head, body, [this, &deadline]() -> absl::Status {
    if (!deadline.Expired()) return absl::OkStatus();
    return absl::DeadlineExceededError(
        absl::StrCat("control connection: the ", peer_, " takes no more data"));
  });
}

void FrameConnection::WaitReadable(absl::Duration at_most) const {
  if (buffered() > 0) return;
  pollfd entry{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  (void)poll(&entry, 1, static_cast<int>(absl::ToInt64Milliseconds(at_most)));
}

absl::StatusOr<size_t> FrameConnection::Receive(uint8_t* to, size_t bytes) {
  const ssize_t received = recv(socket_.get(), to, bytes, MSG_DONTWAIT);
  if (received > 0) return static_cast<size_t>(received);
  if (received == 0) return Lost(peer_, "has closed it");
  if (WouldBlock(errno)) return size_t{0};
  return Lost(peer_, absl::StrCat("is gone (", std::strerror(errno), ")"));
}

// Receives until at most `limit` bytes stand in the buffer.
absl::Status FrameConnection::Fill(size_t limit) {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ + limit > kBufferBytes) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, buffered());
    end_ -= begin_;
    begin_ = 0;
  }
  ASSIGN_OR_RETURN(const size_t received, Receive(buffer_.get() + end_, limit - buffered()));
  end_ += received;
  return absl::OkStatus();
}

absl::StatusOr<bool> FrameConnection::PollHeader() {
  if (remaining_ > 0) {
    return absl::InternalError("control connection: the last frame was not read to its end");
  }
  if (buffered() < kFrameHeaderBytes) {
    RETURN_IF_ERROR(Fill(expect_bulk_ ? kFrameHeaderBytes : kBufferBytes));
    if (buffered() < kFrameHeaderBytes) return false;
  }
  const uint8_t* in = buffer_.get() + begin_;
  if (LoadLittle<uint16_t>(in + 6) != 0) {
    return absl::DataLossError(
        absl::StrCat("control connection: what the ", peer_, " sent is not a frame"));
  }
  header_ = {.bytes = LoadLittle<uint32_t>(in), .type = LoadLittle<uint16_t>(in + 4)};
  begin_ += kFrameHeaderBytes;
  remaining_ = header_.bytes;
  filled_ = 0;
  return true;
}

absl::StatusOr<bool> FrameConnection::PollPayload(absl::Span<uint8_t> to) {
  if (to.size() - filled_ > remaining_) {
    return absl::DataLossError(absl::StrCat("control connection: a frame of type ", header_.type,
                                            " from the ", peer_, " is too short"));
  }
  const size_t copied = std::min(buffered(), to.size() - filled_);
  std::memcpy(to.data() + filled_, buffer_.get() + begin_, copied);
  begin_ += copied;
  size_t got = copied;
  if (filled_ + got < to.size()) {
    ASSIGN_OR_RETURN(const size_t received,
                     Receive(to.data() + filled_ + got, to.size() - filled_ - got));
    got += received;
  }
  filled_ += got;
  remaining_ -= got;
  if (filled_ < to.size()) return false;
  filled_ = 0;
  return true;
}

absl::StatusOr<bool> FrameConnection::PollSkip() {
  while (remaining_ > 0) {
    if (buffered() == 0) RETURN_IF_ERROR(Fill(kBufferBytes));
    if (buffered() == 0) return false;
    const size_t skipped = std::min(buffered(), remaining_);
    begin_ += skipped;
    remaining_ -= skipped;
  }
  filled_ = 0;
  return true;
}

absl::StatusOr<std::optional<FrameConnection::Message>> FrameConnection::PollMessage() {
  if (remaining_ == 0) {
    ASSIGN_OR_RETURN(const bool header, PollHeader());
    if (!header) return std::nullopt;
  }
  if (header_.bytes > kMaxMessageBytes) {
    return absl::DataLossError(absl::StrCat("control connection: the ", peer_,
                                            " announces a message of ", header_.bytes, " bytes"));
  }
  if (buffered() < header_.bytes) {
    RETURN_IF_ERROR(Fill(expect_bulk_ ? header_.bytes : kBufferBytes));
    if (buffered() < header_.bytes) return std::nullopt;
  }
  const Message message{.type = header_.type, .payload = {buffer_.get() + begin_, header_.bytes}};
  begin_ += header_.bytes;
  remaining_ = 0;
  return message;
}

absl::Status FrameConnection::LookAlive() const {
  std::array<uint8_t, kFrameHeaderBytes> header{};
  const ssize_t peeked = recv(socket_.get(), header.data(), header.size(), MSG_PEEK | MSG_DONTWAIT);
  if (peeked == 0) return Lost(peer_, "has closed it");
  if (peeked < 0) {
    if (WouldBlock(errno)) return absl::OkStatus();
    return Lost(peer_, absl::StrCat("is gone (", std::strerror(errno), ")"));
  }
  const bool between_frames = buffered() == 0 && remaining_ == 0;
  const bool whole = static_cast<size_t>(peeked) == header.size();
  if (between_frames && whole && LoadLittle<uint16_t>(&header[4]) == kFrameRefused) {
    return Lost(peer_, "gave up; its log says why");
  }
  // What is unread (the answer to a renewal) hides the end behind it.
  pollfd entry{.fd = socket_.get(), .events = POLLRDHUP, .revents = 0};
  const bool ended = poll(&entry, 1, 0) > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR));
  return ended ? Lost(peer_, "has closed it") : absl::OkStatus();
}

}  // namespace rdmalab
