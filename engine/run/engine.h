// What main does: reads the command line, runs the role, writes the end, and gives the exit code.
#ifndef RDMALAB_ENGINE_RUN_ENGINE_H_
#define RDMALAB_ENGINE_RUN_ENGINE_H_

#include <string>
#include <vector>

namespace rdmalab {

// `arguments` without the program's name; StopSignal::Install has been called.
int RunEngine(const std::vector<std::string>& arguments);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_ENGINE_H_
