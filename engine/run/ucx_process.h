// A process's UCX and its registered memory, in the order in which they are made; torn down the
// other way round: the worker first, so that no buffer is unmapped that it still writes to or sends
// from. Memory that others own is safe once EndWorker has been called.
#ifndef RDMALAB_ENGINE_RUN_UCX_PROCESS_H_
#define RDMALAB_ENGINE_RUN_UCX_PROCESS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/memory/arena_pool.h"
#include "engine/plan/plan.h"
#include "engine/rendezvous/ucx_registrar.h"
#include "engine/ucx/context.h"
#include "engine/ucx/listener.h"
#include "engine/ucx/worker.h"

namespace rdmalab {

class UcxProcess {
 public:
  // Checks the environment against the lane first. `listen` is the address of this process that a
  // lane which connects through rdmacm listens on; empty: this side connects, the other listens.
  static absl::StatusOr<std::unique_ptr<UcxProcess>> Create(const Plan& plan,
                                                            const std::string& listen);

  const ucx::Context& context() const { return context_; }
  UcxRegistrar& registrar() { return registrar_; }
  ArenaPool& pool() { return *pool_; }
  const ucx::Worker& worker() const { return *worker_; }
  // What the peer connects to: the worker's address, or the listener's.
  const std::string& worker_address() const { return worker_address_; }

  // Whatever was under way is cancelled. All that was made with the worker is gone by now.
  void EndWorker() {
    listener_.reset();
    worker_.reset();
  }

 private:
  explicit UcxProcess(ucx::Context context) : context_(std::move(context)), registrar_(context_) {}

  ucx::Context context_;
  UcxRegistrar registrar_;
  std::unique_ptr<ArenaPool> pool_;
  std::unique_ptr<ucx::Worker> worker_;
  std::unique_ptr<ucx::Listener> listener_;
  std::string worker_address_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_UCX_PROCESS_H_
