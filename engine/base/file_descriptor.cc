#include "engine/base/file_descriptor.h"

#include <unistd.h>

namespace rdmalab {

void FileDescriptor::Close() {
  // Not repeated on EINTR: Linux has closed the descriptor then, and its number may be another's
  // already.
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace rdmalab
