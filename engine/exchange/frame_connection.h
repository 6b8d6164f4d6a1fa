// A TCP connection that carries frames: liveness, orchestration and, for `via: tcp`, the control
// messages and chunks of a get. Never blocks in the kernel: whoever waits polls, because a blocking
// wake-up across cores costs more than a small get, and because it may have a UCX worker to drive.
//
// Frame: 8 bytes little-endian header (payload bytes u32, type u16, reserved u16), then the
// payload.
//
// Reading a frame: PollHeader until true, then PollPayload until the frame is used up, in one or
// several parts, each straight into where it belongs. Small frames: PollMessage does both.
#ifndef RDMALAB_ENGINE_EXCHANGE_FRAME_CONNECTION_H_
#define RDMALAB_ENGINE_EXCHANGE_FRAME_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/base/deadline.h"
#include "engine/base/file_descriptor.h"

namespace rdmalab {

struct FrameHeader {
  uint32_t bytes = 0;
  uint16_t type = 0;
};

inline constexpr size_t kFrameHeaderBytes = 8;
// The sender ends, and says why (meeting.h): the one type that the connection itself knows.
inline constexpr uint16_t kFrameRefused = 2;
// The longest payload that PollMessage takes: a card with its worker address is a tenth of it.
inline constexpr size_t kMaxMessageBytes = 60 * 1024;

class FrameConnection {
 public:
  // A connected stream socket; `peer` is what messages call the other side, e.g. "owner".
  static absl::StatusOr<FrameConnection> Create(FileDescriptor socket, std::string peer);

  struct Message {
    uint16_t type = 0;
    absl::Span<const uint8_t> payload;  // valid until the next call
  };

  // Sends one frame whose payload is `head` followed by `body`. While the kernel's buffer is full
  // it calls `while_full` again and again, whose error ends the send. Unavailable: the peer is
  // gone. FailedPrecondition while another frame is being sent (by `while_full`, see sending()) and
  // after one that was cut short: its rest would be taken for this one.
  absl::Status Send(uint16_t type, absl::Span<const uint8_t> head, absl::Span<const uint8_t> body,
                    absl::FunctionRef<absl::Status()> while_full);
  // The same, spinning until the deadline.
  absl::Status Send(uint16_t type, absl::Span<const uint8_t> head, absl::Span<const uint8_t> body,
                    const Deadline& deadline);

  // True inside a Send, and for ever after one that ended in the middle of its frame.
  bool sending() const { return sending_; }

  // Sleeps until something can be read or the time is over; for waits outside timed parts.
  void WaitReadable(absl::Duration at_most) const;

  // True when the header of a next frame stands in header(). DataLoss on a broken header.
  absl::StatusOr<bool> PollHeader();
  const FrameHeader& header() const { return header_; }
  // Bytes of the current frame's payload that have not been asked for yet.
  size_t remaining() const { return remaining_; }
  // Fills `to` with the next to.size() bytes of the frame; true when it is full. Called again with
  // the same span until then. DataLoss when the frame is shorter.
  absl::StatusOr<bool> PollPayload(absl::Span<uint8_t> to);

  // Throws away the rest of the frame; true when it is gone.
  absl::StatusOr<bool> PollSkip();

  // A whole small frame, or nothing yet.
  absl::StatusOr<std::optional<Message>> PollMessage();

  // Before bulk payloads: reads no further than a header, so that no payload is copied twice.
  void ExpectBulk(bool bulk) { expect_bulk_ = bulk; }

  // Cheap and without side effects: Unavailable if the peer has closed or died, whatever stands
  // unread before that, or sent kFrameRefused as its next frame; OK else.
  absl::Status LookAlive() const;

  const std::string& peer() const { return peer_; }

 private:
  FrameConnection(FileDescriptor socket, std::string peer);

  absl::StatusOr<size_t> Receive(uint8_t* to, size_t bytes);
  absl::Status Fill(size_t limit);
  size_t buffered() const { return end_ - begin_; }

  FileDescriptor socket_;
  std::string peer_;
  std::unique_ptr<uint8_t[]> buffer_;
  size_t begin_ = 0;  // of what was received and not used
  size_t end_ = 0;
  bool expect_bulk_ = false;
  bool sending_ = false;
  FrameHeader header_;
  size_t remaining_ = 0;
  size_t filled_ = 0;  // of the span that PollPayload is filling
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_EXCHANGE_FRAME_CONNECTION_H_
