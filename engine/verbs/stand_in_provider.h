// A provider without a device, for tests and benchmarks of the loops: what is posted completes at
// once, through the same inline functions of <infiniband/verbs.h> that a real device is driven by.
//
// One object is both ends of a connection: a SEND takes a posted receive (or counts as not ready),
// an RDMA WRITE with inline data is carried out, so that credits arrive.
#ifndef RDMALAB_ENGINE_VERBS_STAND_IN_PROVIDER_H_
#define RDMALAB_ENGINE_VERBS_STAND_IN_PROVIDER_H_

#include <infiniband/verbs.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace rdmalab::verbs {

class StandInProvider {
 public:
  StandInProvider() : ring_(kRing) {
    context_.ops.post_send = &PostSend;
    context_.ops.post_recv = &PostReceive;
    context_.ops.poll_cq = &PollQueue;
    pair_.context = sends_.context = receives_.context = &context_;
    pair_.qp_context = sends_.cq_context = receives_.cq_context = this;
  }
  StandInProvider(const StandInProvider&) = delete;
  StandInProvider& operator=(const StandInProvider&) = delete;

  ibv_qp* pair() { return &pair_; }
  ibv_cq* sends() { return &sends_; }
  ibv_cq* receives() { return &receives_; }

  // One message comes from the other end; false when no receive is posted.
  bool Deliver() {
    if (receives_posted_ == 0) return false;
    --receives_posted_;
    ++receives_done_;
    return true;
  }

  // Faults: the message with this id completes with this status, and those after it are flushed.
  uint64_t fail_at = 0;
  ibv_wc_status fail_with = IBV_WC_REM_ACCESS_ERR;
  int post_error = 0;      // errno of every post from now on
  bool hold_back = false;  // nothing completes while it is true
  bool keep_requests = false;

  // What happened.
  struct Seen {
    uint64_t id = 0;
    uint64_t local = 0;
    uint64_t remote = 0;
    uint32_t bytes = 0;
    bool signaled = false;
    bool inlined = false;
  };
  std::vector<Seen> seen;  // while keep_requests
  uint64_t doorbells = 0;
  uint64_t sent = 0;
  uint64_t receives_posted() const { return receives_posted_; }

 private:
  static constexpr size_t kRing = size_t{1} << 16;

  static int PostSend(ibv_qp* pair, ibv_send_wr* request, ibv_send_wr** bad) {
    auto& self = *static_cast<StandInProvider*>(pair->qp_context);
    if (self.post_error != 0) {
      *bad = request;
      return self.post_error;
    }
    ++self.doorbells;
    for (; request != nullptr; request = request->next) self.Take(*request);
    return 0;
  }

  static int PostReceive(ibv_qp* pair, ibv_recv_wr* request, ibv_recv_wr** /*bad*/) {
    auto& self = *static_cast<StandInProvider*>(pair->qp_context);
    for (; request != nullptr; request = request->next) ++self.receives_posted_;
    return 0;
  }

  static int PollQueue(ibv_cq* queue, int most, ibv_wc* completions) {
    auto& self = *static_cast<StandInProvider*>(queue->cq_context);
    if (queue == &self.receives_) return self.PollReceives(most, completions);
    if (self.hold_back) return 0;
    int count = 0;
    for (; count < most && self.first_ != self.last_; ++count) {
      const uint64_t id = self.ring_[self.first_++ % kRing];
      completions[count].wr_id = id;
      completions[count].status = self.StatusOf(id);
      completions[count].vendor_err = 0x88;
    }
    return count;
  }

  int PollReceives(int most, ibv_wc* completions) {
    int count = 0;
    for (; count < most && receives_done_ > 0; ++count, --receives_done_) {
      completions[count].status = IBV_WC_SUCCESS;
    }
    return count;
  }

  ibv_wc_status StatusOf(uint64_t id) const {
    if (fail_at == 0 || id < fail_at) return IBV_WC_SUCCESS;
    return id == fail_at ? fail_with : IBV_WC_WR_FLUSH_ERR;
  }

  void Take(const ibv_send_wr& request) {
    ++sent;
    const bool signaled = (request.send_flags & unsigned{IBV_SEND_SIGNALED}) != 0;
    const bool inlined = (request.send_flags & unsigned{IBV_SEND_INLINE}) != 0;
    if (keep_requests) {
      seen.push_back({request.wr_id, request.sg_list->addr, request.wr.rdma.remote_addr,
                      request.sg_list->length, signaled, inlined});
    }
    if (request.opcode == IBV_WR_RDMA_WRITE && inlined && request.wr_id == 0) {
      std::memcpy(reinterpret_cast<void*>(request.wr.rdma.remote_addr),
                  reinterpret_cast<const void*>(request.sg_list->addr), request.sg_list->length);
    }
    if (signaled || request.wr_id == fail_at) ring_[last_++ % kRing] = request.wr_id;
  }

  ibv_context context_ = {};
  ibv_qp pair_ = {};
  ibv_cq sends_ = {};
  ibv_cq receives_ = {};
  std::vector<uint64_t> ring_;
  size_t first_ = 0;
  size_t last_ = 0;
  uint64_t receives_posted_ = 0;
  uint64_t receives_done_ = 0;
};

}  // namespace rdmalab::verbs

#endif  // RDMALAB_ENGINE_VERBS_STAND_IN_PROVIDER_H_
