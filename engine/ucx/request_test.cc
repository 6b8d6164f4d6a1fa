#include "engine/ucx/request.h"

#include <vector>

#include "engine/ucx/connected_workers.h"
#include "engine/ucx/get.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

TEST(RequestTest, OneThatNeverStartedIsDone) {
  Request nothing;
  EXPECT_TRUE(nothing.Done());
  EXPECT_TRUE(nothing.status().ok());
}

TEST(RequestTest, OneThatFailedAtOnceSaysHow) {
  Request failed(UCS_STATUS_PTR(UCS_ERR_NO_RESOURCE), "ucp_x");
  EXPECT_TRUE(failed.Done());
  EXPECT_EQ(failed.outcome(), UCS_ERR_NO_RESOURCE);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kResourceExhausted);
}

// Last in this program: the count of a process does not go back.
TEST(RequestTest, OnlyAPendingOneIsCountedAsAbandoned) {
  auto workers = ConnectedWorkers::Create(kTcp);
  ASSERT_TRUE(workers.ok()) << workers.status();
  Endpoint& endpoint = (*workers)->endpoint();
  std::vector<uint8_t> source(4096), destination(4096);
  auto memory = MappedMemory::Create((*workers)->context(), source.data(), source.size());
  ASSERT_TRUE(memory.ok());
  auto key = RemoteKey::Unpack(endpoint, memory->packed_key());
  ASSERT_TRUE(key.ok());
  const auto get = [&] {
    return Get(endpoint, {.to = destination.data(),
                          .bytes = destination.size(),
                          .remote_address = reinterpret_cast<uintptr_t>(source.data()),
                          .key = *key});
  };
  {
    Request finished = get();
    Request moved = std::move(finished);
    Patience patience = ConnectedWorkers::Seconds(20);
    ASSERT_TRUE(endpoint.Finish(moved, patience).ok());
  }
  EXPECT_EQ(Request::abandoned(), 0u);
  (*workers)->StopOwner();
  {
    Request forgotten = get();
    ASSERT_FALSE(forgotten.Done());
    EXPECT_EQ(forgotten.status().code(), absl::StatusCode::kInternal);
    forgotten.Forget();
  }
  EXPECT_EQ(Request::abandoned(), 0u);
  { const Request pending = get(); }
  EXPECT_EQ(Request::abandoned(), 1u);
  key = absl::CancelledError();  // before the workers; they go before the buffers
  memory = absl::CancelledError();
  workers->reset();
}

}  // namespace
}  // namespace rdmalab::ucx
