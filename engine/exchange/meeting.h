// Owner and consumer meet: the one listens and tells where, the other finds it, both show their
// cards over the control connection, and each refuses by name what does not agree.
//
//   owner:    Meeting meeting = *MeetAsOwner(options, card, deadline);
//   consumer: Meeting meeting = *MeetAsConsumer(options, card, deadline);
//
// All waiting happens here, before the first sample, and is recorded apart.
#ifndef RDMALAB_ENGINE_EXCHANGE_MEETING_H_
#define RDMALAB_ENGINE_EXCHANGE_MEETING_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/base/clock.h"
#include "engine/exchange/address.h"
#include "engine/exchange/card.h"
#include "engine/exchange/frame_connection.h"

namespace rdmalab {

// Frame types of the meeting itself; those of the session start above.
inline constexpr uint16_t kFrameCard = 1;
inline constexpr uint16_t kFirstSessionFrame = 16;

// Tells the peer why this side ends, as far as it still can: the status' code as one byte, then its
// message. Read back with ReadRefusal, which never gives an OK status.
void SendRefusal(FrameConnection& connection, const absl::Status& why, const Clock& clock);
absl::Status ReadRefusal(absl::Span<const uint8_t> payload);

struct MeetingOptions {
  Exchange exchange;
  std::string listen = "127.0.0.1";  // owner, dir exchange: where its control listener binds
  absl::Duration timeout = absl::Seconds(30);
};

struct Meeting {
  FrameConnection connection;
  Card peer;
  int64_t waited_ns = 0;  // for the peer to appear
};

// A stranger (another token) is refused by name and waited past; a peer of this run that does not
// agree ends both. `card.control` is filled in here.
absl::StatusOr<Meeting> MeetAsOwner(const MeetingOptions& options, Card card, const Clock& clock);
absl::StatusOr<Meeting> MeetAsConsumer(const MeetingOptions& options, const Card& card,
                                       const Clock& clock);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_EXCHANGE_MEETING_H_
