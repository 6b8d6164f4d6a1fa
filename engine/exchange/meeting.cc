#include "engine/exchange/meeting.h"

#include <optional>
#include <thread>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "engine/base/deadline.h"
#include "engine/base/log.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/exchange/card_folder.h"
#include "engine/exchange/tcp_socket.h"

namespace rdmalab {
namespace {

// A peer that has connected shows its card at once; a stranger that says nothing is not waited for
// as long as the peer is.
constexpr absl::Duration kCardTime = absl::Seconds(5);

// A peer that takes no byte within this time is not told.
constexpr absl::Duration kRefusalTime = absl::Milliseconds(100);

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

absl::Status SendCard(FrameConnection& connection, const Card& card, const Deadline& deadline) {
  return connection.Send(kFrameCard, Bytes(CardToJson(card)), {}, deadline);
}

// Nothing is measured yet: sleeping between looks is fine here.
absl::StatusOr<Card> ReceiveCard(FrameConnection& connection, const Deadline& deadline) {
  while (true) {
    ASSIGN_OR_RETURN(const auto message, connection.PollMessage());
    if (message.has_value()) {
      if (message->type == kFrameCard) {
        return CardFromJson(std::string(message->payload.begin(), message->payload.end()));
      }
      if (message->type == kFrameRefused) {
        return WithContext(ReadRefusal(message->payload),
                           absl::StrCat("the ", connection.peer(), " refuses"));
      }
      return absl::DataLossError(
          absl::StrCat("the ", connection.peer(), " does not start with its card"));
    }
    RETURN_IF_ERROR(StopSignal::Check());
    if (deadline.Expired()) {
      return absl::DeadlineExceededError(
          absl::StrCat("the ", connection.peer(), " has connected and shows no card"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// One connection: a meeting, nothing (a stranger, already refused), or the end of both.
absl::StatusOr<std::optional<Meeting>> Receive(FileDescriptor socket, const Card& card,
                                               const Deadline& deadline, const Clock& clock) {
  ASSIGN_OR_RETURN(FrameConnection connection,
                   FrameConnection::Create(std::move(socket), "consumer"));
  absl::StatusOr<Card> theirs = ReceiveCard(connection, deadline);
  absl::Status status = theirs.status();
  if (status.ok()) status = CheckCards(card, *theirs, "control connection");
  if (status.ok()) {
    RETURN_IF_ERROR(SendCard(connection, card, deadline));
    return Meeting{.connection = std::move(connection), .peer = *std::move(theirs)};
  }
  SendRefusal(connection, status, clock);
  if (absl::IsCancelled(status)) return status;
  const bool of_this_run = theirs.ok() && theirs->token == card.token;
  if (of_this_run) return status;
  LogWarning("exchange", absl::StrCat("refused a connection: ", status.message()));
  return std::nullopt;
}

absl::StatusOr<FrameConnection> ConnectToOwner(const Exchange& exchange, const Card& card,
                                               const Deadline& deadline) {
  HostPort address;
  WhenRefused when_refused = WhenRefused::kGiveUp;
  if (const auto* dir = std::get_if<DirExchange>(&exchange)) {
    ASSIGN_OR_RETURN(const Card owner, AwaitCard(dir->path, "owner", card, deadline));
    ASSIGN_OR_RETURN(address, ParseHostPort(owner.control));
  } else {
    address = std::get<TcpExchange>(exchange).address;
    when_refused = WhenRefused::kTryAgain;
  }
  absl::StatusOr<FileDescriptor> socket = TcpConnect(address, when_refused, deadline);
  if (!socket.ok()) return WithContext(socket.status(), "connecting to the owner");
  return FrameConnection::Create(*std::move(socket), "owner");
}

}  // namespace

void SendRefusal(FrameConnection& connection, const absl::Status& why, const Clock& clock) {
  const auto code = static_cast<uint8_t>(why.raw_code());
  (void)connection.Send(kFrameRefused, {&code, 1}, Bytes(std::string(why.message())),
                        Deadline::After(clock, kRefusalTime));
}

absl::Status ReadRefusal(absl::Span<const uint8_t> payload) {
  const std::string text(payload.begin() + (payload.empty() ? 0 : 1), payload.end());
  const absl::Status status(static_cast<absl::StatusCode>(payload.empty() ? 0 : payload[0]), text);
  return status.ok() ? absl::UnknownError(text) : status;
}

absl::StatusOr<Meeting> MeetAsOwner(const MeetingOptions& options, Card card, const Clock& clock) {
  const int64_t start_ns = clock.Now();
  const Deadline deadline = Deadline::After(clock, options.timeout);
  const auto* dir = std::get_if<DirExchange>(&options.exchange);
  const HostPort address = dir != nullptr ? HostPort{.host = options.listen, .port = 0}
                                          : std::get<TcpExchange>(options.exchange).address;
  ASSIGN_OR_RETURN(TcpListener listener, TcpListener::Create(address));
  card.control = listener.address().ToString();
  if (dir != nullptr) RETURN_IF_ERROR(PublishCard(dir->path, card));
  const auto withdraw = absl::MakeCleanup([dir, &card] {
    if (dir != nullptr) WithdrawCard(dir->path, card);
  });
  while (true) {
    ASSIGN_OR_RETURN(FileDescriptor socket, listener.Accept(deadline));
    ASSIGN_OR_RETURN(std::optional<Meeting> meeting,
                     Receive(std::move(socket), card, deadline.AtMost(kCardTime), clock));
    if (!meeting.has_value()) continue;
    meeting->waited_ns = clock.Now() - start_ns;
    return *std::move(meeting);
  }
}

absl::StatusOr<Meeting> MeetAsConsumer(const MeetingOptions& options, const Card& card,
                                       const Clock& clock) {
  const int64_t start_ns = clock.Now();
  const Deadline deadline = Deadline::After(clock, options.timeout);
  ASSIGN_OR_RETURN(FrameConnection connection, ConnectToOwner(options.exchange, card, deadline));
  RETURN_IF_ERROR(SendCard(connection, card, deadline));
  ASSIGN_OR_RETURN(Card owner, ReceiveCard(connection, deadline));
  RETURN_IF_ERROR(CheckCards(card, owner, "control connection"));
  return Meeting{.connection = std::move(connection),
                 .peer = std::move(owner),
                 .waited_ns = clock.Now() - start_ns};
}

}  // namespace rdmalab
