#include "engine/base/page_faults.h"

#include <sys/resource.h>

namespace rdmalab {

int64_t MinorFaultsOfThisThread() {
  rusage usage = {};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

}  // namespace rdmalab
