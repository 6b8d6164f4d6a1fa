// A plan as plain data: what is asked, resolved and independent of any machine. docs/formats.md has
// the meaning of each field; the names here are the ones there. Made by plan_reader.h, read by
// everybody, changed by nobody.
#ifndef RDMALAB_ENGINE_PLAN_PLAN_H_
#define RDMALAB_ENGINE_PLAN_PLAN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/choices.h"
#include "engine/plan/operation_choices.h"

namespace rdmalab {

struct Lane {
  std::string name;
  std::map<std::string, std::string> env;  // UCX_* without the device
  ErrorHandling error_handling = ErrorHandling::kPeer;
  std::map<std::string, std::vector<std::string>> accepts;  // operation -> protocols
  std::vector<std::string> transports;
  Backend backend = Backend::kUcx;  // written in operations plans only
};

struct Layout {
  int64_t blocks = 1;
  std::optional<int64_t> block_size_bytes;
};

struct Proof {
  Operation operation = Operation::kGet;
  std::optional<std::vector<std::string>> protocols;  // none: the lane's
};

struct Arm {
  std::string name;
  TransferPath path = TransferPath::kRdma;
  Operation op = Operation::kGet;
  ReadMode read = ReadMode::kGet;
  Via via = Via::kAm;
  CopyMode copy = CopyMode::kAfter;
  Destination destination = Destination::kFresh;
  Staging staging = Staging::kPinned;
  int64_t min_bytes = 0;  // the owner offers rdma from this payload on
  int64_t chunk_bytes = 512 * 1024;
  int depth = 1;                     // chunks in flight
  int64_t piece_bytes = 256 * 1024;  // of an overlapped copy
  bool kill_switch = false;
  bool eager_endpoint = false;
  ProgressMode progress = ProgressMode::kInline;
  int64_t spin_us = 0;
  MemoryKind memory = MemoryKind::kHost;
  Layout layout;
  Proof proof;
};

// An arm of an operations plan.
struct OperationArm {
  std::string name;
  OperationKind op = OperationKind::kWrite;
  OperationMode mode = OperationMode::kRate;
  int recv_depth = 128;       // posted receives of a send arm
  int64_t iterations = 0;     // messages per sample; 0: as many as the duration holds
  int64_t duration_ms = 300;  // of a sample
  int signal_every = 0;       // 0: the smaller of 64 and half the window
  int64_t inline_bytes = 0;   // messages up to this go inside the work request
  int post_list = 0;          // work requests per doorbell; 0: what is free, up to 32
  BufferMemory memory = BufferMemory::kHost;
  int64_t working_set_bytes = 0;
  std::optional<std::string> peer;  // the tool that measures this arm instead of the engine
  Proof proof;
};

struct Cell {
  int arm = 0;  // index into Plan::arms
  int64_t size_bytes = 0;
  int window = 0;  // operations in flight; 0 in plans of the rendezvous engine
};

struct Block {
  int pair = 0;  // planned pair
  int rep = 0;
  bool warmup = false;
  std::vector<int> cells;           // indices into Plan::cells, in the order to run
  std::optional<std::string> peer;  // the tool that runs this block instead of the engine
};

struct Limits {
  int64_t registered_bytes = 0;
  int64_t arena_bytes = 0;
  int64_t get_timeout_ms = 0;
  int64_t exchange_timeout_ms = 0;
  int64_t lease_ms = 0;
};

struct Plan {
  std::string sha256;  // of the file's bytes: the plan digest
  std::string experiment;
  std::string question;
  EngineKind engine = EngineKind::kRendezvous;
  Lane lane;
  PairKind pair = PairKind::kWarm;
  int pairs = 1;
  int reps = 1;
  Order order = Order::kInterleaved;
  uint64_t seed = 0;
  std::vector<int64_t> sizes_bytes;
  std::vector<Arm> arms;                     // of the rendezvous engine
  std::vector<OperationArm> operation_arms;  // of the operations engine
  std::vector<int> windows;                  // of the operations engine
  std::vector<Cell> cells;
  std::vector<Block> blocks;
  Limits limits;
  bool verify = true;

  const Arm& ArmOf(const Cell& cell) const { return arms[static_cast<size_t>(cell.arm)]; }
  const OperationArm& OperationArmOf(const Cell& cell) const {
    return operation_arms[static_cast<size_t>(cell.arm)];
  }
  // Of whichever engine it is.
  size_t arm_count() const { return arms.empty() ? operation_arms.size() : arms.size(); }
  const Cell& CellAt(int id) const { return cells[static_cast<size_t>(id)]; }
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_PLAN_PLAN_H_
