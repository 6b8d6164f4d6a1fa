// The counters of both sides under their names in <role>.metrics.
#ifndef RDMALAB_ENGINE_RUN_COUNTERS_EXPORT_H_
#define RDMALAB_ENGINE_RUN_COUNTERS_EXPORT_H_

#include <cstdint>
#include <string>

#include "engine/arms/get_outcome.h"
#include "engine/rendezvous/owner_service.h"
#include "engine/results/counters.h"

namespace rdmalab {

// The consumer's gets, counted outside the timed part.
class ConsumerCounters {
 public:
  explicit ConsumerCounters(Counters& counters) : counters_(counters) {}

  void Count(const std::string& arm, const GetOutcome& outcome);
  void Renewed(uint64_t renewals);

 private:
  Counters& counters_;
};

void ExportOwner(const OwnerCounters& owner, uint64_t am_failures, Counters& counters);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_COUNTERS_EXPORT_H_
