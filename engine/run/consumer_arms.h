// The arms of a consumer process, with what they share: made once, used block after block, closed
// in order while the owner still answers.
#ifndef RDMALAB_ENGINE_RUN_CONSUMER_ARMS_H_
#define RDMALAB_ENGINE_RUN_CONSUMER_ARMS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/arms/arm_link.h"
#include "engine/arms/executor.h"
#include "engine/arms/get_arm.h"
#include "engine/arms/landing.h"
#include "engine/base/clock.h"
#include "engine/exchange/frame_connection.h"
#include "engine/plan/plan.h"
#include "engine/rendezvous/am_channel.h"
#include "engine/rendezvous/chunk_puller.h"
#include "engine/rendezvous/lease_keeper.h"
#include "engine/rendezvous/tcp_channel.h"
#include "engine/run/ucx_process.h"
#include "engine/sampling/schedule.h"

namespace rdmalab {

class ConsumerArms {
 public:
  struct Parts {
    const Plan& plan;
    const Schedule& schedule;
    UcxProcess& ucx;
    ConsumerMemory& memory;
    FrameConnection& connection;
    std::string owner_address;  // of its worker
    Clock clock;
  };

  // Connects the arms that are to be connected before the first sample.
  static absl::StatusOr<std::unique_ptr<ConsumerArms>> Create(const Parts& parts);

  GetArm& Of(const Cell& cell) { return *arms_.at(cell.arm)->get; }

  // Closes all endpoints; the first error is returned, all are tried.
  absl::Status Close();

  uint64_t renewals() const { return keeper_.renewals(); }

 private:
  struct OneArm {
    std::unique_ptr<ArmLink> link;
    std::unique_ptr<GetArm> get;
  };

  explicit ConsumerArms(const Parts& parts)
      : parts_(parts), tcp_(parts.connection), keeper_(parts.connection, parts.clock) {}

  absl::Status Add(int arm);
  Executor& ExecutorOf(const Arm& arm);

  const Parts parts_;
  TcpChannel tcp_;
  LeaseKeeper keeper_;
  ChunkPuller puller_;
  InlineExecutor inline_;
  std::map<int64_t, std::unique_ptr<ThreadExecutor>> threads_;  // by spin time
  std::unique_ptr<AmInbox> inbox_;
  std::map<int, std::unique_ptr<OneArm>> arms_;  // by arm id
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_CONSUMER_ARMS_H_
