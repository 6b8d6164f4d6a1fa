#include "engine/exchange/address.h"

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(Address, ReadsHostAndPort) {
  auto address = ParseHostPort("node7.lab:4711");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->host, "node7.lab");
  EXPECT_EQ(address->port, 4711);
  EXPECT_EQ(address->ToString(), "node7.lab:4711");
}

TEST(Address, Ipv6StandsInBrackets) {
  auto address = ParseHostPort("[::1]:80");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->ToString(), "[::1]:80");
  EXPECT_FALSE(ParseHostPort("::1:80").ok());
}

TEST(Address, WhatIsNoAddressIsRefused) {
  for (const char* text : {"", ":80", "host", "host:", "host:-1", "host:65536", "host:8o"}) {
    EXPECT_EQ(ParseHostPort(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(Exchange, KnowsItsTwoForms) {
  auto dir = ParseExchange("dir:/tmp/x y");
  ASSERT_TRUE(dir.ok()) << dir.status();
  EXPECT_EQ(std::get<DirExchange>(*dir).path, "/tmp/x y");
  auto tcp = ParseExchange("tcp:127.0.0.1:9");
  ASSERT_TRUE(tcp.ok()) << tcp.status();
  EXPECT_EQ(std::get<TcpExchange>(*tcp).address.port, 9);
}

TEST(Exchange, OtherFormsAreRefused) {
  for (const char* text : {"", "dir:", "dir", "nfs:/x", "tcp:", "tcp:host", "/tmp/x"}) {
    EXPECT_EQ(ParseExchange(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace rdmalab
