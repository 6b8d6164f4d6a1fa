// Both sides of a link on a real device, connected by exchange and by librdmacm: what arrives, and
// what each fault is told as. Skipped without a device; the softroce part of the tests runs this
// program on an emulated node (RDMALAB_DEVICE and RDMALAB_GID_INDEX as for the engine).
#include <atomic>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/operations/verbs_backend.h"
#include "engine/verbs/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;

constexpr size_t kMemoryBytes = size_t{64} << 10;
constexpr size_t kMessageBytes = 4096;
// Longer than any retry of a queue pair (0.5 s, seven times), so that the device speaks first.
constexpr absl::Duration kPatience = absl::Seconds(20);
constexpr WorkingSet::Identity kIdentity = {.seed = 1, .cell = 2, .rep = 3};

std::string Environment(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

std::unique_ptr<VerbsBackend> BackendOn(ConnectBy connect) {
  auto backend = VerbsBackend::Create(
      {.device = {.device = Environment("RDMALAB_DEVICE", ""),
                  .gid_index = std::stoi(Environment("RDMALAB_GID_INDEX", "1"))},
       .connect = connect});
  EXPECT_TRUE(backend.ok()) << backend.status();
  return backend.ok() ? *std::move(backend) : nullptr;
}

CellSpec SpecOf(RemoteOperation op, size_t message_bytes = kMessageBytes) {
  return {.op = op,
          .size_bytes = message_bytes,
          .window = 8,
          .recv_depth = 16,
          .iterations = 64,
          .duration = absl::Milliseconds(20)};
}

// One process's half: what an engine's process holds for one cell.
struct Half {
  Half(Side on, ConnectBy connect) : side(on), backend(BackendOn(connect)) {}

  void Open(const CellSpec& asked, size_t memory_bytes = kMemoryBytes) {
    spec = asked;
    working_set = WorkingSet(spec.size_bytes, kMemoryBytes);
    auto made = HostMemory::Create({.bytes = memory_bytes});
    ASSERT_TRUE(made.ok()) << made.status();
    memory.push_back(*std::move(made));
    auto opened = backend->Open(side, spec, working_set, *memory.back());
    ASSERT_TRUE(opened.ok()) << opened.status();
    link = *std::move(opened);
  }

  Side side;
  // Registered as long as the backend lives, so it goes after it.
  std::vector<std::unique_ptr<HostMemory>> memory;
  std::unique_ptr<VerbsBackend> backend;
  CellSpec spec;
  WorkingSet working_set = WorkingSet(1, 1);
  std::unique_ptr<OperationLink> link;
};

// Changes of an offer on its way to the consumer: a fault that no owner would make.
using Tamper = void (*)(json& offer);
void Nothing(json& /*offer*/) {}

class VerbsDevice : public testing::TestWithParam<ConnectBy> {
 protected:
  void SetUp() override {
    if (verbs::DeviceNames().empty()) {
      GTEST_SKIP() << "no RDMA device here; ./rdmalab test softroce runs this on a node with one";
    }
    owner_ = std::make_unique<Half>(Side::kOwner, GetParam());
    consumer_ = std::make_unique<Half>(Side::kConsumer, GetParam());
    ASSERT_TRUE(owner_->backend != nullptr && consumer_->backend != nullptr);
  }

  void TearDown() override { (void)StopServing(); }

  void OpenBoth(const CellSpec& spec) {
    owner_->Open(spec);
    consumer_->Open(spec);
  }

  // Connects both; the owner serves from now on.
  absl::Status Connect(Tamper tamper = Nothing, absl::Duration patience = kPatience) {
    const Deadline deadline = Deadline::After(clock_, patience);
    const absl::Status status = owner_->link->Connect(consumer_->link->offer(), deadline);
    if (!status.ok()) return status;
    server_ = std::thread([this] {
      while (!stop_ && served_.ok()) served_ = owner_->link->Serve().status();
      ended_ = true;
    });
    json offer = json::parse(owner_->link->offer());
    tamper(offer);
    return consumer_->link->Connect(offer.dump(), deadline);
  }

  absl::Status Measure() {
    measured_ = {};
    return consumer_->link->Measure(
        {.clock = clock_, .patience = kPatience, .look = [] { return absl::OkStatus(); }},
        measured_);
  }

  // Waits until serving fails by itself; what it ended with.
  absl::Status ServedUntilItFailed() {
    const Deadline deadline = Deadline::After(clock_, kPatience);
    while (!ended_ && !deadline.Expired()) std::this_thread::yield();
    return StopServing();
  }

  // What serving ended with.
  absl::Status StopServing() {
    stop_ = true;
    if (server_.joinable()) server_.join();
    stop_ = ended_ = false;
    return std::exchange(served_, absl::OkStatus());
  }

  // A whole cell, with its bytes checked at whoever received.
  void ExpectArrives(RemoteOperation op) {
    OpenBoth(SpecOf(op));
    const bool reads = op == RemoteOperation::kRead;
    Half& from = reads ? *owner_ : *consumer_;
    Half& to = reads ? *consumer_ : *owner_;
    ASSERT_TRUE(from.working_set.Fill(*from.memory.back(), kIdentity).ok());
    ASSERT_TRUE(to.working_set.Poison(*to.memory.back(), kIdentity).ok());
    ASSERT_TRUE(Connect().ok());
    const absl::Status measured = Measure();
    EXPECT_TRUE(measured.ok()) << measured;
    const absl::Status served = StopServing();
    EXPECT_TRUE(served.ok()) << served;
    const absl::Status right = to.working_set.Verify(*to.memory.back(), kIdentity, measured_.total);
    EXPECT_TRUE(right.ok()) << right;
    EXPECT_EQ(measured_.messages, 64);
    EXPECT_EQ(consumer_->link->Facts().facts.at("connected_by"), Name(GetParam()));
  }

  // The row of a failed cell has what the device said, and the next cell has a queue pair that
  // works.
  void ExpectFails(const absl::Status& status, const testing::Matcher<std::string>& wc_status) {
    const auto facts = verbs::CompletionFactsOf(status);
    ASSERT_TRUE(facts.has_value()) << status;
    EXPECT_THAT(facts->wc_status, wc_status) << status;
    EXPECT_NE(facts->advice, "");
    (void)StopServing();
    ExpectArrives(RemoteOperation::kWrite);
  }

  const Clock clock_ = Clock::MonotonicRaw();
  std::unique_ptr<Half> owner_;
  std::unique_ptr<Half> consumer_;
  Measured measured_;

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<bool> ended_ = false;
  std::thread server_;
  absl::Status served_;
};

TEST_P(VerbsDevice, EveryOperationBringsItsBytes) {
  for (const auto op : {RemoteOperation::kRead, RemoteOperation::kWrite, RemoteOperation::kSend}) {
    SCOPED_TRACE(static_cast<int>(op));
    ExpectArrives(op);
  }
}

TEST_P(VerbsDevice, AWrongKeyIsRefusedByThePeer) {
  for (const auto op : {RemoteOperation::kRead, RemoteOperation::kWrite}) {
    OpenBoth(SpecOf(op));
    ASSERT_TRUE(Connect([](json& offer) {
                  offer["key"] = offer["key"].get<uint32_t>() ^ 0x00ffff00U;
                }).ok());
    ExpectFails(Measure(), "IBV_WC_REM_ACCESS_ERR");
  }
}

TEST_P(VerbsDevice, AMessageBeyondThePeersRegionIsRefused) {
  for (const auto op : {RemoteOperation::kRead, RemoteOperation::kWrite}) {
    owner_->Open(SpecOf(op), kMessageBytes);  // one message long; the consumer walks further
    consumer_->Open(SpecOf(op));
    ASSERT_TRUE(Connect().ok());
    ExpectFails(Measure(), "IBV_WC_REM_ACCESS_ERR");
  }
}

TEST_P(VerbsDevice, AMessageLargerThanItsOwnRegionNeverLeaves) {
  owner_->Open(SpecOf(RemoteOperation::kWrite, 4 * kMessageBytes));
  consumer_->Open(SpecOf(RemoteOperation::kWrite, 4 * kMessageBytes), kMessageBytes);
  ASSERT_TRUE(Connect().ok());
  ExpectFails(Measure(), "IBV_WC_LOC_PROT_ERR");
}

TEST_P(VerbsDevice, AMessageLongerThanItsReceiveIsRefused) {
  owner_->Open(SpecOf(RemoteOperation::kSend, kMessageBytes));
  consumer_->Open(SpecOf(RemoteOperation::kSend, 2 * kMessageBytes));
  ASSERT_TRUE(Connect().ok());
  const absl::Status sent = Measure();
  const absl::Status served = ServedUntilItFailed();
  const auto facts = verbs::CompletionFactsOf(served);
  ASSERT_TRUE(facts.has_value()) << served;
  // The specification's words, or those of rxe in Linux 6.1.
  EXPECT_THAT(facts->wc_status, AnyOf("IBV_WC_LOC_LEN_ERR", "IBV_WC_LOC_QP_OP_ERR"));
  ExpectFails(sent, AnyOf("IBV_WC_REM_INV_REQ_ERR", "IBV_WC_REM_OP_ERR"));
}

TEST_P(VerbsDevice, APeerThatIsGoneIsToldInBoundedTime) {
  OpenBoth(SpecOf(RemoteOperation::kWrite));
  ASSERT_TRUE(Connect().ok());
  // Connected means served until then.
  ASSERT_TRUE(Measure().ok());
  ASSERT_TRUE(StopServing().ok());
  owner_->link.reset();
  const absl::Status status = Measure();
  if (GetParam() == ConnectBy::kRdmacm) {
    // The connection's end is told before the queue pair's last retry.
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    return;
  }
  ExpectFails(status, "IBV_WC_RETRY_EXC_ERR");
}

TEST_P(VerbsDevice, NobodyThereIsAStatusOfTheConnection) {
  if (GetParam() == ConnectBy::kExchange) GTEST_SKIP() << "an exchange connects to nobody";
  OpenBoth(SpecOf(RemoteOperation::kWrite));
  const absl::Status rejected = Connect([](json& offer) { offer["port"] = 1; });
  EXPECT_TRUE(absl::IsUnavailable(rejected)) << rejected;
  EXPECT_THAT(std::string(rejected.message()), HasSubstr("nobody listens there"));
  (void)StopServing();
  OpenBoth(SpecOf(RemoteOperation::kWrite));
  const absl::Status no_way =
      Connect([](json& offer) { offer["listens"] = "203.0.113.7"; }, absl::Seconds(1));
  EXPECT_FALSE(no_way.ok());
  EXPECT_THAT(std::string(no_way.message()), HasSubstr("203.0.113.7"));
}

INSTANTIATE_TEST_SUITE_P(ConnectedBy, VerbsDevice,
                         testing::Values(ConnectBy::kExchange, ConnectBy::kRdmacm),
                         [](const auto& each) { return std::string(Name(each.param)); });

}  // namespace
}  // namespace rdmalab
