// Active messages: control messages and chunks of the path `via: am`.
//
// Receiving: a handler is a member function (or a plain function) bound at compile time, so that an
// arrival costs one direct call:
//   struct Owner { ucx::Kept OnAcquire(const ucx::Arrival& arrival); };
//   ucx::SetHandler<&Owner::OnAcquire>(worker, kAcquire, &owner);
// It runs inside Worker::Progress; it may send and start a receive, but never progresses or waits.
//
// Small data arrives eagerly: `data` points at the bytes. Large data arrives as an offer
// (`arrival.rndv`): the handler calls Receive with a destination, at once or, if it returned
// Kept::kYes, later; an offer that nobody takes is dropped when the handler returns Kept::kNo.
#ifndef RDMALAB_ENGINE_UCX_ACTIVE_MESSAGE_H_
#define RDMALAB_ENGINE_UCX_ACTIVE_MESSAGE_H_

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/request.h"
#include "engine/ucx/worker.h"

namespace rdmalab::ucx {

struct Arrival {
  absl::string_view header;  // valid inside the handler only
  void* data;                // the bytes, or (rndv) a token for Receive
  size_t bytes;
  bool rndv;            // the data is still with the sender
  bool keepable;        // returning Kept::kYes is allowed: data outlives the handler
  PeerHandle reply_to;  // set when the sender asked for it
};

// kYes: the handler keeps `data`; it must later give it to Receive (rndv) or ReleaseArrival. Only
// where `keepable`.
enum class Kept { kNo, kYes };

namespace internal {
inline Arrival ToArrival(const void* header, size_t header_bytes, void* data, size_t bytes,
                         const ucp_am_recv_param_t* param) {
  const uint64_t flags = param->recv_attr;
  const bool rndv = (flags & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
  return {
      .header = {static_cast<const char*>(header), header_bytes},
      .data = data,
      .bytes = bytes,
      .rndv = rndv,
      .keepable = rndv || (flags & UCP_AM_RECV_ATTR_FLAG_DATA) != 0,
      .reply_to = {(flags & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0 ? param->reply_ep : nullptr},
  };
}

absl::Status SetHandler(const Worker& worker, unsigned id, bool persistent,
                        ucp_am_recv_callback_t callback, void* self);
}  // namespace internal

struct HandlerOptions {
  // Eager data is copied aside by UCX where needed, so that each arrival is `keepable`.
  bool persistent = false;
};

// Registers `function` for messages with this id: a member function of Self or `Kept (*)(Self*,
// const Arrival&)`. `self` outlives the worker, or ClearHandler is called first. A second call with
// the same id replaces the first.
template <auto function, typename Self>
absl::Status SetHandler(const Worker& worker, unsigned id, Self* self,
                        const HandlerOptions& options = {}) {
  return internal::SetHandler(
      worker, id, options.persistent,
      [](void* arg, const void* header, size_t header_bytes, void* data, size_t bytes,
         const ucp_am_recv_param_t* param) -> ucs_status_t {
        const Arrival arrival = internal::ToArrival(header, header_bytes, data, bytes, param);
        return std::invoke(function, static_cast<Self*>(arg), arrival) == Kept::kYes
                   ? UCS_INPROGRESS
                   : UCS_OK;
      },
      self);
}

// Messages with this id are dropped from now on.
absl::Status ClearHandler(const Worker& worker, unsigned id);

enum class Transfer { kChosenByUcx, kEager, kRendezvous };

struct Message {
  unsigned id;
  absl::string_view header = {};  // copied by UCX where it must outlive the call
  const void* data = nullptr;     // stays valid until the request is done
  size_t bytes = 0;
  bool want_reply = false;  // the receiver gets a handle to answer on
  Transfer transfer = Transfer::kChosenByUcx;
  const MappedMemory* registered = nullptr;  // of a range that holds the data
};

// Sends; wait by Endpoint::Finish, or by Request::Wait on a reply handle.
Request SendActiveMessage(PeerHandle to, const Message& message);

// Called once when UCX has let go of the data, inside Progress or inside the send itself.
struct OnSent {
  void (*call)(void* self, const absl::Status& status);
  void* self;
};

// Sends without a request to wait for: `then` tells when the data is free again. For an owner that
// serves chunks.
void SendActiveMessageThen(PeerHandle to, const Message& message, const OnSent& then);

// Sends `message` with `data` as its data, keeps that alive, and forgets it; a failure shows on the
// endpoint. Returns only what failed at once.
absl::Status SendActiveMessageOwned(PeerHandle to, const Message& message, std::string data);

// Takes the data of an offer (or of kept eager data) into `to`, which holds at least `bytes` =
// arrival.bytes and stays valid until the request is done. The arrival's data is used up, also by a
// failure.
Request ReceiveActiveMessage(const Worker& worker, void* data, void* to, size_t bytes,
                             const MappedMemory* registered = nullptr);

// Gives kept data back unread.
void ReleaseArrival(const Worker& worker, void* data);

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_ACTIVE_MESSAGE_H_
