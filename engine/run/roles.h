// One role of a pair, from its files to its end: owner, consumer, or loopback, which is both in one
// process.
#ifndef RDMALAB_ENGINE_RUN_ROLES_H_
#define RDMALAB_ENGINE_RUN_ROLES_H_

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "engine/plan/plan.h"
#include "engine/run/options.h"
#include "engine/run/owner_loop.h"

namespace rdmalab {

// What ended the role. Whoever writes samples.jsonl has written its end line. An Unknown error
// "N of M samples failed" when all blocks ran and not all samples are good.
absl::Status RunRole(const Options& options, const Plan& plan, const Clock& clock);

// The same with payloads of the caller's, for tests that must see a wrong byte found.
absl::Status RunRoleWithPayload(const Options& options, const Plan& plan, const Clock& clock,
                                const OwnerLoop::Fill& fill);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_ROLES_H_
