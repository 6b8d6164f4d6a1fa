#include "engine/testing/temporary_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "gtest/gtest.h"

namespace rdmalab {

TemporaryFolder::TemporaryFolder() : path_(testing::TempDir() + "/rdmalab.XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "mkdtemp(" << path_ << ") failed";
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace rdmalab
