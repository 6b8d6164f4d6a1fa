// Runs a real program to its end, for black-box tests: what it wrote, how it ended, never longer
// than a deadline.
#ifndef RDMALAB_ENGINE_TESTING_PROGRAM_H_
#define RDMALAB_ENGINE_TESTING_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace rdmalab {

struct ProgramEnd {
  int exit = -1;   // -1: it did not exit by itself
  int signal = 0;  // that ended it; SIGKILL also when the deadline did
  std::string out;
  std::string err;
};

// `argv[0]` is a path, or a name to look up. Environment and working folder are this test's. Fails
// the test if the program cannot be started or has to be killed.
ProgramEnd RunProgram(const std::vector<std::string>& argv,
                      absl::Duration deadline = absl::Seconds(30));

// The path of a file that the test's BUILD target lists under `data`, such as
// "engine/rdmalab_engine".
std::string DataPath(const std::string& path);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_TESTING_PROGRAM_H_
