#include "engine/ucx/status.h"

#include "absl/strings/str_cat.h"

namespace rdmalab::ucx {
namespace {

absl::StatusCode CodeOf(ucs_status_t status) {
  switch (status) {
    case UCS_OK:
      return absl::StatusCode::kOk;
    case UCS_ERR_NO_RESOURCE:
    case UCS_ERR_NO_MEMORY:
    case UCS_ERR_EXCEEDS_LIMIT:
    case UCS_ERR_SHMEM_SEGMENT:
    case UCS_ERR_BUSY:
      return absl::StatusCode::kResourceExhausted;
    case UCS_ERR_INVALID_PARAM:
    case UCS_ERR_INVALID_ADDR:
      return absl::StatusCode::kInvalidArgument;
    case UCS_ERR_OUT_OF_RANGE:
    case UCS_ERR_MESSAGE_TRUNCATED:
    case UCS_ERR_BUFFER_TOO_SMALL:
      return absl::StatusCode::kOutOfRange;
    case UCS_ERR_NO_DEVICE:
    case UCS_ERR_NO_ELEM:
    case UCS_ERR_NO_MESSAGE:
      return absl::StatusCode::kNotFound;
    case UCS_ERR_NOT_IMPLEMENTED:
    case UCS_ERR_UNSUPPORTED:
      return absl::StatusCode::kUnimplemented;
    case UCS_ERR_ALREADY_EXISTS:
      return absl::StatusCode::kAlreadyExists;
    case UCS_ERR_TIMED_OUT:
      return absl::StatusCode::kDeadlineExceeded;
    default:
      return absl::StatusCode::kInternal;
  }
}

bool IsPeerLoss(ucs_status_t status) {
  switch (status) {
    case UCS_ERR_CANCELED:  // by the forced close that follows a loss or a deadline
    case UCS_ERR_CONNECTION_RESET:
    case UCS_ERR_ENDPOINT_TIMEOUT:
    case UCS_ERR_NOT_CONNECTED:
    case UCS_ERR_UNREACHABLE:
    case UCS_ERR_REJECTED:
    case UCS_ERR_SOME_CONNECTS_FAILED:
    case UCS_ERR_IO_ERROR:  // what a transport says when the other side's process or link went away
      return true;
    default:
      return UCS_IS_LINK_ERROR(status) || UCS_IS_ENDPOINT_ERROR(status);
  }
}

}  // namespace

absl::Status ToStatus(ucs_status_t status, absl::string_view call, absl::string_view object) {
  if (status == UCS_OK) return absl::OkStatus();
  return absl::Status(CodeOf(status),
                      absl::StrCat(call, "(", object, "): ", ucs_status_string(status)));
}

absl::Status PeerToStatus(ucs_status_t status, absl::string_view call) {
  const absl::Status translated = ToStatus(status, call);
  if (!IsPeerLoss(status)) return translated;
  return absl::UnavailableError(translated.message());
}

}  // namespace rdmalab::ucx
