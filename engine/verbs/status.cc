#include "engine/verbs/status.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace rdmalab::verbs {
namespace {

constexpr char kFactsUrl[] = "rdmalab/work-completion";

struct Meaning {
  ibv_wc_status status;
  const char* name;
  absl::StatusCode code;
  const char* advice;
};

constexpr std::array kMeanings = {
    Meaning{IBV_WC_LOC_LEN_ERR, "IBV_WC_LOC_LEN_ERR", absl::StatusCode::kOutOfRange,
            "a message is longer than the memory or the receive it was given"},
    Meaning{
        IBV_WC_LOC_QP_OP_ERR, "IBV_WC_LOC_QP_OP_ERR", absl::StatusCode::kInternal,
        "the queue pair cannot do this operation: look at its state and at the device's limits"},
    Meaning{
        IBV_WC_LOC_PROT_ERR, "IBV_WC_LOC_PROT_ERR", absl::StatusCode::kPermissionDenied,
        "the local key does not cover the buffer: the message is larger than what is registered"},
    Meaning{IBV_WC_WR_FLUSH_ERR, "IBV_WC_WR_FLUSH_ERR", absl::StatusCode::kAborted,
            "the queue pair was already in error: the first failed completion has the cause"},
    Meaning{IBV_WC_MW_BIND_ERR, "IBV_WC_MW_BIND_ERR", absl::StatusCode::kInternal,
            "a memory window could not be bound"},
    Meaning{IBV_WC_BAD_RESP_ERR, "IBV_WC_BAD_RESP_ERR", absl::StatusCode::kInternal,
            "the peer answered with something else: compare firmware and path MTU of both sides"},
    Meaning{IBV_WC_LOC_ACCESS_ERR, "IBV_WC_LOC_ACCESS_ERR", absl::StatusCode::kPermissionDenied,
            "the local registration does not allow this access"},
    Meaning{IBV_WC_REM_INV_REQ_ERR, "IBV_WC_REM_INV_REQ_ERR", absl::StatusCode::kInvalidArgument,
            "the peer refused the request: message longer than its receive or its region, or more "
            "outstanding reads than it takes"},
    Meaning{IBV_WC_REM_ACCESS_ERR, "IBV_WC_REM_ACCESS_ERR", absl::StatusCode::kPermissionDenied,
            "the peer's key does not allow this: a wrong or stale rkey, or beyond its region"},
    Meaning{
        IBV_WC_REM_OP_ERR, "IBV_WC_REM_OP_ERR", absl::StatusCode::kInternal,
        "the peer's adapter could not complete it: the peer's own status or its dmesg says why"},
    Meaning{
        IBV_WC_RETRY_EXC_ERR, "IBV_WC_RETRY_EXC_ERR", absl::StatusCode::kUnavailable,
        "the peer does not answer: its process or link is gone, or GID index, MTU or a firewall "
        "lets nothing through"},
    Meaning{IBV_WC_RNR_RETRY_EXC_ERR, "IBV_WC_RNR_RETRY_EXC_ERR", absl::StatusCode::kUnavailable,
            "the peer posts no receives any more"},
    Meaning{IBV_WC_REM_ABORT_ERR, "IBV_WC_REM_ABORT_ERR", absl::StatusCode::kAborted,
            "the peer aborted the operation"},
    Meaning{IBV_WC_FATAL_ERR, "IBV_WC_FATAL_ERR", absl::StatusCode::kInternal,
            "the adapter is in a fatal state: reset it, then look at dmesg"},
    Meaning{IBV_WC_RESP_TIMEOUT_ERR, "IBV_WC_RESP_TIMEOUT_ERR", absl::StatusCode::kUnavailable,
            "the peer did not answer in time"},
    Meaning{IBV_WC_GENERAL_ERR, "IBV_WC_GENERAL_ERR", absl::StatusCode::kInternal,
            "the adapter names no reason: look at dmesg"},
};

Meaning MeaningOf(ibv_wc_status status) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.status == status) return meaning;
  }
  return {status, "IBV_WC_UNKNOWN", absl::StatusCode::kInternal,
          "a status that this engine does not know"};
}

struct ErrnoMeaning {
  absl::StatusCode code;
  const char* advice;
};

ErrnoMeaning MeaningOfErrno(int error, absl::string_view call) {
  switch (error) {
    case ENOMEM:
      if (call == "ibv_reg_mr" || call == "ibv_reg_dmabuf_mr") {
        return {absl::StatusCode::kResourceExhausted,
                "raise the limit of locked memory (ulimit -l), or use a smaller working_set"};
      }
      return {absl::StatusCode::kResourceExhausted,
              "the device's limit is lower: use a smaller window or recv_depth"};
    case EINVAL:
      return {absl::StatusCode::kInvalidArgument,
              "the device refuses a value: ibv_devinfo -v lists its limits"};
    case ENODEV:
    case ENXIO:
    case EIO:
      return {absl::StatusCode::kInternal, "the device is gone: rdma link shows what is left"};
    case ENOSYS:
    case EOPNOTSUPP:
      return {absl::StatusCode::kUnimplemented, "this device or its driver cannot do that"};
    case EPERM:
    case EACCES:
      return {absl::StatusCode::kPermissionDenied,
              "the process may not use the device: look at /dev/infiniband"};
    case EFAULT:
      return {absl::StatusCode::kInvalidArgument,
              "the adapter's driver does not know this memory (for a GPU: nvidia_peermem)"};
    case ECONNREFUSED:
    case ECONNRESET:
    case ETIMEDOUT:
    case EHOSTUNREACH:
      return {absl::StatusCode::kUnavailable, "is the peer there, and is its address routed here?"};
    default:
      return {absl::StatusCode::kInternal, "dmesg may say more"};
  }
}

}  // namespace

absl::Status ErrnoToStatus(int error, absl::string_view call, absl::string_view object) {
  if (error == 0) return absl::OkStatus();
  const ErrnoMeaning meaning = MeaningOfErrno(error, call);
  return absl::Status(meaning.code, absl::StrCat(call, "(", object, "): ", std::strerror(error),
                                                 " (errno ", error, "); ", meaning.advice));
}

absl::Status CompletionToStatus(ibv_wc_status status, uint32_t vendor_error,
                                absl::string_view object) {
  if (status == IBV_WC_SUCCESS) return absl::OkStatus();
  const Meaning meaning = MeaningOf(status);
  absl::Status result(meaning.code,
                      absl::StrCat("work completion (", object, "): ", meaning.name,
                                   ", vendor error ", vendor_error, "; ", meaning.advice));
  result.SetPayload(kFactsUrl,
                    absl::Cord(absl::StrCat(meaning.name, "|", vendor_error, "|", meaning.advice)));
  return result;
}

std::optional<CompletionFacts> CompletionFactsOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kFactsUrl);
  if (!payload.has_value()) return std::nullopt;
  const std::vector<std::string> parts = absl::StrSplit(std::string(*payload), '|');
  CompletionFacts facts;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[1], &facts.vendor_error)) return std::nullopt;
  facts.wc_status = parts[0];
  facts.advice = parts[2];
  return facts;
}

}  // namespace rdmalab::verbs
