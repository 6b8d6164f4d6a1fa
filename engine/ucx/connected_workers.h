// For tests: an owner's and a consumer's worker in one process, connected, the owner progressed by
// a thread of its own. UCX is real; only the second process is missing.
#ifndef RDMALAB_ENGINE_UCX_CONNECTED_WORKERS_H_
#define RDMALAB_ENGINE_UCX_CONNECTED_WORKERS_H_

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "engine/base/deadline.h"
#include "engine/ucx/context.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/worker.h"

namespace rdmalab::ucx {

struct LaneUnderTest {
  std::string name;  // for test names
  std::string transports;
  ErrorHandling error_handling;
};

// The lanes that every machine has.
inline const LaneUnderTest kTcp = {"tcp", "tcp", ErrorHandling::kPeer};
inline const LaneUnderTest kShm = {"shm", "posix,cma", ErrorHandling::kNone};

class ConnectedWorkers {
 public:
  static absl::StatusOr<std::unique_ptr<ConnectedWorkers>> Create(const LaneUnderTest& lane) {
    auto made = std::unique_ptr<ConnectedWorkers>(new ConnectedWorkers);
    auto context = Context::Create({.overrides = {{"TLS", lane.transports}}});
    if (!context.ok()) return context.status();
    made->context_.emplace(*std::move(context));
    for (std::optional<Worker>* worker : {&made->owner_, &made->consumer_}) {
      auto created = Worker::Create(*made->context_, {});
      if (!created.ok()) return created.status();
      worker->emplace(*std::move(created));
    }
    auto address = made->owner_->Address();
    if (!address.ok()) return address.status();
    auto endpoint =
        Endpoint::Create(*made->consumer_, *address, {.error_handling = lane.error_handling});
    if (!endpoint.ok()) return endpoint.status();
    made->endpoint_.emplace(*std::move(endpoint));
    made->StartOwner();
    return made;
  }

  ~ConnectedWorkers() {
    endpoint_.reset();  // while the owner still answers
    StopOwner();
  }

  // From StopOwner on, nothing that needs the owner's help completes.
  void StartOwner() {
    progress_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) owner_->Progress();
    });
  }
  void StopOwner() {
    progress_.request_stop();
    if (progress_.joinable()) progress_.join();
  }
  // The owner goes away, as a peer that dies. Only after StopOwner.
  void DestroyOwner() { owner_.reset(); }

  const Context& context() { return *context_; }
  Worker& owner() { return *owner_; }  // set handlers before the first message, or while stopped
  Worker& consumer() { return *consumer_; }
  Endpoint& endpoint() { return *endpoint_; }

  static Patience Seconds(int seconds) {
    return Patience(Deadline::After(Clock::MonotonicRaw(), absl::Seconds(seconds)));
  }

 private:
  ConnectedWorkers() = default;

  std::optional<Context> context_;
  std::optional<Worker> owner_;
  std::optional<Worker> consumer_;
  std::optional<Endpoint> endpoint_;
  std::jthread progress_;
};

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_CONNECTED_WORKERS_H_
