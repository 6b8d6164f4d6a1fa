// What librdmacm reports of a connection, one event at a time: its channel, the event that is due,
// and what every other one means.
//
//   ASSIGN_OR_RETURN(EventChannel channel, EventChannel::Create());
//   ... rdma_resolve_addr(...) ...
//   ASSIGN_OR_RETURN(Event event,
//                    channel.Wait(RDMA_CM_EVENT_ADDR_RESOLVED, "10.77.0.2:4711", deadline));
#ifndef RDMALAB_ENGINE_VERBS_CONNECTION_EVENT_H_
#define RDMALAB_ENGINE_VERBS_CONNECTION_EVENT_H_

#include <rdma/rdma_cma.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/base/deadline.h"

namespace rdmalab::verbs {

struct AcknowledgeEvent {
  void operator()(rdma_cm_event* event) const { (void)rdma_ack_cm_event(event); }
};
// Acknowledged when it goes: an id cannot be destroyed before all its events are.
using Event = std::unique_ptr<rdma_cm_event, AcknowledgeEvent>;

class EventChannel {
 public:
  static absl::StatusOr<EventChannel> Create();

  rdma_event_channel* handle() const { return handle_.get(); }

  // The next event, which must be `due`; EventToStatus of any other. DeadlineExceeded, naming what
  // was due of `object`; Cancelled on a signal.
  absl::StatusOr<Event> Wait(rdma_cm_event_type due, absl::string_view object,
                             const Deadline& deadline) const;
  // The next event if there is one; null otherwise.
  absl::StatusOr<Event> Poll() const;

 private:
  struct Deleter {
    void operator()(rdma_event_channel* channel) const { rdma_destroy_event_channel(channel); }
  };
  explicit EventChannel(rdma_event_channel* handle) : handle_(handle) {}

  std::unique_ptr<rdma_event_channel, Deleter> handle_;
};

// What an event that was not due means for the connection that `object` names: `status` is the
// event's own, an errno below zero or, of a rejection, its reason.
absl::Status EventToStatus(rdma_cm_event_type type, int status, absl::string_view object);

}  // namespace rdmalab::verbs

#endif  // RDMALAB_ENGINE_VERBS_CONNECTION_EVENT_H_
