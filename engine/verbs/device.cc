#include "engine/verbs/device.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/base/status.h"
#include "engine/verbs/status.h"

namespace rdmalab::verbs {
namespace {

class DeviceList {
 public:
  DeviceList() : list_(ibv_get_device_list(&count_)) {}
  ~DeviceList() {
    if (list_ != nullptr) ibv_free_device_list(list_);
  }
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;

  int count() const { return list_ == nullptr ? 0 : count_; }
  ibv_device* at(int index) const { return list_[index]; }

 private:
  int count_ = 0;
  ibv_device** list_;
};

struct Wanted {
  std::string name;
  int port = 1;
};

absl::StatusOr<Wanted> WantedOf(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  Wanted wanted{.name = parts[0]};
  if (parts.size() == 2 && absl::SimpleAtoi(parts[1], &wanted.port) && wanted.port > 0 &&
      wanted.port < 256) {
    return wanted;
  }
  if (parts.size() == 1) return wanted;
  return absl::InvalidArgumentError(
      absl::StrCat("RDMALAB_DEVICE=", text, ": expected DEVICE or DEVICE:PORT, such as rxe0:1"));
}

absl::StatusOr<ibv_device*> Find(const DeviceList& list, const std::string& name) {
  if (list.count() == 0) {
    return absl::UnimplementedError(
        "ibv_get_device_list: no RDMA device here; lane verbs needs one: ./rdmalab testbed "
        "softroce "
        "up makes two nodes that have one");
  }
  if (name.empty() && list.count() == 1) return list.at(0);
  std::vector<std::string> names;
  for (int i = 0; i < list.count(); ++i) {
    names.emplace_back(ibv_get_device_name(list.at(i)));
    if (names.back() == name) return list.at(i);
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "ibv_get_device_list: ",
      name.empty() ? "several devices and none named" : absl::StrCat("no device ", name),
      "; here are: ", absl::StrJoin(names, ", ")));
}

}  // namespace

std::vector<std::string> DeviceNames() {
  const DeviceList list;
  std::vector<std::string> names;
  for (int i = 0; i < list.count(); ++i) names.emplace_back(ibv_get_device_name(list.at(i)));
  return names;
}

absl::StatusOr<Device> Device::Open(const DeviceOptions& options) {
  ASSIGN_OR_RETURN(const Wanted wanted, WantedOf(options.device));
  const DeviceList list;
  ASSIGN_OR_RETURN(ibv_device* const found, Find(list, wanted.name));
  const std::string name = ibv_get_device_name(found);
  errno = 0;
  ibv_context* const context = ibv_open_device(found);
  if (context == nullptr) return ErrnoToStatus(errno == 0 ? EIO : errno, "ibv_open_device", name);
  Device device(context, name);
  RETURN_IF_ERROR(
      ErrnoToStatus(ibv_query_device(context, &device.limits_), "ibv_query_device", name));
  RETURN_IF_ERROR(device.ReadPort(wanted.port));
  RETURN_IF_ERROR(device.ReadGid(options.gid_index));
  return device;
}

absl::Status Device::ReadPort(int port) {
  port_ = static_cast<uint8_t>(port);
  RETURN_IF_ERROR(ErrnoToStatus(ibv_query_port(context(), port_, &port_attributes_),
                                "ibv_query_port", absl::StrCat(name_, ":", port)));
  if (port_attributes_.state == IBV_PORT_ACTIVE) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("ibv_query_port(", name_, ":", port, "): the port is ",
                   ibv_port_state_str(port_attributes_.state), ", not active; bring its link up"));
}

absl::Status Device::ReadGid(const std::optional<int>& index) {
  gid_index_ = index;
  if (!index.has_value()) {
    if (!ethernet()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("RDMALAB_GID_INDEX is not set, and ", name_, ":", static_cast<int>(port_),
                     " is RoCE: name the GID (ibv_devinfo -v lists them)"));
  }
  const int failed = ibv_query_gid(context(), port_, *index, &gid_);
  return ErrnoToStatus(failed == 0 ? 0 : EINVAL, "ibv_query_gid",
                       absl::StrCat(name_, ":", static_cast<int>(port_), " index ", *index));
}

absl::Status Device::LookAlive() const {
  ibv_port_attr now = {};
  const int failed = ibv_query_port(context(), port_, &now);
  if (failed != 0) return ErrnoToStatus(failed, "ibv_query_port", name_);
  if (now.state == IBV_PORT_ACTIVE) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(name_, ":", static_cast<int>(port_), " went ",
                                          ibv_port_state_str(now.state), " during the run"));
}

std::map<std::string, int64_t> Device::ReceiverNotReady() const {
  std::map<std::string, int64_t> counters;
  const std::string folder = absl::StrCat("/sys/class/infiniband/", name_, "/ports/",
                                          static_cast<int>(port_), "/hw_counters");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string counter = entry.path().filename().string();
    if (counter.find("rnr") == std::string::npos) continue;
    std::ifstream file(entry.path());
    if (int64_t value = 0; file >> value) counters[counter] = value;
  }
  return counters;
}

}  // namespace rdmalab::verbs
