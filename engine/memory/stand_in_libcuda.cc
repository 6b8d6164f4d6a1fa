// A libcuda for tests: one device whose memory is the host's, behind the functions that
// cuda_driver.h looks for. RDMALAB_STAND_IN_CUDA=none: a driver without a device; no_dma_buf: one
// that exports none.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr size_t kDeviceBytes = size_t{1} << 30;

std::string Asked() {
  const char* asked = std::getenv("RDMALAB_STAND_IN_CUDA");
  return asked == nullptr ? "" : asked;
}

std::map<unsigned long long, size_t>& Allocations() {
  static std::map<unsigned long long, size_t> allocations;
  return allocations;
}

bool Inside(unsigned long long address, size_t bytes) {
  for (const auto& [start, size] : Allocations()) {
    if (address >= start && address + bytes <= start + size) return true;
  }
  return false;
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) { return flags == 0 ? 0 : kInvalidValue; }
int cuDriverGetVersion(int* version) {
  *version = 12040;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = Asked() == "none" ? 0 : 1;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char* name, int length, int) {
  std::strncpy(name, "Stand-in GPU", static_cast<size_t>(length));
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  static int one;
  *context = &one;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(void*) { return 0; }
int cuGetErrorName(int result, const char** name) {
  *name = result == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_INVALID_VALUE";
  return 0;
}
int cuMemAlloc_v2(unsigned long long* pointer, size_t bytes) {
  if (bytes > kDeviceBytes) return kOutOfMemory;
  *pointer = reinterpret_cast<unsigned long long>(std::malloc(bytes));
  Allocations()[*pointer] = bytes;
  return 0;
}
int cuMemFree_v2(unsigned long long pointer) {
  if (Allocations().erase(pointer) == 0) return kInvalidValue;
  std::free(reinterpret_cast<void*>(pointer));
  return 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) {
  if (!Inside(to, bytes)) return kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) {
  if (!Inside(from, bytes)) return kInvalidValue;
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}
int cuMemGetHandleForAddressRange(void* handle, unsigned long long pointer, size_t bytes, int type,
                                  unsigned long long) {
  if (Asked() == "no_dma_buf" || type != 1 || !Inside(pointer, bytes)) return kInvalidValue;
  const int fd = memfd_create("stand-in dma-buf", MFD_CLOEXEC);
  std::memcpy(handle, &fd, sizeof(fd));
  return 0;
}

}  // extern "C"
