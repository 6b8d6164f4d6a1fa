// The contract between the operations engine and a library that moves bytes: `ucx` and `verbs`.
//
// Per cell each side opens a link, tells the peer its offer, connects to the peer's, and then the
// consumer measures while the owner serves:
//
//   consumer                         owner
//   link = Open(spec, memory)
//   link.offer()  ---- open ---->    link = Open(spec, memory)
//                                    link.Connect(offer)
//   link.Connect(offer) <- opened -  link.offer()
//   link.Measure(...)                link.Serve(until closed)
//   measured      ---- close --->
//                 <--- closed ---    received, verified
#ifndef RDMALAB_ENGINE_OPERATIONS_BACKEND_H_
#define RDMALAB_ENGINE_OPERATIONS_BACKEND_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/base/clock.h"
#include "engine/base/deadline.h"
#include "engine/memory/operation_memory.h"
#include "engine/operations/cell_spec.h"
#include "engine/operations/measured.h"
#include "engine/operations/working_set.h"

namespace rdmalab {

enum class Side { kOwner, kConsumer };

// What a link has counted and how it is made, for the sample.
struct LinkFacts {
  std::map<std::string, int64_t> counters;
  std::map<std::string, std::string> facts;
};

struct MeasureContext {
  const Clock& clock;
  absl::Duration patience;                 // without a completion
  absl::FunctionRef<absl::Status()> look;  // at the peer and for a signal; cheap
};

class OperationLink {
 public:
  virtual ~OperationLink() = default;

  // What the peer needs: one line of JSON.
  virtual const std::string& offer() const = 0;
  virtual absl::Status Connect(const std::string& peer_offer, const Deadline& deadline) = 0;

  // The consumer: runs the cell's loop. On an error nothing is in flight any more.
  virtual absl::Status Measure(const MeasureContext& context, Measured& measured) = 0;

  // The owner: one turn; while it sleeps, a look at the connection now and then. False: there was
  // nothing to do, and nothing may come for a while.
  virtual absl::StatusOr<bool> Serve() = 0;
  // The owner: messages received so far.
  virtual uint64_t received() const = 0;

  // The owner: true where its CPU takes no part, so that it may sleep while the consumer measures.
  virtual bool sleeps() const = 0;

  virtual LinkFacts Facts() const = 0;
};

class OperationBackend {
 public:
  virtual ~OperationBackend() = default;

  virtual absl::string_view name() const = 0;
  // One turn of the library while no link is open: connections are made and closed by it.
  virtual void Progress() = 0;
  // Lets go of the peer, while it still answers.
  virtual absl::Status Close(const Deadline& deadline) = 0;
  // `memory` is registered once and stays so as long as the backend lives; it outlives the backend.
  virtual absl::StatusOr<std::unique_ptr<OperationLink>> Open(Side side, const CellSpec& spec,
                                                              const WorkingSet& working_set,
                                                              OperationMemory& memory) = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_BACKEND_H_
