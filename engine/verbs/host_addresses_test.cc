#include "engine/verbs/host_addresses.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab::verbs {
namespace {

ibv_gid GidOf(const char* text) {
  ibv_gid gid = {};
  EXPECT_EQ(inet_pton(AF_INET6, text, gid.raw), 1) << text;
  return gid;
}

TEST(AddressOfGid, ARoceGidIsAnAddress) {
  EXPECT_EQ(AddressOfGid(GidOf("::ffff:10.77.0.1")), "10.77.0.1");
  EXPECT_EQ(AddressOfGid(GidOf("2001:db8::7")), "2001:db8::7");
}

TEST(AddressOfGid, ALinkLocalOneOrNoneIsNot) {
  EXPECT_EQ(AddressOfGid(GidOf("fe80::1")), std::nullopt);
  EXPECT_EQ(AddressOfGid(ibv_gid{}), std::nullopt);
}

TEST(SocketAddress, TakesBothFamilies) {
  auto four = SocketAddress::Of("10.77.0.1", 4711);
  ASSERT_TRUE(four.ok());
  EXPECT_EQ(four->get()->sa_family, AF_INET);
  EXPECT_EQ(ntohs(reinterpret_cast<sockaddr_in*>(four->get())->sin_port), 4711);
  auto six = SocketAddress::Of("2001:db8::7", 4711);
  ASSERT_TRUE(six.ok());
  EXPECT_EQ(six->get()->sa_family, AF_INET6);
}

TEST(SocketAddress, RefusesNames) {
  EXPECT_TRUE(absl::IsInvalidArgument(SocketAddress::Of("node1", 1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(SocketAddress::Of("", 1).status()));
}

TEST(HostAddresses, LeavesOutWhatNoPeerReaches) {
  for (const std::string& address : HostAddresses(ibv_gid{})) {
    EXPECT_THAT(address, testing::Not(testing::StartsWith("127.")));
    EXPECT_THAT(address, testing::Not(testing::StartsWith("fe80")));
  }
}

}  // namespace
}  // namespace rdmalab::verbs
