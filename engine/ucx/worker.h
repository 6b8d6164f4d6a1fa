// A UCX worker: the progress engine that endpoints, active messages and remote keys belong to.
//
// Whoever waits calls Progress() in a loop. A worker lives inside its context and outlives its
// endpoints. One thread uses it at a time.
#ifndef RDMALAB_ENGINE_UCX_WORKER_H_
#define RDMALAB_ENGINE_UCX_WORKER_H_

#include <ucp/api/ucp.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/ucx/context.h"

namespace rdmalab::ucx {

// kSingle: always the thread that created it. kSerialized: now one thread, now another, as a
// progress thread does that works while its caller waits.
enum class Threads { kSingle, kSerialized };

struct WorkerOptions {
  Threads threads = Threads::kSingle;
};

class Worker {
 public:
  static absl::StatusOr<Worker> Create(const Context& context, const WorkerOptions& options);

  ucp_worker_h handle() const { return handle_.get(); }

  // One look at every transport; returns how much it found, 0 when nothing.
  unsigned Progress() const { return ucp_worker_progress(handle_.get()); }

  // The bytes that a peer needs to connect here; opaque, a few dozen to a few hundred.
  absl::StatusOr<std::string> Address() const;

 private:
  struct Deleter {
    void operator()(ucp_worker_h worker) const { ucp_worker_destroy(worker); }
  };
  using Handle = std::unique_ptr<ucp_worker, Deleter>;

  explicit Worker(Handle handle) : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_WORKER_H_
