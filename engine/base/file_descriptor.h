// A file descriptor that closes itself.
#ifndef RDMALAB_ENGINE_BASE_FILE_DESCRIPTOR_H_
#define RDMALAB_ENGINE_BASE_FILE_DESCRIPTOR_H_

#include <utility>

namespace rdmalab {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  // Takes over `fd`; a negative one stands for none.
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

  // Closes now. What was written must have been synced before: an error here is not told.
  void Close();

 private:
  int fd_ = -1;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_FILE_DESCRIPTOR_H_
