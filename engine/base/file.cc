#include "engine/base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

constexpr mode_t kNewFileMode = 0644;
constexpr size_t kReadPieceBytes = 64 * 1024;

// `call` took place on `path` and set errno.
absl::Status CallFailed(absl::string_view call, const std::string& path) {
  const int error = errno;
  return absl::ErrnoToStatus(error, absl::StrCat(call, "(", path, ")"));
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::Status WriteTemporary(const std::string& temporary, absl::string_view content) {
  ASSIGN_OR_RETURN(const FileDescriptor fd, OpenFile(temporary, O_WRONLY | O_CREAT | O_TRUNC));
  RETURN_IF_ERROR(WriteFully(fd, content, temporary));
  return SyncFile(fd, temporary);
}

}  // namespace

absl::StatusOr<FileDescriptor> OpenFile(const std::string& path, int flags) {
  FileDescriptor fd(::open(path.c_str(), flags | O_CLOEXEC, kNewFileMode));
  if (!fd.valid()) return CallFailed("open", path);
  return fd;
}

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  ASSIGN_OR_RETURN(const FileDescriptor fd, OpenFile(path, O_RDONLY));
  std::string content;
  std::array<char, kReadPieceBytes> piece;
  while (true) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got == 0) return content;
    if (got < 0) {
      if (errno == EINTR) continue;
      return CallFailed("read", path);
    }
    content.append(piece.data(), static_cast<size_t>(got));
    if (content.size() > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": longer than the ", max_bytes, " bytes allowed"));
    }
  }
}

absl::Status WriteFully(const FileDescriptor& fd, absl::string_view data, const std::string& path) {
  while (!data.empty()) {
    const ssize_t written = ::write(fd.get(), data.data(), data.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return CallFailed("write", path);
    }
    data.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status SyncFile(const FileDescriptor& fd, const std::string& path) {
  return ::fsync(fd.get()) == 0 ? absl::OkStatus() : CallFailed("fsync", path);
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view content) {
  const std::string temporary = absl::StrCat(path, ".", ::getpid(), ".tmp");
  absl::Status written = WriteTemporary(temporary, content);
  if (written.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written = CallFailed("rename", path);
  }
  if (!written.ok()) {
    ::unlink(temporary.c_str());
    return written;
  }
  const std::string folder = FolderOf(path);
  ASSIGN_OR_RETURN(const FileDescriptor fd, OpenFile(folder, O_RDONLY | O_DIRECTORY));
  return SyncFile(fd, folder);
}

}  // namespace rdmalab
