#include "engine/testing/program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "engine/base/clock.h"
#include "engine/base/deadline.h"
#include "engine/base/file_descriptor.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Pipe MakePipe() {
  std::array<int, 2> ends = {-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) ADD_FAILURE() << "pipe2: " << std::strerror(errno);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// The child's pid with its stdout and stderr on the pipes, or -1.
pid_t Start(const std::vector<std::string>& argv, const Pipe& out, const Pipe& err) {
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end.get(), STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  ADD_FAILURE() << argv[0] << ": " << std::strerror(error);
  return -1;
}

// Appends what is there; closes the end when the writer has.
void Drain(FileDescriptor& from, std::string& to) {
  std::array<char, 4096> piece;
  const ssize_t got = read(from.get(), piece.data(), piece.size());
  if (got > 0) {
    to.append(piece.data(), static_cast<size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    from.Close();
  }
}

// Reads both ends until they are closed; false at the deadline.
bool ReadAll(FileDescriptor& out, FileDescriptor& err, const Deadline& deadline, ProgramEnd& end) {
  while (out.valid() || err.valid()) {
    std::array<pollfd, 2> watched = {pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}};
    if (deadline.Expired()) return false;
    if (poll(watched.data(), watched.size(), deadline.RemainingPollMs()) < 0) continue;
    if (watched[0].revents != 0) Drain(out, end.out);
    if (watched[1].revents != 0) Drain(err, end.err);
  }
  return true;
}

}  // namespace

ProgramEnd RunProgram(const std::vector<std::string>& argv, absl::Duration deadline) {
  ProgramEnd end;
  Pipe out = MakePipe();
  Pipe err = MakePipe();
  const pid_t pid = Start(argv, out, err);
  if (pid < 0) return end;
  out.write_end.Close();
  err.write_end.Close();
  // A program that closes its outputs and goes on is not one of ours.
  const Deadline until = Deadline::After(Clock::MonotonicRaw(), deadline);
  if (!ReadAll(out.read_end, err.read_end, until, end)) {
    ADD_FAILURE() << argv[0] << " did not end in " << deadline << "; stderr so far: " << end.err;
    kill(pid, SIGKILL);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) end.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

std::string DataPath(const std::string& path) {
  const char* const sources = std::getenv("TEST_SRCDIR");
  const char* const workspace = std::getenv("TEST_WORKSPACE");
  if (sources == nullptr || workspace == nullptr) return path;
  return std::string(sources) + "/" + workspace + "/" + path;
}

}  // namespace rdmalab
