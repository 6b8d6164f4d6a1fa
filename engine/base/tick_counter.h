// The processor's constant-rate counter, one read per architecture. Used by clock.h only.
#ifndef RDMALAB_ENGINE_BASE_TICK_COUNTER_H_
#define RDMALAB_ENGINE_BASE_TICK_COUNTER_H_

#include <cstdint>

#include "absl/status/status.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace rdmalab {

// The counter now. Work that comes before in the program is done before the read, and the read
// before what follows: rdtscp waits for the former and lfence holds back the latter; isb does both
// on aarch64. Zero where there is none.
inline uint64_t ReadTickCounter() {
#if defined(__x86_64__)
  unsigned int processor;
  const uint64_t ticks = __rdtscp(&processor);
  _mm_lfence();
  return ticks;
#elif defined(__aarch64__)
  uint64_t ticks;
  asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
  return ticks;
#else
  return 0;
#endif
}

// OK if the counter runs at one rate through frequency changes and idle states and agrees between
// cores, as far as processor and kernel tell; else Unimplemented with what they say.
absl::Status TickCounterIsTrustworthy();

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_TICK_COUNTER_H_
