// The numbers under which control messages travel: frame types of the TCP connection, identifiers
// of UCX active messages. The payload of a frame, or the header of an active message, is the
// record of messages.h; a descriptor or chunk follows as rest of the frame, or as the message's
// data.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_WIRE_H_
#define RDMALAB_ENGINE_RENDEZVOUS_WIRE_H_

#include <cstdint>

#include "engine/exchange/meeting.h"

namespace rdmalab {

inline constexpr uint16_t kFrameRequest = kFirstSessionFrame;
inline constexpr uint16_t kFrameReply = kFirstSessionFrame + 1;
inline constexpr uint16_t kFirstOrchestrationFrame = kFirstSessionFrame + 16;

inline constexpr unsigned kAmRequest = 1;
inline constexpr unsigned kAmReply = 2;

// Requests whose sequence has this bit are sent without anybody waiting for their reply.
inline constexpr uint32_t kNobodyWaits = uint32_t{1} << 31;

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_WIRE_H_
