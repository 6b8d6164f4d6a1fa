// How many pages the calling thread had to be given, for the copy phase of a get. Read outside the
// timed part.
#ifndef RDMALAB_ENGINE_BASE_PAGE_FAULTS_H_
#define RDMALAB_ENGINE_BASE_PAGE_FAULTS_H_

#include <cstdint>

namespace rdmalab {

// Minor faults of this thread since it began.
int64_t MinorFaultsOfThisThread();

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_PAGE_FAULTS_H_
