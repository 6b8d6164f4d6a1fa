// What posts and drains over UCX, for the loops of driver_loops.h.
//
// "Done" means the same for every operation and library: a read's bytes are here, a write's or a
// send's are at the peer. UCX tells the first by the request. For writes a flush is started after
// each `signal_every` messages; for sends the peer's credits tell how many have arrived.
#ifndef RDMALAB_ENGINE_OPERATIONS_UCX_DRIVERS_H_
#define RDMALAB_ENGINE_OPERATIONS_UCX_DRIVERS_H_

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/operations/cell_spec.h"
#include "engine/operations/working_set.h"
#include "engine/ucx/active_message.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/get.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/put.h"
#include "engine/ucx/remote_key.h"
#include "engine/ucx/request.h"
#include "engine/ucx/worker.h"

namespace rdmalab {

inline constexpr unsigned kUcxMessage = 20;  // active-message ids of this engine
inline constexpr unsigned kUcxCredit = 21;

// What all three have in common.
struct UcxPath {
  const ucx::Worker& worker;
  ucx::Endpoint& endpoint;
  const ucx::MappedMemory& local;
  uint8_t* local_address;
  uint64_t remote_address;
  const ucx::RemoteKey* key;  // not of a send
  const WorkingSet& working_set;
  const CellSpec& spec;
};

// Requests in flight, oldest first, each with the number of messages done when it is.
class RequestRing {
 public:
  explicit RequestRing(size_t capacity) : entries_(capacity) {}

  void Push(ucx::Request request, uint64_t done) {
    entries_[last_++ % entries_.size()] = {std::move(request), done};
  }
  // Messages done; `failure` is set by the first that failed.
  uint64_t Drain(uint64_t completed, absl::Status& failure) {
    while (first_ != last_ && entries_[first_ % entries_.size()].request.Done()) {
      Entry& entry = entries_[first_++ % entries_.size()];
      if (entry.request.outcome() != UCS_OK) [[unlikely]] {
        if (failure.ok()) failure = entry.request.status();
        continue;
      }
      if (failure.ok()) completed = entry.done;
    }
    return completed;
  }
  bool empty() const { return first_ == last_; }

 private:
  struct Entry {
    ucx::Request request;
    uint64_t done = 0;
  };
  std::vector<Entry> entries_;
  size_t first_ = 0;
  size_t last_ = 0;
};

class UcxDriver {
 public:
  static constexpr uint64_t kNoEnd = std::numeric_limits<uint64_t>::max();

  explicit UcxDriver(const UcxPath& path) : path_(path) {}

  uint64_t Room(uint64_t /*posted*/) const { return kNoEnd; }
  const absl::Status& failure() {
    if (failure_.ok() && path_.endpoint.failed()) failure_ = path_.endpoint.failure();
    return failure_;
  }

 protected:
  uint8_t* Local(uint64_t message) const {
    return path_.local_address + path_.working_set.OffsetOf(message);
  }
  uint64_t Remote(uint64_t message) const {
    return path_.remote_address + path_.working_set.OffsetOf(message);
  }
  // Lets go of a request whose end another one tells.
  void Forget(ucx::Request request) {
    if (request.Done()) {
      if (request.outcome() != UCS_OK && failure_.ok()) failure_ = request.status();
      return;
    }
    request.Forget();
  }

  const UcxPath path_;
  absl::Status failure_;
  uint64_t completed_ = 0;
};

class UcxReader : public UcxDriver {
 public:
  explicit UcxReader(const UcxPath& path) : UcxDriver(path), ring_(path.spec.window + 1) {}

  void Post(uint64_t first, uint64_t count, bool /*signal_last*/) {
    for (uint64_t i = first; i < first + count; ++i) {
      ring_.Push(ucx::Get(path_.endpoint, {.to = Local(i),
                                           .bytes = path_.working_set.message_bytes(),
                                           .remote_address = Remote(i),
                                           .key = *path_.key,
                                           .registered = &path_.local}),
                 i + 1);
    }
  }
  uint64_t Poll() {
    path_.worker.Progress();
    completed_ = ring_.Drain(completed_, failure_);
    return completed_;
  }
  bool quiet() { return ring_.empty(); }

 private:
  RequestRing ring_;
};

class UcxWriter : public UcxDriver {
 public:
  explicit UcxWriter(const UcxPath& path) : UcxDriver(path), ring_(path.spec.window + 1) {}

  void Post(uint64_t first, uint64_t count, bool signal_last) {
    const uint64_t every = path_.spec.signal_every();
    for (uint64_t i = first; i < first + count; ++i) {
      Forget(ucx::Put(path_.endpoint, {.from = Local(i),
                                       .bytes = path_.working_set.message_bytes(),
                                       .remote_address = Remote(i),
                                       .key = *path_.key,
                                       .registered = &path_.local}));
      if ((i + 1) % every == 0 || (signal_last && i + 1 == first + count)) {
        ring_.Push(ucx::StartFlush(path_.endpoint), i + 1);
      }
    }
  }
  uint64_t Poll() {
    path_.worker.Progress();
    completed_ = ring_.Drain(completed_, failure_);
    return completed_;
  }
  bool quiet() { return ring_.empty(); }

 private:
  RequestRing ring_;
};

class UcxSender : public UcxDriver {
 public:
  // `arrived` is written by the credit's handler.
  UcxSender(const UcxPath& path, const uint64_t& arrived) : UcxDriver(path), arrived_(arrived) {}

  void Post(uint64_t first, uint64_t count, bool /*signal_last*/) {
    for (uint64_t i = first; i < first + count; ++i) {
      Forget(
          ucx::SendActiveMessage(path_.endpoint.peer(), {.id = kUcxMessage,
                                                         .data = Local(i),
                                                         .bytes = path_.working_set.message_bytes(),
                                                         .registered = &path_.local}));
    }
  }
  uint64_t Poll() {
    path_.worker.Progress();
    return arrived_;
  }
  bool quiet() const { return true; }

 private:
  const uint64_t& arrived_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_UCX_DRIVERS_H_
