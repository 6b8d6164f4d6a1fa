#include "engine/verbs/connection_event.h"

#include <cerrno>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab::verbs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr rdma_cm_event_type kLast = RDMA_CM_EVENT_TIMEWAIT_EXIT;

std::string TextOf(rdma_cm_event_type type, int status = 0) {
  return std::string(EventToStatus(type, status, "10.77.0.2:4711 on rxe0").message());
}

TEST(ConnectionEvent, NamesTheConnectionAndTheEvent) {
  const absl::Status status =
      EventToStatus(RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, "10.77.0.2:4711 on rxe0");
  EXPECT_TRUE(absl::IsUnavailable(status)) << "exit code 4: " << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("10.77.0.2:4711 on rxe0"), HasSubstr("RDMA_CM_EVENT_UNREACHABLE"),
                    HasSubstr("Connection timed out"), HasSubstr("does not answer")));
}

TEST(ConnectionEvent, WhatGoesWrongIsToldApart) {
  const std::set<std::string> texts = {
      TextOf(RDMA_CM_EVENT_ADDR_ERROR),      TextOf(RDMA_CM_EVENT_ROUTE_ERROR),
      TextOf(RDMA_CM_EVENT_UNREACHABLE),     TextOf(RDMA_CM_EVENT_REJECTED),
      TextOf(RDMA_CM_EVENT_CONNECT_ERROR),   TextOf(RDMA_CM_EVENT_DISCONNECTED),
      TextOf(RDMA_CM_EVENT_DEVICE_REMOVAL),  TextOf(RDMA_CM_EVENT_ADDR_CHANGE),
      TextOf(RDMA_CM_EVENT_TIMEWAIT_EXIT),   TextOf(RDMA_CM_EVENT_ESTABLISHED),
      TextOf(RDMA_CM_EVENT_MULTICAST_ERROR),
  };
  EXPECT_EQ(texts.size(), 11);
}

TEST(ConnectionEvent, ARejectionSaysWhoRefused) {
  EXPECT_THAT(TextOf(RDMA_CM_EVENT_REJECTED, 8), HasSubstr("reason 8, nobody listens there"));
  EXPECT_THAT(TextOf(RDMA_CM_EVENT_REJECTED, 28), HasSubstr("reason 28, by its process"));
  EXPECT_THAT(TextOf(RDMA_CM_EVENT_REJECTED, 4), HasSubstr("(reason 4)"));
}

TEST(ConnectionEvent, NoEventIsUnknownOrFine) {
  for (int type = RDMA_CM_EVENT_ADDR_RESOLVED; type <= kLast; ++type) {
    const absl::Status status = EventToStatus(static_cast<rdma_cm_event_type>(type), 0, "x");
    EXPECT_FALSE(status.ok()) << type;
    EXPECT_EQ(std::string(status.message()).find("does not know"), std::string::npos) << type;
  }
}

TEST(EventChannel, AHostWithoutTheModuleIsToldSo) {
  const auto channel = EventChannel::Create();
  if (channel.ok()) GTEST_SKIP() << "this host has rdma_ucm";
  EXPECT_THAT(std::string(channel.status().message()), HasSubstr("rdma_ucm"));
}

}  // namespace
}  // namespace rdmalab::verbs
