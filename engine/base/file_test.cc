#include "engine/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using testing::HasSubstr;

std::string Path(const std::string& name) { return testing::TempDir() + "/" + name; }

int FilesIn(const std::string& folder) {
  DIR* const open = opendir(folder.c_str());
  int count = 0;
  while (const dirent* entry = readdir(open)) count += entry->d_name[0] != '.';
  closedir(open);
  return count;
}

TEST(File, ReadsBackWhatWasWrittenAtomically) {
  const std::string path = Path("card.json");
  ASSERT_TRUE(WriteFileAtomically(path, "first").ok());
  ASSERT_TRUE(WriteFileAtomically(path, std::string(200'000, 'x')).ok());
  const absl::StatusOr<std::string> content = ReadFile(path);
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(*content, std::string(200'000, 'x'));
}

TEST(File, AtomicWriteLeavesNothingBesideOnFailure) {
  const std::string folder = Path("folder");
  ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
  const std::string target = folder + "/taken";
  ASSERT_EQ(mkdir(target.c_str(), 0755), 0);  // a folder cannot be replaced by a file
  const absl::Status status = WriteFileAtomically(target, "x");
  EXPECT_THAT(std::string(status.message()), HasSubstr("rename(" + target + "): Is a directory"));
  EXPECT_EQ(FilesIn(folder), 1);
}

TEST(File, ErrorsNameCallAndPath) {
  const absl::Status missing = ReadFile("/nowhere/file").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.message(), "open(/nowhere/file): No such file or directory");
  EXPECT_EQ(WriteFileAtomically("/nowhere/file", "").code(), absl::StatusCode::kNotFound);
}

TEST(File, AFullDiskIsAnErrorOfTheWrite) {
  const absl::StatusOr<FileDescriptor> full = OpenFile("/dev/full", O_WRONLY);
  ASSERT_TRUE(full.ok());
  const absl::Status status = WriteFully(*full, "x", "/dev/full");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "write(/dev/full): No space left on device");
}

TEST(File, ReadsProcWhichTellsNoSize) {
  const absl::StatusOr<std::string> status = ReadFile("/proc/self/status");
  ASSERT_TRUE(status.ok());
  EXPECT_THAT(*status, HasSubstr("VmLck:"));
}

TEST(File, RefusesMoreThanAllowed) {
  ASSERT_TRUE(WriteFileAtomically(Path("long"), "12345").ok());
  EXPECT_TRUE(ReadFile(Path("long"), 5).ok());
  EXPECT_EQ(ReadFile(Path("long"), 4).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(FileDescriptor, ClosesOnceAndMoves) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  FileDescriptor read_end(ends[0]);
  {
    FileDescriptor write_end(ends[1]);
    FileDescriptor moved = std::move(write_end);
    EXPECT_TRUE(moved.valid());
    EXPECT_FALSE(write_end.valid());
  }
  char byte;
  EXPECT_EQ(read(read_end.get(), &byte, 1), 0);  // end of file: the writer is gone
}

}  // namespace
}  // namespace rdmalab
