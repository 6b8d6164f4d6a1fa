// A queue pair that is in error before anything is posted. Skipped without a device, as
// engine/operations/verbs_device_test.cc says.
#include <cstdlib>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/deadline.h"
#include "engine/verbs/poster.h"
#include "engine/verbs/queue_pair.h"
#include "gtest/gtest.h"

namespace rdmalab::verbs {
namespace {

TEST(QueuePair, InErrorItFlushesWhatIsPosted) {
  if (DeviceNames().empty()) GTEST_SKIP() << "no RDMA device here";
  const char* const name = std::getenv("RDMALAB_DEVICE");
  const auto device = Device::Open({.device = name == nullptr ? "" : name, .gid_index = 1});
  ASSERT_TRUE(device.ok()) << device.status();
  const auto domain = ProtectionDomain::Create(*device);
  ASSERT_TRUE(domain.ok()) << domain.status();
  auto pair = QueuePair::Create(*domain, {.sends = 4});
  ASSERT_TRUE(pair.ok()) << pair.status();
  ASSERT_TRUE(pair->Connect(pair->address()).ok()) << "to itself";
  ibv_qp_attr error = {};
  error.qp_state = IBV_QPS_ERR;
  ASSERT_EQ(ibv_modify_qp(pair->handle(), &error, IBV_QP_STATE), 0);

  uint64_t word = 0;
  const auto region = MemoryRegion::Create(*domain, &word, sizeof(word));
  ASSERT_TRUE(region.ok()) << region.status();
  Poster<IBV_WR_RDMA_WRITE, false> poster({.pair = pair->handle(),
                                           .local_address = reinterpret_cast<uintptr_t>(&word),
                                           .local_key = region->local_key(),
                                           .remote_address = reinterpret_cast<uintptr_t>(&word),
                                           .remote_key = region->remote_key(),
                                           .bytes = sizeof(word),
                                           .stride = sizeof(word)});
  // A device may refuse the post instead; both are told, neither hangs.
  if (poster.Post(0, 1, /*signal_last=*/true) != 0) return;
  Drainer drainer(pair->send_completions());
  const Clock clock = Clock::MonotonicRaw();
  const Deadline deadline = Deadline::After(clock, absl::Seconds(20));
  while (!drainer.failed() && !deadline.Expired()) drainer.Poll();
  EXPECT_EQ(drainer.status(), IBV_WC_WR_FLUSH_ERR);
}

}  // namespace
}  // namespace rdmalab::verbs
