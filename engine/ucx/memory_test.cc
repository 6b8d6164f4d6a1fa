#include "engine/ucx/memory.h"

#include <string>
#include <vector>

#include "engine/ucx/connected_workers.h"
#include "engine/ucx/remote_key.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

TEST(MappedMemoryTest, ThePackedKeyNamesTheDomainsThatRegistered) {
  const auto context = Context::Create({.overrides = {{"TLS", "posix,cma,self"}}});
  ASSERT_TRUE(context.ok()) << context.status();
  std::vector<uint8_t> range(65536);
  const auto memory = MappedMemory::Create(*context, range.data(), range.size());
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(memory->address(), range.data());
  EXPECT_EQ(memory->bytes(), range.size());
  EXPECT_GE(memory->packed_key().size(), kSmallestPackedKey);
  const auto md_map = MdMapOfKey(memory->packed_key());
  ASSERT_TRUE(md_map.ok());
  EXPECT_EQ(*md_map, memory->md_map());
  // Neither posix (not its own memory) nor cma (which reads by process id) needs a key.
  EXPECT_THAT(context->DomainNames(memory->md_map()), testing::ElementsAre("self"));
  EXPECT_FALSE(context->NicRegistered(memory->md_map()));
}

TEST(MappedMemoryTest, NobodyRegistersOnAPlainTcpLane) {
  const auto context = Context::Create({.overrides = {{"TLS", "tcp"}}});
  ASSERT_TRUE(context.ok()) << context.status();
  std::vector<uint8_t> range(4096);
  const auto memory = MappedMemory::Create(*context, range.data(), range.size());
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(memory->md_map(), 0u);
  EXPECT_EQ(memory->packed_key().size(), kSmallestPackedKey);
}

TEST(MdMapTest, IsReadLittleEndian) {
  const std::string key("\x06\x00\x00\x00\x00\x00\x00\x80 more", 13);
  const auto md_map = MdMapOfKey(key);
  ASSERT_TRUE(md_map.ok());
  EXPECT_EQ(*md_map, 0x8000000000000006u);
}

TEST(MdMapTest, RefusesAKeyWithoutOne) {
  EXPECT_EQ(MdMapOfKey("1234567").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MdMapOfKey("").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(RemoteKeyTest, RefusesWhatCannotBeAKeyBeforeUcxSeesIt) {
  auto workers = ConnectedWorkers::Create(kTcp);
  ASSERT_TRUE(workers.ok()) << workers.status();
  for (const size_t bytes : {size_t{0}, kSmallestPackedKey - 1, kLargestPackedKey + 1}) {
    EXPECT_EQ(RemoteKey::Unpack((*workers)->endpoint(), std::string(bytes, '\0')).status().code(),
              absl::StatusCode::kInvalidArgument)
        << bytes;
  }
  // Eleven bytes hold the map, the memory type and at most two domains' lengths; this names three.
  EXPECT_EQ(RemoteKey::Unpack((*workers)->endpoint(), std::string("\7\0\0\0\0\0\0\0\0\0\0", 11))
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rdmalab::ucx
