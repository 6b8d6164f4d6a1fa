#include "engine/verbs/receiver.h"

#include <algorithm>

namespace rdmalab::verbs {

Receiver::Receiver(const ReceiverOptions& options)
    : options_(options), entries_(options.batch), requests_(options.batch) {
  static_assert(kMostCredits < kCreditRequests, "a credit always finds a free send request");
  for (size_t i = 0; i < requests_.size(); ++i) {
    entries_[i] = {.addr = 0, .length = options.bytes, .lkey = options.key};
    requests_[i] = {};
    requests_[i].sg_list = &entries_[i];
    requests_[i].num_sge = 1;
    requests_[i].next = i + 1 < requests_.size() ? &requests_[i + 1] : nullptr;
  }
}

int Receiver::Start() {
  while (posted_ < options_.depth) {
    if (!PostReceives(std::min(options_.batch, options_.depth - posted_))) return error_;
  }
  given_ = posted_;  // the sender starts with `depth`
  return 0;
}

bool Receiver::Serve() {
  if (!Take()) return false;
  // posted_ - received_ receives are still there; whole batches of the others are posted again.
  while (options_.depth - (posted_ - received_) >= options_.batch) {
    if (!PostReceives(options_.batch)) return false;
  }
  return given_ == posted_ || GiveCredit();
}

bool Receiver::Take() {
  const int count = ibv_poll_cq(options_.receive_completions, kBatch, completions_.data());
  for (int i = 0; i < count; ++i) {
    const ibv_wc& completion = completions_[static_cast<size_t>(i)];
    if (completion.status != IBV_WC_SUCCESS) [[unlikely]]
      return Fail(completion);
    ++received_;
  }
  return count >= 0;
}

bool Receiver::PostReceives(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    requests_[i].wr_id = posted_ + i + 1;
    entries_[i].addr = options_.address + offset_;
    offset_ += options_.stride;
    if (offset_ == options_.stride * options_.slots) offset_ = 0;
  }
  ibv_recv_wr* const after = requests_[count - 1].next;
  requests_[count - 1].next = nullptr;
  ibv_recv_wr* bad = nullptr;
  error_ = ibv_post_recv(options_.pair, requests_.data(), &bad);
  requests_[count - 1].next = after;
  posted_ += count;
  return error_ == 0;
}

bool Receiver::GiveCredit() {
  ibv_wc done;
  while (ibv_poll_cq(options_.send_completions, 1, &done) == 1) {
    if (done.status != IBV_WC_SUCCESS) return Fail(done);
    --credits_in_flight_;
  }
  // The next turn gives what this one cannot.
  if (credits_in_flight_ == kMostCredits) return true;
  ibv_sge entry = {
      .addr = reinterpret_cast<uintptr_t>(&posted_), .length = kCreditBytes, .lkey = 0};
  ibv_send_wr request = {};
  request.sg_list = &entry;
  request.num_sge = 1;
  request.opcode = IBV_WR_RDMA_WRITE;
  request.send_flags = unsigned{IBV_SEND_INLINE} | unsigned{IBV_SEND_SIGNALED};
  request.wr.rdma.remote_addr = options_.mailbox;
  request.wr.rdma.rkey = options_.mailbox_key;
  ibv_send_wr* bad = nullptr;
  error_ = ibv_post_send(options_.pair, &request, &bad);
  ++credits_in_flight_;
  given_ = posted_;
  return error_ == 0;
}

bool Receiver::Fail(const ibv_wc& completion) {
  status_ = completion.status;
  vendor_error_ = completion.vendor_err;
  return false;
}

}  // namespace rdmalab::verbs
