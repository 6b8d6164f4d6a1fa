#include "engine/ucx/remote_key.h"

#include <bit>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/status.h"

namespace rdmalab::ucx {

absl::StatusOr<RemoteKey> RemoteKey::Unpack(const Endpoint& endpoint,
                                            absl::string_view packed_key) {
  const std::string object = absl::StrCat("key of ", packed_key.size(), " bytes");
  if (packed_key.size() < kSmallestPackedKey || packed_key.size() > kLargestPackedKey) {
    return absl::InvalidArgumentError(
        absl::StrCat("ucp_ep_rkey_unpack(", object, "): no packed key has this length"));
  }
  // After the map and the memory type stands, for each domain of the map, at least a length byte: a
  // map that names more domains than there are bytes would be read past the end.
  ASSIGN_OR_RETURN(const uint64_t md_map, MdMapOfKey(packed_key));
  const size_t domains = static_cast<size_t>(std::popcount(md_map));
  if (domains > packed_key.size() - kSmallestPackedKey) {
    return absl::InvalidArgumentError(absl::StrCat("ucp_ep_rkey_unpack(", object, "): it names ",
                                                   domains, " memory domains, more than fit"));
  }
  RETURN_IF_ERROR(endpoint.failure());
  ucp_rkey_h raw = nullptr;
  RETURN_IF_ERROR(ToStatus(ucp_ep_rkey_unpack(endpoint.handle(), packed_key.data(), &raw),
                           "ucp_ep_rkey_unpack", object));
  return RemoteKey(Handle(raw));
}

}  // namespace rdmalab::ucx
