// The engine: one binary for all roles. engine/run/engine.h reads the command line and runs the
// role; docs/formats.md has the contract.
#include <string>
#include <vector>

#include "engine/base/stop_signal.h"
#include "engine/run/engine.h"

int main(int argc, char** argv) {
  rdmalab::StopSignal::Install();
  return rdmalab::RunEngine(std::vector<std::string>(argv + 1, argv + argc));
}
