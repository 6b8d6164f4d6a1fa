// The processor's constant-rate counter, one read per architecture. Used by clock.h only.
#ifndef RDMALAB_ENGINE_BASE_TICK_COUNTER_H_
#define RDMALAB_ENGINE_BASE_TICK_COUNTER_H_

#include <cstdint>

#include "absl/status/status.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace rdmalab {

// The counter now; zero where there is none. Work that comes before in the program is done before
// the read (rdtscp and isb wait for it). Work that follows may begin while the read is under way,
// some nanoseconds early: a fence behind it costs a quarter more and buys less than the read's own
// cost.
inline uint64_t ReadTickCounter() {
#if defined(__x86_64__)
  unsigned int processor;
  return __rdtscp(&processor);
#elif defined(__aarch64__)
  uint64_t ticks;
  asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
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
