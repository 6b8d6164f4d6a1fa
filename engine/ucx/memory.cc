#include "engine/ucx/memory.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status.h"
#include "engine/ucx/status.h"

namespace rdmalab::ucx {
namespace {

constexpr size_t kMdMapBytes = 8;

// ucp_memh_pack, which replaces ucp_rkey_pack by its documentation, aborts on a remote key up to
// 1.22 ("packing rkey using ucp_memh_pack() is unsupported").
absl::StatusOr<std::string> PackKey(const Context& context, ucp_mem_h memory) {
  void* buffer = nullptr;
  size_t bytes = 0;
  RETURN_IF_ERROR(
      ToStatus(ucp_rkey_pack(context.handle(), memory, &buffer, &bytes), "ucp_rkey_pack"));
  std::string key(static_cast<const char*>(buffer), bytes);
  ucp_rkey_buffer_release(buffer);
  return key;
}

}  // namespace

absl::StatusOr<MappedMemory> MappedMemory::Create(const Context& context, void* address,
                                                  size_t bytes) {
  ucp_mem_map_params_t params = {};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = address;
  params.length = bytes;
  ucp_mem_h raw = nullptr;
  RETURN_IF_ERROR(ToStatus(ucp_mem_map(context.handle(), &params, &raw), "ucp_mem_map",
                           absl::StrFormat("%d bytes at %p", bytes, address)));
  Handle handle(raw, Deleter{context.handle()});
  ASSIGN_OR_RETURN(std::string key, PackKey(context, raw));
  ASSIGN_OR_RETURN(const uint64_t md_map, MdMapOfKey(key));
  return MappedMemory(std::move(handle), {address, bytes}, std::move(key), md_map);
}

absl::StatusOr<uint64_t> MdMapOfKey(absl::string_view packed_key) {
  if (packed_key.size() < kMdMapBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a packed key of ", packed_key.size(), " bytes is none"));
  }
  uint64_t md_map = 0;
  for (size_t i = kMdMapBytes; i-- > 0;) {
    md_map = (md_map << 8) | static_cast<uint8_t>(packed_key[i]);
  }
  return md_map;
}

}  // namespace rdmalab::ucx
