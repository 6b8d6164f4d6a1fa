// Carries requests to an OwnerService and its answers back: over the TCP connection, and over UCX
// active messages. An answer leaves from where its request was read, without a queue between.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_OWNER_TRANSPORT_H_
#define RDMALAB_ENGINE_RENDEZVOUS_OWNER_TRANSPORT_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/exchange/frame_connection.h"
#include "engine/rendezvous/owner_service.h"
#include "engine/ucx/active_message.h"
#include "engine/ucx/worker.h"

namespace rdmalab {

// Answers one request frame. `while_full` runs while the kernel takes no more of a chunk; it drives
// what else must go on, and its error ends the send.
absl::Status AnswerOverTcp(OwnerService& service, FrameConnection& connection,
                           absl::Span<const uint8_t> payload,
                           absl::FunctionRef<absl::Status()> while_full);

// Answers requests that arrive while somebody calls Worker::Progress.
class AmOwner {
 public:
  // `worker` and `service` outlive it.
  static absl::StatusOr<std::unique_ptr<AmOwner>> Create(const ucx::Worker& worker,
                                                         OwnerService& service);
  ~AmOwner();
  AmOwner(const AmOwner&) = delete;
  AmOwner& operator=(const AmOwner&) = delete;

  // Replies that UCX has not let go of: their data must stay as it is.
  uint64_t in_flight() const { return in_flight_; }

  // Requests that were no requests, or could not be answered, with the last reason.
  uint64_t failures() const { return failures_; }
  const absl::Status& last_failure() const { return last_failure_; }

 private:
  AmOwner(const ucx::Worker& worker, OwnerService& service) : worker_(worker), service_(service) {}

  ucx::Kept OnRequest(const ucx::Arrival& arrival);
  static void OnSent(void* self, const absl::Status& status);
  void Fail(const absl::Status& status);

  const ucx::Worker& worker_;
  OwnerService& service_;
  uint64_t in_flight_ = 0;
  uint64_t failures_ = 0;
  absl::Status last_failure_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_OWNER_TRANSPORT_H_
