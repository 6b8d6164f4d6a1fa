#include "engine/verbs/connection_event.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/verbs/status.h"

namespace rdmalab::verbs {
namespace {

// A signal is heeded at least as often.
constexpr int kLongestPollMs = 100;

// Reasons of a rejection, as the InfiniBand connection manager numbers them.
constexpr int kNobodyListens = 8;
constexpr int kRefusedByProcess = 28;

struct Meaning {
  absl::StatusCode code;
  const char* advice;
};

Meaning MeaningOf(rdma_cm_event_type type) {
  using Code = absl::StatusCode;
  switch (type) {
    case RDMA_CM_EVENT_ADDR_ERROR:
      return {Code::kUnavailable, "no RDMA device here reaches that address: is it routed?"};
    case RDMA_CM_EVENT_ROUTE_ERROR:
      return {Code::kUnavailable, "the fabric has no path to it: is its subnet manager there?"};
    case RDMA_CM_EVENT_UNREACHABLE:
      return {Code::kUnavailable, "the peer does not answer: is its process there, its link up?"};
    case RDMA_CM_EVENT_REJECTED:
      return {Code::kUnavailable, "the peer refused the connection"};
    case RDMA_CM_EVENT_CONNECT_ERROR:
      return {Code::kInternal, "the connection could not be made: dmesg may say why"};
    case RDMA_CM_EVENT_DISCONNECTED:
      return {Code::kUnavailable, "the peer has ended the connection"};
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      return {Code::kInternal, "the device is gone: rdma link shows what is left"};
    case RDMA_CM_EVENT_ADDR_CHANGE:
      return {Code::kInternal, "the address has moved to another device"};
    case RDMA_CM_EVENT_TIMEWAIT_EXIT:
      return {Code::kUnavailable, "the connection had ended before"};
    case RDMA_CM_EVENT_ADDR_RESOLVED:
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
    case RDMA_CM_EVENT_CONNECT_REQUEST:
    case RDMA_CM_EVENT_CONNECT_RESPONSE:
    case RDMA_CM_EVENT_ESTABLISHED:
      return {Code::kInternal, "another event was due"};
    case RDMA_CM_EVENT_MULTICAST_JOIN:
    case RDMA_CM_EVENT_MULTICAST_ERROR:
      return {Code::kInternal, "an event of a multicast, which nobody joined"};
  }
  return {Code::kInternal, "an event that this engine does not know"};
}

std::string Detail(rdma_cm_event_type type, int status) {
  if (status == 0) return "";
  if (status < 0) return absl::StrCat(" (", std::strerror(-status), ", errno ", -status, ")");
  if (type != RDMA_CM_EVENT_REJECTED) return absl::StrCat(" (status ", status, ")");
  const char* const why = status == kNobodyListens      ? ", nobody listens there"
                          : status == kRefusedByProcess ? ", by its process"
                                                        : "";
  return absl::StrCat(" (reason ", status, why, ")");
}

}  // namespace

absl::StatusOr<EventChannel> EventChannel::Create() {
  errno = 0;
  EventChannel channel(rdma_create_event_channel());
  if (channel.handle() == nullptr) {
    // Without the module there is no /dev/infiniband/rdma_cm.
    return ErrnoToStatus(errno == 0 ? ENODEV : errno, "rdma_create_event_channel",
                         "module rdma_ucm");
  }
  const int flags = fcntl(channel.handle()->fd, F_GETFL);
  if (flags < 0 || fcntl(channel.handle()->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
    return ErrnoToStatus(errno, "fcntl", "an event channel");
  }
  return channel;
}

absl::StatusOr<Event> EventChannel::Poll() const {
  rdma_cm_event* event = nullptr;
  errno = 0;
  if (rdma_get_cm_event(handle(), &event) == 0) return Event(event);
  if (errno == EAGAIN || errno == EINTR) return Event();
  return ErrnoToStatus(errno == 0 ? EIO : errno, "rdma_get_cm_event", "an event channel");
}

absl::StatusOr<Event> EventChannel::Wait(rdma_cm_event_type due, absl::string_view object,
                                         const Deadline& deadline) const {
  while (true) {
    ASSIGN_OR_RETURN(Event event, Poll());
    if (event != nullptr) {
      if (event->event == due) return event;
      return EventToStatus(event->event, event->status, object);
    }
    RETURN_IF_ERROR(StopSignal::Check());
    if (deadline.Expired()) {
      return absl::DeadlineExceededError(
          absl::StrCat("librdmacm (", object, "): no ", rdma_event_str(due), " in time"));
    }
    pollfd readable = {.fd = handle()->fd, .events = POLLIN, .revents = 0};
    (void)poll(&readable, 1, std::min(kLongestPollMs, deadline.RemainingPollMs()));
  }
}

absl::Status EventToStatus(rdma_cm_event_type type, int status, absl::string_view object) {
  const Meaning meaning = MeaningOf(type);
  return absl::Status(meaning.code, absl::StrCat("librdmacm (", object, "): ", rdma_event_str(type),
                                                 Detail(type, status), "; ", meaning.advice));
}

}  // namespace rdmalab::verbs
