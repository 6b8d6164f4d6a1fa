// A UCX worker: the progress engine that endpoints, active messages and remote keys belong to.
//
// Whoever waits calls Progress() in a loop. A worker lives inside its context and outlives its
// endpoints. A single threaded worker is used by one thread at a time; only kMulti may be
// progressed by one thread and sent on by another.
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

enum class Threads { kSingle, kMulti };

struct WorkerOptions {
  Threads threads = Threads::kSingle;
};

class Worker {
 public:
  // Unimplemented when kMulti was asked and the library was built without it.
  static absl::StatusOr<Worker> Create(const Context& context, const WorkerOptions& options);

  ucp_worker_h handle() const { return handle_.get(); }

  // One look at every transport; returns how much it found, 0 when nothing.
  unsigned Progress() const { return ucp_worker_progress(handle_.get()); }

  // The bytes that a peer needs to connect here; opaque, a few dozen to a few hundred.
  absl::StatusOr<std::string> Address() const;

  // The largest header that an active message may have on this worker.
  size_t max_am_header() const { return max_am_header_; }

  // A file descriptor that becomes readable when there is something to progress. Internal without
  // ContextOptions::wakeup: UCX would give one that nothing ever wakes.
  absl::StatusOr<int> EventFd() const;

  // Arms the event descriptor. True: it is armed, poll() may sleep. False: there is work, call
  // Progress() first.
  absl::StatusOr<bool> Arm() const;

  // Wakes whoever sleeps on the event descriptor, from any thread.
  absl::Status Signal() const;

 private:
  struct Deleter {
    void operator()(ucp_worker_h worker) const { ucp_worker_destroy(worker); }
  };
  using Handle = std::unique_ptr<ucp_worker, Deleter>;

  Worker(Handle handle, bool wakeup, size_t max_am_header)
      : handle_(std::move(handle)), wakeup_(wakeup), max_am_header_(max_am_header) {}

  Handle handle_;
  bool wakeup_;
  size_t max_am_header_;
};

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_WORKER_H_
