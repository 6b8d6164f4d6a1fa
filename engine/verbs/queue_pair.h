// A reliable connected queue pair, from its making to its connection over exchanged addresses.
//
//   ASSIGN_OR_RETURN(QueuePair pair, QueuePair::Create(domain, {.sends = 64, .receives = 128}));
//   ... pair.address() to the peer, the peer's here ...
//   RETURN_IF_ERROR(pair.Connect(peer));
#ifndef RDMALAB_ENGINE_VERBS_QUEUE_PAIR_H_
#define RDMALAB_ENGINE_VERBS_QUEUE_PAIR_H_

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/verbs/handles.h"

namespace rdmalab::verbs {

// What a peer needs to reach a queue pair.
struct QueuePairAddress {
  uint32_t number = 0;
  uint32_t first_packet = 0;
  uint16_t lid = 0;
  ibv_gid gid = {};
  int mtu = 0;    // ibv_mtu
  int reads = 0;  // outstanding reads that it answers
};

// What a connection manager wants a queue pair's last two states to be.
struct ManagedStates {
  ibv_qp_attr receive = {};
  int receive_mask = 0;
  ibv_qp_attr send = {};
  int send_mask = 0;
};

struct QueuePairOptions {
  uint32_t sends = 1;
  uint32_t receives = 1;
  uint32_t inline_bytes = 0;
};

class QueuePair {
 public:
  // The most that every driver counts down: rxe of Linux 6.1 takes 7 for "for ever", as it is for
  // receivers that are not ready, and never tells of a lost peer then.
  static constexpr uint8_t kRetries = 6;
  // Receiver not ready: the credits keep it away, counters tell.
  static constexpr uint8_t kRetryForEver = 7;

  // ResourceExhausted or InvalidArgument with the device's limit when the queues are too deep or
  // the inline size too large for it.
  static absl::StatusOr<QueuePair> Create(const ProtectionDomain& domain,
                                          const QueuePairOptions& options);

  ibv_qp* handle() const { return handle_.get(); }
  ibv_cq* send_completions() const { return sends_.handle(); }
  ibv_cq* receive_completions() const { return receives_.handle(); }

  const QueuePairAddress& address() const { return address_; }
  // Ready to receive and to send, over exchanged addresses. Afterwards outstanding_reads() and
  // mtu_bytes() hold.
  absl::Status Connect(const QueuePairAddress& peer);
  // The same, as a connection manager says; how long a lost peer is waited for stays ours.
  absl::Status Connect(const ManagedStates& states);

  // Reads in flight that both sides allow.
  int outstanding_reads() const { return outstanding_reads_; }
  int mtu_bytes() const { return mtu_bytes_; }
  // "queue pair 17 on rxe0", for messages.
  std::string ToString() const;

 private:
  struct Deleter {
    void operator()(ibv_qp* pair) const { (void)ibv_destroy_qp(pair); }
  };
  QueuePair(CompletionQueue sends, CompletionQueue receives, const Device& device)
      : sends_(std::move(sends)), receives_(std::move(receives)), device_(&device) {}

  absl::Status ToInit();
  absl::Status ToReadyToReceive(const QueuePairAddress& peer);
  absl::Status ToReadyToSend();
  absl::Status Modify(ibv_qp_attr& attributes, int mask, const char* state);

  CompletionQueue sends_;  // before the pair, so that they are destroyed after it
  CompletionQueue receives_;
  std::unique_ptr<ibv_qp, Deleter> handle_;
  const Device* device_;
  QueuePairAddress address_;
  int outstanding_reads_ = 0;
  int mtu_bytes_ = 0;
};

}  // namespace rdmalab::verbs

#endif  // RDMALAB_ENGINE_VERBS_QUEUE_PAIR_H_
