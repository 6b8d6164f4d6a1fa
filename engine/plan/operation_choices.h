// The choices of an operations plan, as choices.h has them for every plan: each value with its name
// in plan.json and whether this engine has built it.
#ifndef RDMALAB_ENGINE_PLAN_OPERATION_CHOICES_H_
#define RDMALAB_ENGINE_PLAN_OPERATION_CHOICES_H_

#include "engine/plan/choices.h"

namespace rdmalab {

// What the consumer does to the owner, over and over.
enum class OperationKind { kRead, kWrite, kSend };
template <>
inline constexpr std::array kChoices<OperationKind> = {
    Choice{"read", Built::kBuilt},
    Choice{"write", Built::kBuilt},
    Choice{"send", Built::kBuilt},
};

// As many as go, or one after the other with a time for each.
enum class OperationMode { kRate, kLatency };
template <>
inline constexpr std::array kChoices<OperationMode> = {
    Choice{"rate", Built::kBuilt},
    Choice{"latency", Built::kBuilt},
};

// Where the bytes lie on both sides.
enum class BufferMemory { kHost, kHostHuge, kCuda };
template <>
inline constexpr std::array kChoices<BufferMemory> = {
    Choice{"host", Built::kBuilt},
    Choice{"host_huge", Built::kBuilt},
    Choice{"cuda", Built::kBuilt},
};

// The library that moves the bytes.
enum class Backend { kUcx, kVerbs };
template <>
inline constexpr std::array kChoices<Backend> = {
    Choice{"ucx", Built::kBuilt},
    Choice{"verbs", Built::kBuilt},
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_PLAN_OPERATION_CHOICES_H_
