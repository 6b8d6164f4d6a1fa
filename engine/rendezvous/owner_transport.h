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

// Answers requests that arrive while somebody calls Worker::Progress. It may go while replies are
// in flight; the payloads they are sent from may not, before the worker has gone.
class AmOwner {
 public:
  // `worker` and `service` outlive it.
  static absl::StatusOr<std::unique_ptr<AmOwner>> Create(const ucx::Worker& worker,
                                                         OwnerService& service);
  ~AmOwner();
  AmOwner(const AmOwner&) = delete;
  AmOwner& operator=(const AmOwner&) = delete;

  // Replies that UCX has not let go of: their data must stay as it is.
  uint64_t in_flight() const { return ledger_->in_flight; }

  // Requests that were no requests, or could not be answered, with the last reason.
  uint64_t failures() const { return ledger_->failures; }
  const absl::Status& last_failure() const { return ledger_->last_failure; }

 private:
  // What UCX reports to, as late as in the worker's end: stays until the last reply is accounted
  // for.
  struct Ledger {
    uint64_t in_flight = 0;
    uint64_t failures = 0;
    absl::Status last_failure;
    bool orphaned = false;

    void Fail(const absl::Status& status);
    static void OnSent(void* ledger, const absl::Status& status);
  };

  AmOwner(const ucx::Worker& worker, OwnerService& service) : worker_(worker), service_(service) {}

  ucx::Kept OnRequest(const ucx::Arrival& arrival);

  const ucx::Worker& worker_;
  OwnerService& service_;
  std::unique_ptr<Ledger> ledger_ = std::make_unique<Ledger>();
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_OWNER_TRANSPORT_H_
