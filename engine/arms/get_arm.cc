#include "engine/arms/get_arm.h"

#include <cstring>

#include "engine/arms/piece_copy.h"
#include "engine/base/page_faults.h"
#include "engine/base/status.h"
#include "engine/ucx/get.h"

namespace rdmalab {
namespace {

// What chunks that are still under way after a failed get may take, and then their end by force.
constexpr absl::Duration kStrayTime = absl::Seconds(2);

std::optional<int64_t> Spent(const PhaseWatch& watch, Phase phase, bool all_reached) {
  if (!all_reached && !watch.entered(phase)) return std::nullopt;
  return watch.spent_ns(phase);
}

absl::string_view KeyBytes(const Descriptor& descriptor) {
  return {reinterpret_cast<const char*>(descriptor.key.data()), descriptor.key.size()};
}

}  // namespace

ucx::Patience GetArm::Patience() const {
  return ucx::Patience(Deadline::After(environment_.clock, environment_.timeout),
                       {.liveness = environment_.keeper.liveness()});
}

absl::Status GetArm::Connect() {
  absl::Status status;
  executor_.Run([&] {
    ucx::Patience patience = Patience();
    status = link_.Connect(patience);
  });
  return status;
}

absl::Status GetArm::Prepare(size_t bytes) {
  bytes_ = bytes;
  offer_.reset();
  environment_.puller.Reserve(bytes / spec_.chunk_bytes + 1);
  ASSIGN_OR_RETURN(landing_, Landing::Create(environment_.memory, spec_, bytes));
  return absl::OkStatus();
}

GetOutcome GetArm::Get(uint32_t slot) {
  GetOutcome outcome;
  abandoned_before_ = ucx::Request::abandoned();
  int64_t faults = 0;
  executor_.Run([&faults] { faults = MinorFaultsOfThisThread(); });
  const uint64_t registrations = environment_.registrar.registrations();
  outcome.start_utc_ns = UtcNowNs();

  const bool wireup_first = spec_.control_over_am && !link_.connected();
  PhaseWatch watch(environment_.clock, wireup_first ? Phase::kWireup : Phase::kAcquire);
  executor_.Run([&] { outcome.error = Transfer(slot, watch, outcome); });
  watch.Stop();

  outcome.registrations =
      static_cast<int64_t>(environment_.registrar.registrations() - registrations);
  executor_.Run([&faults] { faults = MinorFaultsOfThisThread() - faults; });
  outcome.minor_faults = faults;
  outcome.error_phase = watch.phase();
  outcome.start_ns = watch.start_ns();
  const bool done = outcome.error.ok();
  outcome.wireup_ns = watch.spent_ns(Phase::kWireup);  // none needed is none spent
  outcome.acquire_ns = Spent(watch, Phase::kAcquire, done);
  outcome.transfer_ns = Spent(watch, Phase::kTransfer, done);
  outcome.copy_ns = Spent(watch, Phase::kCopy, done);
  if (!done) WaitForStrayChunks();
  return outcome;
}

// The whole timed part. Errors end it where they are; the phase they fell into is the watch's.
absl::Status GetArm::Transfer(uint32_t slot, PhaseWatch& watch, GetOutcome& outcome) {
  ucx::Patience patience = Patience();
  if (watch.phase() == Phase::kWireup) {
    RETURN_IF_ERROR(link_.Connect(patience));
    watch.Enter(Phase::kAcquire);
  }
  RETURN_IF_ERROR(Acquire(slot, patience, outcome));
  if (descriptor_.has_value()) {
    absl::Status read = absl::OkStatus();
    if (!link_.connected()) read = ConnectIn(watch, patience);
    if (read.ok()) {
      watch.Enter(Phase::kTransfer);
      read = Read(watch, patience);
    }
    if (read.ok()) {
      outcome.rdma = true;
      outcome.bytes = bytes_;
      return absl::OkStatus();
    }
    outcome.fallback_cause = read;
    outcome.reason = Reason::kGetFailed;
    RETURN_IF_ERROR(FallBack(read, patience));
  }
  watch.Enter(Phase::kTransfer);
  return PullChunks(slot, patience, outcome);
}

absl::Status GetArm::ConnectIn(PhaseWatch& watch, ucx::Patience& patience) {
  watch.Enter(Phase::kWireup);
  return link_.Connect(patience);
}

absl::Status GetArm::Acquire(uint32_t slot, ucx::Patience& patience, GetOutcome& outcome) {
  descriptor_.reset();
  ASSIGN_OR_RETURN(const ControlChannel::Received received,
                   Call(link_.control(),
                        {.kind = RequestKind::kAcquire, .slot = slot, .length = bytes_}, patience));
  const Reply& reply = received.reply;
  if (reply.kind != ReplyKind::kReady && reply.kind != ReplyKind::kRdma) {
    return absl::AbortedError("the owner does not have this payload");
  }
  if (reply.length != bytes_) return absl::DataLossError("the owner offers another length");
  offer_ = reply;
  environment_.keeper.Hold(link_.control(), reply);
  ReadOffer(received, outcome);
  return absl::OkStatus();
}

// Decides the path. What speaks against the read is a reason, not an error: the chunks are there.
void GetArm::ReadOffer(const ControlChannel::Received& received, GetOutcome& outcome) {
  const Reply& reply = received.reply;
  outcome.refusal = reply.refusal;
  outcome.pinned = reply.pinned;
  outcome.staging_reason = reply.staging_reason;
  if (spec_.asks_for_rdma && reply.refusal == Refusal::kKillSwitch) {
    outcome.reason = Reason::kKillSwitch;
  }
  if (reply.kind != ReplyKind::kRdma) return;
  absl::StatusOr<Descriptor> descriptor =
      DecodeDescriptor(received.data, {.generation = reply.generation, .length = reply.length});
  if (!descriptor.ok()) {
    outcome.reason = Reason::kDecodeError;
    outcome.fallback_cause = descriptor.status();
    return;
  }
  if (const auto md_map = ucx::MdMapOfKey(KeyBytes(*descriptor)); md_map.ok()) {
    outcome.md_map = *md_map;
  }
  if (landing_->read_into().empty()) {
    outcome.reason = Reason::kPoolExhausted;
    return;
  }
  descriptor_ = *descriptor;
}

absl::Status GetArm::Read(PhaseWatch& watch, ucx::Patience& patience) {
  ucx::Endpoint& endpoint = link_.endpoint();
  ASSIGN_OR_RETURN(const ucx::RemoteKey* key, link_.keys().Find(KeyBytes(*descriptor_)));
  if (landing_->copies() && spec_.overlapped_copy) {
    RETURN_IF_ERROR(landing_->Allocate());
    return CopyByPieces(endpoint,
                        {.remote_address = descriptor_->address,
                         .key = *key,
                         .bounce = landing_->read_into(),
                         .registered = landing_->read_registration(),
                         .piece_bytes = spec_.piece_bytes},
                        landing_->destination(), patience, watch);
  }
  ucx::Request get = ucx::Get(endpoint, {.to = landing_->read_into().data(),
                                         .bytes = bytes_,
                                         .remote_address = descriptor_->address,
                                         .key = *key,
                                         .registered = landing_->read_registration()});
  RETURN_IF_ERROR(endpoint.Finish(get, patience));
  if (landing_->copies()) {
    watch.Enter(Phase::kCopy);
    RETURN_IF_ERROR(landing_->Allocate());
    std::memcpy(landing_->destination().data(), landing_->read_into().data(), bytes_);
  }
  return absl::OkStatus();
}

// OK when chunks may still bring the payload: the owner lives and there is time left. Control
// messages over active messages need an endpoint that works.
absl::Status GetArm::FallBack(const absl::Status& cause, ucx::Patience& patience) {
  if (absl::IsDeadlineExceeded(cause) || absl::IsCancelled(cause) || UcxStillWrites()) return cause;
  const ucx::Liveness liveness = environment_.keeper.liveness();
  environment_.keeper.Drop();
  RETURN_IF_ERROR(liveness.look(liveness.self));
  if (link_.control_over_am() && !link_.connected()) RETURN_IF_ERROR(link_.Connect(patience));
  environment_.keeper.Hold(link_.control(), *offer_);
  return absl::OkStatus();
}

absl::Status GetArm::PullChunks(uint32_t slot, ucx::Patience& patience, GetOutcome& outcome) {
  RETURN_IF_ERROR(landing_->Allocate());
  ASSIGN_OR_RETURN(outcome.chunks,
                   environment_.puller.Pull(link_.control(),
                                            {.slot = slot,
                                             .lease = offer_->lease,
                                             .generation = offer_->generation,
                                             .chunk_bytes = spec_.chunk_bytes,
                                             .depth = spec_.depth,
                                             .registered = landing_->destination_registration()},
                                            landing_->destination(), patience));
  outcome.bytes = bytes_;
  return absl::OkStatus();
}

// The destination is freed or used again after this: nobody may write to it any more, also not an
// owner that is stopped now and goes on later.
void GetArm::WaitForStrayChunks() {
  if (!link_.control_over_am()) return;
  const auto arrived = [this] {
    const Deadline deadline = Deadline::After(environment_.clock, kStrayTime);
    while (link_.inbox().Receiving() && !deadline.Expired()) link_.inbox().worker().Progress();
    return !link_.inbox().Receiving();
  };
  executor_.Run([&] {
    if (arrived()) return;
    link_.Break();
    (void)arrived();
  });
}

void GetArm::Release(GetOutcome& outcome) {
  environment_.keeper.Drop();
  if (!offer_.has_value()) return;
  const Reply offer = *offer_;
  offer_.reset();
  // The reaper will see to it; an owner that let the get's deadline pass would let this one pass
  // too.
  if (link_.control_over_am() && !link_.connected()) return;
  if (absl::IsDeadlineExceeded(outcome.error)) return;
  const int64_t start_ns = environment_.clock.Now();
  absl::Status status;
  executor_.Run([&] {
    ucx::Patience patience = Patience();
    status = Call(link_.control(),
                  {.kind = outcome.rdma ? RequestKind::kDetach : RequestKind::kRelease,
                   .lease = offer.lease,
                   .generation = offer.generation},
                  patience)
                 .status();
  });
  outcome.release_ns = environment_.clock.Now() - start_ns;
  if (status.ok()) return;
  // An owner that is lost matters more than what the get met before: no other may follow.
  const bool lost = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
  if (!outcome.error.ok() && !lost) return;
  outcome.error = outcome.error.ok() ? status : WithContext(status, outcome.error.message());
  outcome.error_phase = Phase::kRelease;
}

// A read or a chunk that did not end with the get, on a lane where nothing ends it by force.
bool GetArm::UcxStillWrites() const {
  return ucx::Request::abandoned() != abandoned_before_ || link_.inbox().Receiving();
}

void GetArm::Finish() {
  if (landing_.has_value() && UcxStillWrites()) environment_.memory.Withhold(*std::move(landing_));
  landing_.reset();
}

}  // namespace rdmalab
