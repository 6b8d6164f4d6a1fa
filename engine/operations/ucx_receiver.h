// The owner's part of a SEND over UCX: each message is put into the next slot, and the sender is
// told how many have arrived, in batches, or as soon as nothing more comes.
#ifndef RDMALAB_ENGINE_OPERATIONS_UCX_RECEIVER_H_
#define RDMALAB_ENGINE_OPERATIONS_UCX_RECEIVER_H_

#include <cstdint>
#include <deque>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/operations/working_set.h"
#include "engine/ucx/active_message.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/request.h"
#include "engine/ucx/worker.h"

namespace rdmalab {

// A credit as it travels: which link it belongs to, and messages arrived.
struct UcxCredit {
  uint64_t link = 0;
  uint64_t arrived = 0;
};

class UcxReceiver {
 public:
  struct Options {
    const ucx::Worker& worker;
    const ucx::MappedMemory& memory;
    uint8_t* address = nullptr;
    const WorkingSet& working_set;
    uint64_t credit_every = 1;
    uint64_t link = 0;
  };

  // Registers its handler; from now on messages are taken.
  static absl::StatusOr<std::unique_ptr<UcxReceiver>> Create(const Options& options);
  ~UcxReceiver();
  UcxReceiver(const UcxReceiver&) = delete;
  UcxReceiver& operator=(const UcxReceiver&) = delete;

  // One turn after the worker's progress: finishes what has come, gives credits over `to`. True
  // when there was something to do.
  absl::StatusOr<bool> Serve(const ucx::Endpoint& to);

  uint64_t received() const { return received_; }

  ucx::Kept OnMessage(const ucx::Arrival& arrival);  // called by UCX

 private:
  explicit UcxReceiver(const Options& options) : options_(options) {}

  const Options options_;
  uint64_t started_ = 0;
  uint64_t received_ = 0;
  uint64_t told_ = 0;
  uint64_t quiet_turns_ = 0;
  absl::Status failure_;
  std::deque<ucx::Request> pending_;  // of large messages, oldest first
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_UCX_RECEIVER_H_
