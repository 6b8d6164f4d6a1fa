#include "engine/rendezvous/control_channel.h"

#include "engine/base/status.h"

namespace rdmalab {

absl::StatusOr<ControlChannel::Received> Call(ControlChannel& channel, Request request,
                                              ucx::Patience& patience) {
  request.sequence = channel.NextSequence();
  RETURN_IF_ERROR(channel.Send(request, patience));
  while (true) {
    ASSIGN_OR_RETURN(const ControlChannel::Received* received, channel.Poll());
    if (received != nullptr && received->reply.sequence == request.sequence) return *received;
    if (!patience.Spin()) return patience.verdict();
  }
}

}  // namespace rdmalab
