#include "engine/memory/cuda_driver.h"

#include <dlfcn.h>

#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

absl::Status NoGpu(absl::string_view why) {
  return absl::UnimplementedError(absl::StrCat("memory: cuda cannot run here: ", why,
                                               "; choose memory: host, or a machine with a GPU"));
}

}  // namespace

void CudaDriver::Close::operator()(void* library) const { ::dlclose(library); }

CudaDriver::~CudaDriver() {
  if (context_ != nullptr) (void)context_release_(device_);
}

absl::StatusOr<std::shared_ptr<const CudaDriver>> CudaDriver::Load(const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return NoGpu(::dlerror());
  std::shared_ptr<CudaDriver> driver(new CudaDriver(handle));
  RETURN_IF_ERROR(driver->Resolve());
  RETURN_IF_ERROR(driver->Start());
  return driver;
}

template <typename Function>
absl::Status CudaDriver::Find(Function& function, const char* name) {
  void* const found = ::dlsym(library_.get(), name);
  if (found == nullptr) return NoGpu(absl::StrCat(kLibrary, " has no ", name));
  // The one conversion from data to function that POSIX defines.
  std::memcpy(&function, &found, sizeof(found));
  return absl::OkStatus();
}

absl::Status CudaDriver::Resolve() {
  RETURN_IF_ERROR(Find(init_, "cuInit"));
  RETURN_IF_ERROR(Find(driver_version_, "cuDriverGetVersion"));
  RETURN_IF_ERROR(Find(device_count_, "cuDeviceGetCount"));
  RETURN_IF_ERROR(Find(device_get_, "cuDeviceGet"));
  RETURN_IF_ERROR(Find(device_name_of_, "cuDeviceGetName"));
  RETURN_IF_ERROR(Find(context_retain_, "cuDevicePrimaryCtxRetain"));
  RETURN_IF_ERROR(Find(context_release_, "cuDevicePrimaryCtxRelease_v2"));
  RETURN_IF_ERROR(Find(context_use_, "cuCtxSetCurrent"));
  RETURN_IF_ERROR(Find(error_name_, "cuGetErrorName"));
  RETURN_IF_ERROR(Find(mem_alloc, "cuMemAlloc_v2"));
  RETURN_IF_ERROR(Find(mem_free, "cuMemFree_v2"));
  RETURN_IF_ERROR(Find(copy_to_device, "cuMemcpyHtoD_v2"));
  RETURN_IF_ERROR(Find(copy_to_host, "cuMemcpyDtoH_v2"));
  // Without it the adapter's driver must know the GPU's (peer memory).
  (void)Find(range_handle, "cuMemGetHandleForAddressRange");
  return absl::OkStatus();
}

absl::Status CudaDriver::Start() {
  const absl::Status started = ToStatus(init_(0), "cuInit");
  if (!started.ok()) return NoGpu(started.message());
  (void)driver_version_(&version_);
  int devices = 0;
  RETURN_IF_ERROR(ToStatus(device_count_(&devices), "cuDeviceGetCount"));
  if (devices == 0) return NoGpu("no CUDA device");
  RETURN_IF_ERROR(ToStatus(device_get_(&device_, 0), "cuDeviceGet(0)"));
  std::array<char, 128> name{};
  (void)device_name_of_(name.data(), static_cast<int>(name.size()) - 1, device_);
  device_name_ = name.data();
  RETURN_IF_ERROR(ToStatus(context_retain_(&context_, device_), "cuDevicePrimaryCtxRetain"));
  return Use();
}

absl::Status CudaDriver::Use() const { return ToStatus(context_use_(context_), "cuCtxSetCurrent"); }

absl::Status CudaDriver::ToStatus(Result result, absl::string_view call) const {
  if (result == 0) return absl::OkStatus();
  const char* name = nullptr;
  if (error_name_(result, &name) != 0 || name == nullptr) name = "an error without a name";
  const std::string text = absl::StrCat(call, ": ", name, " (", result, ")");
  constexpr Result kOutOfMemory = 2;
  return result == kOutOfMemory ? absl::ResourceExhaustedError(text) : absl::InternalError(text);
}

}  // namespace rdmalab
