// The receiving side of a SEND: receives posted in batches, each into the next slot, and posted
// again in batches as they are used, with a credit for the sender after each batch.
//
// A credit is the number of receives posted so far, written into the sender's mailbox by a small
// RDMA WRITE: a sender's completion comes before the receive is posted again, so that its window
// alone would let it run ahead.
#ifndef RDMALAB_ENGINE_VERBS_RECEIVER_H_
#define RDMALAB_ENGINE_VERBS_RECEIVER_H_

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdmalab::verbs {

struct ReceiverOptions {
  ibv_qp* pair = nullptr;
  ibv_cq* receive_completions = nullptr;
  ibv_cq* send_completions = nullptr;
  uint64_t address = 0;
  uint32_t key = 0;
  uint32_t bytes = 0;  // of a message
  size_t stride = 0;
  uint64_t slots = 1;
  uint64_t depth = 1;  // receives posted
  uint64_t batch = 1;
  uint64_t mailbox = 0;  // the sender's
  uint32_t mailbox_key = 0;
};

class Receiver {
 public:
  explicit Receiver(const ReceiverOptions& options);

  // The first `depth` receives; errno. Before the sender may send.
  int Start();

  // Takes what has come, posts receives again, gives credits. False: failed, see below.
  bool Serve();

  uint64_t received() const { return received_; }
  ibv_wc_status status() const { return status_; }
  uint32_t vendor_error() const { return vendor_error_; }
  // errno of a call that the device refused; 0 while none has.
  int error() const { return error_; }

 private:
  static constexpr int kBatch = 64;
  // Credits in flight: each is one send request.
  static constexpr uint64_t kMostCredits = 32;

  bool Take();
  bool PostReceives(uint64_t count);
  bool GiveCredit();
  bool Fail(const ibv_wc& completion);

  const ReceiverOptions options_;
  std::vector<ibv_sge> entries_;
  std::vector<ibv_recv_wr> requests_;
  std::array<ibv_wc, kBatch> completions_;
  size_t offset_ = 0;
  uint64_t posted_ = 0;
  uint64_t received_ = 0;
  uint64_t credits_in_flight_ = 0;
  uint64_t given_ = 0;  // what the sender has been told
  ibv_wc_status status_ = IBV_WC_SUCCESS;
  uint32_t vendor_error_ = 0;
  int error_ = 0;
};

// Send requests that the receiver's own queue pair needs for its credits, and their inline bytes.
inline constexpr uint32_t kCreditRequests = 33;
inline constexpr uint32_t kCreditBytes = sizeof(uint64_t);

}  // namespace rdmalab::verbs

#endif  // RDMALAB_ENGINE_VERBS_RECEIVER_H_
