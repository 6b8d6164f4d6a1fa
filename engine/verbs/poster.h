// Posting and draining, the two halves of every loop over a queue pair: one doorbell per list, a
// completion for each `signal_every` messages, completions drained in batches of which only id and
// status are read.
//
// A template on opcode and inline, so that the inner loop branches on neither. The work requests
// are linked once; per message its id, its own scatter entry, its remote address and its signal
// flag are written. Ids count from 1, so that a completion's id is the number of messages done.
#ifndef RDMALAB_ENGINE_VERBS_POSTER_H_
#define RDMALAB_ENGINE_VERBS_POSTER_H_

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdmalab::verbs {

struct PosterOptions {
  ibv_qp* pair = nullptr;
  uint64_t local_address = 0;
  uint32_t local_key = 0;
  uint64_t remote_address = 0;
  uint32_t remote_key = 0;
  uint32_t bytes = 0;  // of a message
  size_t stride = 0;   // from slot to slot, on both sides
  uint64_t slots = 1;
  uint64_t signal_every = 1;
  uint64_t longest_list = 1;
};

template <ibv_wr_opcode kOpcode, bool kInline>
class Poster {
 public:
  explicit Poster(const PosterOptions& options)
      : options_(options),
        end_(options.stride * options.slots),
        until_signal_(options.signal_every),
        entries_(options.longest_list),
        requests_(options.longest_list) {
    for (size_t i = 0; i < requests_.size(); ++i) {
      entries_[i] = {.addr = 0, .length = options.bytes, .lkey = options.local_key};
      requests_[i] = {};
      requests_[i].sg_list = &entries_[i];
      requests_[i].num_sge = 1;
      requests_[i].opcode = kOpcode;
      if constexpr (kOpcode != IBV_WR_SEND) requests_[i].wr.rdma.rkey = options.remote_key;
      requests_[i].next = i + 1 < requests_.size() ? &requests_[i + 1] : nullptr;
    }
  }

  // Posts messages first .. first + count - 1, at most longest_list; returns errno, 0 when all were
  // taken.
  int Post(uint64_t first, uint64_t count, bool signal_last) {
    constexpr unsigned kFlags = kInline ? unsigned{IBV_SEND_INLINE} : 0u;
    for (uint64_t i = 0; i < count; ++i) {
      ibv_send_wr& request = requests_[i];
      request.wr_id = first + i + 1;
      request.send_flags = kFlags;
      if (--until_signal_ == 0) {
        request.send_flags = kFlags | unsigned{IBV_SEND_SIGNALED};
        until_signal_ = options_.signal_every;
      }
      entries_[i].addr = options_.local_address + offset_;
      if constexpr (kOpcode != IBV_WR_SEND) {
        request.wr.rdma.remote_addr = options_.remote_address + offset_;
      }
      offset_ += options_.stride;
      if (offset_ == end_) offset_ = 0;
    }
    ibv_send_wr& last = requests_[count - 1];
    if (signal_last) last.send_flags = kFlags | unsigned{IBV_SEND_SIGNALED};
    ibv_send_wr* const after = last.next;
    last.next = nullptr;
    ibv_send_wr* bad = nullptr;
    const int error = ibv_post_send(options_.pair, requests_.data(), &bad);
    last.next = after;
    return error;
  }

 private:
  const PosterOptions options_;
  const size_t end_;
  size_t offset_ = 0;
  uint64_t until_signal_;
  std::vector<ibv_sge> entries_;
  std::vector<ibv_send_wr> requests_;
};

// Drains a completion queue of sends.
class Drainer {
 public:
  static constexpr int kBatch = 64;

  explicit Drainer(ibv_cq* queue) : queue_(queue) {}

  // Messages complete so far. After a failure it stays where it was.
  uint64_t Poll() {
    const int count = ibv_poll_cq(queue_, kBatch, completions_.data());
    if (count < 0) [[unlikely]] {
      poll_error_ = -count;
      return completed_;
    }
    for (int i = 0; i < count; ++i) {
      if (completions_[static_cast<size_t>(i)].status != IBV_WC_SUCCESS) [[unlikely]] {
        Fail(completions_[static_cast<size_t>(i)]);
        return completed_;
      }
      completed_ = completions_[static_cast<size_t>(i)].wr_id;
    }
    return completed_;
  }

  bool failed() const { return status_ != IBV_WC_SUCCESS || poll_error_ != 0; }
  // Of the first completion that failed: what follows it is flushed.
  ibv_wc_status status() const { return status_; }
  uint32_t vendor_error() const { return vendor_error_; }
  int poll_error() const { return poll_error_; }

 private:
  void Fail(const ibv_wc& completion) {
    if (status_ != IBV_WC_SUCCESS) return;
    status_ = completion.status;
    vendor_error_ = completion.vendor_err;
  }

  ibv_cq* queue_;
  uint64_t completed_ = 0;
  ibv_wc_status status_ = IBV_WC_SUCCESS;
  uint32_t vendor_error_ = 0;
  int poll_error_ = 0;
  std::array<ibv_wc, kBatch> completions_;
};

}  // namespace rdmalab::verbs

#endif  // RDMALAB_ENGINE_VERBS_POSTER_H_
