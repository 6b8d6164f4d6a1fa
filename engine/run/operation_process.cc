#include "engine/run/operation_process.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/base/hex.h"
#include "engine/base/status.h"
#include "engine/operations/ucx_backend.h"
#include "engine/run/operation_translation.h"
#include "engine/run/plan_translation.h"

namespace rdmalab {
namespace {

constexpr char kDeviceVariable[] = "RDMALAB_DEVICE";
constexpr char kGidVariable[] = "RDMALAB_GID_INDEX";
constexpr char kConnectVariable[] = "RDMALAB_CONNECT";
constexpr int kLargestGidIndex = 255;

std::string EnvironmentOf(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<std::optional<int>> GidIndexFromEnvironment() {
  const std::string index = EnvironmentOf(kGidVariable);
  if (index.empty()) return std::optional<int>();
  int number = -1;
  if (absl::SimpleAtoi(index, &number) && number >= 0 && number <= kLargestGidIndex) {
    return std::optional<int>(number);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(kGidVariable, "=", index, ": expected 0 to ", kLargestGidIndex));
}

// As the plan says, not the environment: what got lost on its way to a node would be another lane.
absl::StatusOr<ConnectBy> ConnectOf(const Lane& lane) {
  const auto said = lane.env.find(kConnectVariable);
  if (said == lane.env.end() || said->second == Name(ConnectBy::kExchange)) {
    return ConnectBy::kExchange;
  }
  if (said->second == Name(ConnectBy::kRdmacm)) return ConnectBy::kRdmacm;
  return absl::InvalidArgumentError(absl::StrCat(kConnectVariable, "=", said->second, ": expected ",
                                                 Name(ConnectBy::kExchange), " or ",
                                                 Name(ConnectBy::kRdmacm)));
}

absl::StatusOr<VerbsBackend::Options> VerbsOptionsOf(const Lane& lane) {
  ASSIGN_OR_RETURN(const std::optional<int> gid_index, GidIndexFromEnvironment());
  ASSIGN_OR_RETURN(const ConnectBy connect, ConnectOf(lane));
  return VerbsBackend::Options{
      .device = {.device = EnvironmentOf(kDeviceVariable), .gid_index = gid_index},
      .connect = connect};
}

}  // namespace

OperationProcess::OperationProcess(const Plan& plan) : memory_(LargestWorkingSets(plan)) {}

absl::StatusOr<std::unique_ptr<OperationProcess>> OperationProcess::Create(const Plan& plan) {
  std::unique_ptr<OperationProcess> process(new OperationProcess(plan));
  if (plan.lane.backend == Backend::kUcx) {
    ASSIGN_OR_RETURN(process->ucx_, UcxProcess::Create(plan, ""));
    return process;
  }
  ASSIGN_OR_RETURN(const VerbsBackend::Options options, VerbsOptionsOf(plan.lane));
  ASSIGN_OR_RETURN(std::unique_ptr<VerbsBackend> backend, VerbsBackend::Create(options));
  process->verbs_ = backend.get();
  process->backend_ = std::move(backend);
  return process;
}

absl::Status OperationProcess::Describe(ProcessRecord& record) const {
  if (ucx_ != nullptr) return record.AddUcx(ucx_->context());
  const verbs::Device& device = verbs_->device();
  record.AddVerbs({.device = device.name(),
                   .port = device.port(),
                   .link_layer = device.ethernet() ? "Ethernet" : "InfiniBand",
                   .gid_index = device.gid_index(),
                   .gid = ToHex({device.gid().raw, sizeof(device.gid().raw)}),
                   .lid = device.port_attributes().lid,
                   .mtu_bytes = verbs::MtuBytes(device.port_attributes().active_mtu),
                   .firmware = device.limits().fw_ver,
                   .initiated_reads = device.max_initiated_reads(),
                   .answered_reads = device.max_answered_reads(),
                   .connected_by = std::string(Name(verbs_->connect()))});
  return absl::OkStatus();
}

Card OperationProcess::CardFor(const std::string& role, const std::string& token, const Plan& plan,
                               const ProcessRecord& record) const {
  return {.role = role,
          .token = token,
          .plan_sha256 = plan.sha256,
          .binary_sha256 = record.binary_sha256(),
          .ucx_runtime = ucx_ == nullptr ? "none" : record.ucx_runtime(),
          .worker_address = ucx_ == nullptr ? "none" : ucx_->worker_address()};
}

void OperationProcess::Met(const Plan& plan, const Card& peer) {
  if (ucx_ == nullptr) return;
  backend_ = std::make_unique<UcxBackend>(
      UcxBackend::Options{.context = ucx_->context(),
                          .worker = ucx_->worker(),
                          .peer_address = peer.worker_address,
                          .error_handling = ErrorHandlingOf(plan.lane)});
}

}  // namespace rdmalab
