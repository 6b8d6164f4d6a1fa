// An RDMA device, opened: its port, its address on the fabric and its limits.
#ifndef RDMALAB_ENGINE_VERBS_DEVICE_H_
#define RDMALAB_ENGINE_VERBS_DEVICE_H_

#include <infiniband/verbs.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmalab::verbs {

struct DeviceOptions {
  std::string device;            // "rxe0:1" or "rxe0"; empty: the only one there is
  std::optional<int> gid_index;  // of the address to use; none: RoCE needs one, InfiniBand does not
};

class Device {
 public:
  // Unimplemented (exit code 5) when there is no device at all; FailedPrecondition (a wrong lane)
  // when the one that is named is not there, its port is not active, or RoCE has no GID index.
  static absl::StatusOr<Device> Open(const DeviceOptions& options);

  ibv_context* context() const { return context_.get(); }
  const std::string& name() const { return name_; }  // "rxe0"
  uint8_t port() const { return port_; }
  const ibv_port_attr& port_attributes() const { return port_attributes_; }
  const ibv_device_attr& limits() const { return limits_; }
  bool ethernet() const { return port_attributes_.link_layer == IBV_LINK_LAYER_ETHERNET; }
  const std::optional<int>& gid_index() const { return gid_index_; }
  const ibv_gid& gid() const { return gid_; }

  // Outstanding reads that this device takes part in, as initiator and as responder.
  int max_initiated_reads() const { return limits_.max_qp_init_rd_atom; }
  int max_answered_reads() const { return limits_.max_qp_rd_atom; }

  // The port's counters whose name has "rnr" in it, as the system shows them; empty where it has
  // none.
  std::map<std::string, int64_t> ReceiverNotReady() const;

  // Whether the link layer and state are still as when it was opened; an error names what changed.
  absl::Status LookAlive() const;

 private:
  struct Close {
    void operator()(ibv_context* context) const { (void)ibv_close_device(context); }
  };

  Device(ibv_context* context, std::string name) : context_(context), name_(std::move(name)) {}
  absl::Status ReadPort(int port);
  absl::Status ReadGid(const std::optional<int>& index);

  std::unique_ptr<ibv_context, Close> context_;
  std::string name_;
  uint8_t port_ = 1;
  ibv_port_attr port_attributes_ = {};
  ibv_device_attr limits_ = {};
  std::optional<int> gid_index_;
  ibv_gid gid_ = {};
};

// Bytes of an ibv_mtu.
constexpr int MtuBytes(int mtu) { return 128 << mtu; }

// The names of the devices here.
std::vector<std::string> DeviceNames();

}  // namespace rdmalab::verbs

#endif  // RDMALAB_ENGINE_VERBS_DEVICE_H_
