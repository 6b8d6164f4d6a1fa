// One non-blocking operation, from its start until UCX has let go of its buffers.
//
// Get, SendActiveMessage and ReceiveActiveMessage return one. It is waited for by Endpoint::Finish,
// which knows what to do when patience ends: UCX may still write into the buffer of a request that
// is not done, so nothing may be unmapped or reused before. A request that is destroyed while
// pending is counted (Request::abandoned()); the process must then destroy its workers before it
// frees any buffer, and end.
#ifndef RDMALAB_ENGINE_UCX_REQUEST_H_
#define RDMALAB_ENGINE_UCX_REQUEST_H_

#include <ucp/api/ucp.h>

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "engine/ucx/patience.h"
#include "engine/ucx/worker.h"

namespace rdmalab::ucx {

class Request {
 public:
  // `started` as a ucp_*_nbx call returned it; `call` is that call's name (a literal), for
  // messages.
  Request(ucs_status_ptr_t started, const char* call) : state_(started), call_(call) {}
  Request() : Request(nullptr, "nothing") {}
  ~Request() { Abandon(); }

  Request(Request&& other) noexcept
      : state_(std::exchange(other.state_, nullptr)), call_(other.call_) {}
  Request& operator=(Request&& other) noexcept {
    if (this != &other) {
      Abandon();
      state_ = std::exchange(other.state_, nullptr);
      call_ = other.call_;
    }
    return *this;
  }

  // True once UCX has let go of the buffers, with success or not. Does not progress.
  bool Done() {
    if (!UCS_PTR_IS_PTR(state_)) return true;
    const ucs_status_t status = ucp_request_check_status(state_);
    if (status == UCS_INPROGRESS) return false;
    ucp_request_free(state_);
    state_ = UCS_STATUS_PTR(status);
    return true;
  }

  // How it ended; only after Done().
  ucs_status_t outcome() const { return UCS_PTR_STATUS(state_); }
  absl::Status status() const;
  const char* call() const { return call_; }

  // Progresses until done (true) or until patience ends (false: still pending, its buffers still
  // belong to UCX). For requests that own no caller's memory, such as a flush; all others wait by
  // Endpoint::Finish.
  bool Wait(const Worker& worker, Patience& patience) { return Wait(worker.handle(), patience); }
  bool Wait(ucp_worker_h worker, Patience& patience) {
    while (!Done()) {
      ucp_worker_progress(worker);
      if (!patience.Spin()) return Done();
    }
    return true;
  }

  // Lets go of a pending request that holds none of the caller's memory: a flush, a close.
  void Forget() {
    if (UCS_PTR_IS_PTR(state_)) ucp_request_free(state_);
    state_ = nullptr;
  }

  // How many requests of this process were destroyed while pending. Above zero: see the head of
  // this file.
  static uint64_t abandoned();

 private:
  void Abandon() {
    if (UCS_PTR_IS_PTR(state_) && !Done()) CountAndForget();
  }
  void CountAndForget();

  ucs_status_ptr_t state_;
  const char* call_;
};

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_REQUEST_H_
