// How many pages the calling thread had to be given: read before and after the timed part of a get,
// so that what a fresh destination costs shows without costing time itself.
#ifndef RDMALAB_ENGINE_BASE_PAGE_FAULTS_H_
#define RDMALAB_ENGINE_BASE_PAGE_FAULTS_H_

#include <cstdint>

namespace rdmalab {

// Minor faults of this thread since it began.
int64_t MinorFaultsOfThisThread();

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_PAGE_FAULTS_H_
