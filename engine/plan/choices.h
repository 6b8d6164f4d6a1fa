// The choices that a plan may make: each value, its name in plan.json, and whether this engine has
// built it.
//
// A new value is an enumerator and one line of the table beside it. A value whose line says kLater
// is valid in a plan, and refused with exit code 5; --describe lists those that say kBuilt.
#ifndef RDMALAB_ENGINE_PLAN_CHOICES_H_
#define RDMALAB_ENGINE_PLAN_CHOICES_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace rdmalab {

enum class Built { kLater, kBuilt };

struct Choice {
  const char* name;
  Built built;
};

// The table of an enum; its index is the enumerator's value.
template <typename Enum>
inline constexpr std::array<Choice, 0> kChoices{};

// The part of the engine that measures.
enum class EngineKind { kRendezvous, kOperations };
template <>
inline constexpr std::array kChoices<EngineKind> = {
    Choice{"rendezvous", Built::kBuilt},
    Choice{"operations", Built::kBuilt},
};

// How long a pair of processes lives: for many repetitions, or for one.
enum class PairKind { kWarm, kCold };
template <>
inline constexpr std::array kChoices<PairKind> = {
    Choice{"warm", Built::kBuilt},
    Choice{"cold", Built::kBuilt},
};

// How the planner arranged the cells; the engine runs them as the blocks say.
enum class Order { kSequential, kInterleaved, kRandom };
template <>
inline constexpr std::array kChoices<Order> = {
    Choice{"sequential", Built::kBuilt},
    Choice{"interleaved", Built::kBuilt},
    Choice{"random", Built::kBuilt},
};

enum class TransferPath { kRdma, kChunked };
template <>
inline constexpr std::array kChoices<TransferPath> = {
    Choice{"rdma", Built::kBuilt},
    Choice{"chunked", Built::kBuilt},
};

enum class Operation { kGet, kPut, kRead, kWrite, kSend };
template <>
inline constexpr std::array kChoices<Operation> = {
    Choice{"get", Built::kBuilt},   Choice{"put", Built::kLater},  Choice{"read", Built::kLater},
    Choice{"write", Built::kLater}, Choice{"send", Built::kLater},
};

// Where a get's bytes end: copied to an owned buffer, in leased registered memory, in the caller's
// registered buffer.
enum class ReadMode { kGet, kGetPinned, kGetInto };
template <>
inline constexpr std::array kChoices<ReadMode> = {
    Choice{"get", Built::kBuilt},
    Choice{"get_pinned", Built::kBuilt},
    Choice{"get_into", Built::kBuilt},
};

// What carries control messages and chunks: UCX active messages or a plain TCP connection.
enum class Via { kAm, kTcp };
template <>
inline constexpr std::array kChoices<Via> = {
    Choice{"am", Built::kBuilt},
    Choice{"tcp", Built::kBuilt},
};

// When a get copies out: after the transfer, or piece by piece during it.
enum class CopyMode { kAfter, kOverlapped };
template <>
inline constexpr std::array kChoices<CopyMode> = {
    Choice{"after", Built::kBuilt},
    Choice{"overlapped", Built::kBuilt},
};

// What a get copies to: a buffer allocated for it, or one that is kept.
enum class Destination { kFresh, kReused };
template <>
inline constexpr std::array kChoices<Destination> = {
    Choice{"fresh", Built::kBuilt},
    Choice{"reused", Built::kBuilt},
};

enum class Staging { kPinned, kPlain };
template <>
inline constexpr std::array kChoices<Staging> = {
    Choice{"pinned", Built::kBuilt},
    Choice{"plain", Built::kBuilt},
};

// Who drives UCX: the thread that waits, or one of its own that spins and then parks.
enum class ProgressMode { kInline, kThread };
template <>
inline constexpr std::array kChoices<ProgressMode> = {
    Choice{"inline", Built::kBuilt},
    Choice{"thread", Built::kBuilt},
};

enum class MemoryKind { kHost, kHostHuge, kCuda };
template <>
inline constexpr std::array kChoices<MemoryKind> = {
    Choice{"host", Built::kBuilt},
    Choice{"host_huge", Built::kLater},
    Choice{"cuda", Built::kLater},
};

// UCX's endpoint error handling; none where a transport of the lane has no failure handler.
enum class ErrorHandling { kPeer, kNone };
template <>
inline constexpr std::array kChoices<ErrorHandling> = {
    Choice{"peer", Built::kBuilt},
    Choice{"none", Built::kBuilt},
};

// Pieces that a payload may consist of.
inline constexpr int kMaxLayoutBlocks = 1;

template <typename Enum>
concept PlanChoice = kChoices<Enum>
.size() > 0;

// The value's name in plan.json.
template <PlanChoice Enum>
constexpr std::string_view Name(Enum value) {
  return kChoices<Enum>[static_cast<size_t>(value)].name;
}

template <PlanChoice Enum>
constexpr bool IsBuilt(Enum value) {
  return kChoices<Enum>[static_cast<size_t>(value)].built == Built::kBuilt;
}

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_PLAN_CHOICES_H_
