// The CUDA driver API, loaded at run time: nothing of CUDA is needed to build, and a machine
// without a GPU is told so in words.
//
// The few functions that are used, with the signatures of cuda.h (the _v2 ones are those that a
// program compiled today gets).
#ifndef RDMALAB_ENGINE_MEMORY_CUDA_DRIVER_H_
#define RDMALAB_ENGINE_MEMORY_CUDA_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rdmalab {

class CudaDriver {
 public:
  static constexpr char kLibrary[] = "libcuda.so.1";

  using Result = int;  // CUresult; 0 is success
  using DevicePointer = unsigned long long;

  // Loads the library, initialises it and retains the primary context of device 0 on this thread.
  // Unimplemented (exit code 5) where there is no library, no device, or a driver too old. A test
  // names a library of its own.
  static absl::StatusOr<std::shared_ptr<const CudaDriver>> Load(
      const std::string& library = kLibrary);
  ~CudaDriver();
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  const std::string& device_name() const { return device_name_; }
  // As cuDriverGetVersion has it: 12040 is 12.4.
  int version() const { return version_; }

  // What a call returned, in words: "cuMemAlloc(64 bytes): CUDA_ERROR_OUT_OF_MEMORY".
  absl::Status ToStatus(Result result, absl::string_view call) const;

  // cuCtxSetCurrent of the device's context: for threads other than the one that loaded it.
  absl::Status Use() const;

  Result (*mem_alloc)(DevicePointer*, size_t) = nullptr;
  Result (*mem_free)(DevicePointer) = nullptr;
  Result (*copy_to_device)(DevicePointer, const void*, size_t) = nullptr;
  Result (*copy_to_host)(void*, DevicePointer, size_t) = nullptr;
  // Missing before CUDA 11.7.
  Result (*range_handle)(void*, DevicePointer, size_t, int, unsigned long long) = nullptr;

 private:
  struct Close {
    void operator()(void* library) const;
  };

  explicit CudaDriver(void* library) : library_(library) {}
  absl::Status Resolve();
  absl::Status Start();
  template <typename Function>
  absl::Status Find(Function& function, const char* name);

  std::unique_ptr<void, Close> library_;
  Result (*init_)(unsigned) = nullptr;
  Result (*driver_version_)(int*) = nullptr;
  Result (*device_count_)(int*) = nullptr;
  Result (*device_get_)(int*, int) = nullptr;
  Result (*device_name_of_)(char*, int, int) = nullptr;
  Result (*context_retain_)(void**, int) = nullptr;
  Result (*context_release_)(int) = nullptr;
  Result (*context_use_)(void*) = nullptr;
  Result (*error_name_)(Result, const char**) = nullptr;
  void* context_ = nullptr;
  int device_ = 0;
  int version_ = 0;
  std::string device_name_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_CUDA_DRIVER_H_
