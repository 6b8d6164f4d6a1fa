#include "engine/run/counters_export.h"

#include <string>

#include "absl/strings/string_view.h"
#include "engine/rendezvous/reasons.h"

namespace rdmalab {
namespace {

std::string Text(absl::string_view name) { return std::string(name.data(), name.size()); }

int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

}  // namespace

void ConsumerCounters::Count(const std::string& arm, const GetOutcome& outcome) {
  const Counters::Labels labels = {{"role", "consumer"},
                                   {"arm", arm},
                                   {"path", outcome.rdma ? "rdma" : "chunked"},
                                   {"reason", Text(Name(outcome.reason))},
                                   {"result", outcome.error.ok() ? "ok" : "error"}};
  counters_.Get("rdmalab_gets", "gets by arm, path, reason and result", labels).Add(1);
  counters_.Get("rdmalab_get_bytes", "payload bytes that gets brought", {{"role", "consumer"}})
      .Add(Signed(outcome.bytes));
  counters_.Get("rdmalab_chunks", "chunks pulled", {{"role", "consumer"}}).Add(outcome.chunks);
}

void ConsumerCounters::Renewed(uint64_t renewals) {
  counters_
      .Get("rdmalab_lease_renewals", "leases renewed while a get went on", {{"role", "consumer"}})
      .Add(Signed(renewals));
}

void ExportOwner(const OwnerCounters& owner, uint64_t am_failures, Counters& counters) {
  const auto add = [&counters](const char* name, const char* help, uint64_t value) {
    counters.Get(name, help, {{"role", "owner"}}).Add(Signed(value));
  };
  add("rdmalab_acquires", "acquires answered with an offer", owner.acquires);
  for (size_t i = 0; i < owner.offers.size(); ++i) {
    const auto refusal = static_cast<Refusal>(i);
    counters
        .Get("rdmalab_offers", "offers by the owner's reason not to offer RDMA; none: RDMA offered",
             {{"role", "owner"}, {"refusal", Text(Name(refusal))}})
        .Add(Signed(owner.offers[i]));
  }
  add("rdmalab_chunks", "chunks pulled", owner.pulls);
  add("rdmalab_chunk_bytes", "payload bytes sent as chunks", owner.pulled_bytes);
  add("rdmalab_lease_renewals", "leases renewed while a get went on", owner.leases_renewed);
  add("rdmalab_leases_ended", "leases ended by detach or release", owner.leases_ended);
  add("rdmalab_leases_expired", "leases taken back by the reaper", owner.leases_expired);
  add("rdmalab_leases_dropped", "leases still there when a block was staged", owner.leases_dropped);
  add("rdmalab_stale_requests", "requests under a lease that is not known", owner.stale_requests);
  add("rdmalab_control_failures", "control messages that were broken or not answered", am_failures);
}

}  // namespace rdmalab
