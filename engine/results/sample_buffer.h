// Samples of one block in memory that is there beforehand, so that taking one allocates nothing.
//
//   SampleBuffer<RendezvousSample> buffer(largest_block);
//   RendezvousSample& sample = buffer.Next();    // inside the measuring loop
//   ...
//   file.WriteBlock(buffer.samples(), ...);      // between blocks
//   buffer.Clear();
#ifndef RDMALAB_ENGINE_RESULTS_SAMPLE_BUFFER_H_
#define RDMALAB_ENGINE_RESULTS_SAMPLE_BUFFER_H_

#include <cassert>
#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace rdmalab {

template <typename Sample>
class SampleBuffer {
 public:
  // Touches all of its memory, so that no page fault is left for the timed part.
  explicit SampleBuffer(size_t capacity) : samples_(capacity) {}

  // The next sample with its initial values. At most `capacity` between two calls of Clear.
  Sample& Next() {
    assert(used_ < samples_.size());
    return samples_[used_++];
  }

  absl::Span<const Sample> samples() const { return absl::MakeConstSpan(samples_.data(), used_); }
  size_t capacity() const { return samples_.size(); }

  void Clear() {
    for (size_t i = 0; i < used_; ++i) samples_[i] = Sample{};
    used_ = 0;
  }

 private:
  std::vector<Sample> samples_;
  size_t used_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_SAMPLE_BUFFER_H_
