// A UCX context: one per process, made first and destroyed last. Holds the resolved settings and
// the memory domains.
//
//   auto context = ucx::Context::Create({});
//   auto worker = ucx::Worker::Create(*context, {});
//   auto endpoint = ucx::Endpoint::Create(*worker, peer_address, {.error_handling =
//   ucx::ErrorHandling::kPeer});
//
// The API version asked for is 1.16, so that one binary runs with run times from 1.16 to 1.22
// without a warning.
#ifndef RDMALAB_ENGINE_UCX_CONTEXT_H_
#define RDMALAB_ENGINE_UCX_CONTEXT_H_

#include <ucp/api/ucp.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmalab::ucx {

struct ContextOptions {
  // Changes to what UCX_* says, e.g. {{"TLS", "self"}}: names without the prefix. For tests; a run
  // uses none.
  std::map<std::string, std::string> overrides = {};
};

class Context {
 public:
  // Reads the UCX_* environment, then applies the overrides; the status names one that UCX does not
  // know. FailedPrecondition when no transport that is allowed has a device here.
  static absl::StatusOr<Context> Create(const ContextOptions& options);

  ucp_context_h handle() const { return handle_.get(); }

  // The resolved settings, UCX_NAME to value: the global ones and those of the context.
  const std::map<std::string, std::string>& settings() const { return settings_; }

  // Names of the memory domains; the index is the bit of a packed key's memory-domain map.
  const std::vector<std::string>& memory_domains() const { return memory_domains_; }

  // The domains of a map, e.g. {"self", "mlx5_0"}; a bit without a name gives "md[5]".
  std::vector<std::string> DomainNames(uint64_t md_map) const;

  // True when a domain of the map is a NIC's: neither tcp nor one of the domains within a host
  // (self, shared memory, copies to a GPU). This is the witness that a NIC registered the memory;
  // that ucp_mem_map succeeded says nothing.
  bool NicRegistered(uint64_t md_map) const;

  // True when the lane has a NIC's memory domain at all; without one nic_registered is null in a
  // sample.
  bool HasNic() const;

 private:
  struct Deleter {
    void operator()(ucp_context_h context) const { ucp_cleanup(context); }
  };
  using Handle = std::unique_ptr<ucp_context, Deleter>;

  Context(Handle handle, std::map<std::string, std::string> settings,
          std::vector<std::string> memory_domains)
      : handle_(std::move(handle)),
        settings_(std::move(settings)),
        memory_domains_(std::move(memory_domains)) {}

  Handle handle_;
  std::map<std::string, std::string> settings_;
  std::vector<std::string> memory_domains_;
};

// What Context::NicRegistered asks of one domain's name.
bool IsNicDomain(const std::string& name);

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_CONTEXT_H_
