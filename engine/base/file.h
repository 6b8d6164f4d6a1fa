// Whole files: read, write durably, replace atomically. Each error names the call and the path.
#ifndef RDMALAB_ENGINE_BASE_FILE_H_
#define RDMALAB_ENGINE_BASE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/base/file_descriptor.h"

namespace rdmalab {

// Opens with O_CLOEXEC added to `flags`; a file made here gets mode 0644.
absl::StatusOr<FileDescriptor> OpenFile(const std::string& path, int flags);

// ResourceExhausted if the file is longer than `max_bytes`; works for /proc and /sys, which tell no
// size.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes = size_t{1} << 30);

// Writes all of `data`, through interruptions and short writes. `path` is for messages.
absl::Status WriteFully(const FileDescriptor& fd, absl::string_view data, const std::string& path);

// fsync(2).
absl::Status SyncFile(const FileDescriptor& fd, const std::string& path);

// A reader of `path` sees the old content or all of the new one, also after a crash: writes a
// temporary name beside it, syncs, renames, syncs the folder.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view content);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_FILE_H_
