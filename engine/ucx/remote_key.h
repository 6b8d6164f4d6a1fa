// A peer's packed key, made usable on one endpoint.
//
// UCX reads the packed bytes without a length and trusts them; the descriptor that carried them has
// been checked as a whole before, and this class refuses what cannot be a key. Unpacking costs
// microseconds: cache one per owner and arena. Validity ends when the owner releases the arena;
// using it after that aborts the process on rc_verbs.
#ifndef RDMALAB_ENGINE_UCX_REMOTE_KEY_H_
#define RDMALAB_ENGINE_UCX_REMOTE_KEY_H_

#include <ucp/api/ucp.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/ucx/endpoint.h"

namespace rdmalab::ucx {

// The memory-domain map (8 bytes) and the memory type (1): no key of any version is shorter.
inline constexpr size_t kSmallestPackedKey = 9;
// Far above any real key (tens of bytes per memory domain); a longer one is a lie.
inline constexpr size_t kLargestPackedKey = 4096;

class RemoteKey {
 public:
  // InvalidArgument on a length that no key has; Unavailable on a failed endpoint. The key is
  // destroyed before the endpoint's worker.
  static absl::StatusOr<RemoteKey> Unpack(const Endpoint& endpoint, absl::string_view packed_key);

  ucp_rkey_h handle() const { return handle_.get(); }

 private:
  struct Deleter {
    void operator()(ucp_rkey_h key) const { ucp_rkey_destroy(key); }
  };
  using Handle = std::unique_ptr<ucp_rkey, Deleter>;

  explicit RemoteKey(Handle handle) : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_REMOTE_KEY_H_
