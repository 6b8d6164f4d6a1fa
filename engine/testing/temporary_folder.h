// A folder of its own for each test, gone afterwards.
#ifndef RDMALAB_ENGINE_TESTING_TEMPORARY_FOLDER_H_
#define RDMALAB_ENGINE_TESTING_TEMPORARY_FOLDER_H_

#include <string>

namespace rdmalab {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  // The path of `name` inside.
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_TESTING_TEMPORARY_FOLDER_H_
