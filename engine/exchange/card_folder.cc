#include "engine/exchange/card_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "engine/base/file.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"

namespace rdmalab {
namespace {

namespace fs = std::filesystem;

constexpr absl::Duration kPoll = absl::Milliseconds(25);
constexpr size_t kMaxCardBytes = 60 * 1024;

std::string CardPath(const std::string& folder, const std::string& role) {
  return absl::StrCat(folder, "/", role, ".json");
}

// Lists the whole folder even after the name was found: the listing is what revalidates a cache.
bool Listed(const std::string& folder, const std::string& name) {
  std::error_code error;
  bool found = false;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    found = found || entry->path().filename() == name;
  }
  return found;
}

absl::StatusOr<Card> ReadCard(const std::string& folder, const std::string& role) {
  if (!Listed(folder, role + ".json")) {
    return absl::NotFoundError(absl::StrCat("no ", role, ".json in ", folder));
  }
  ASSIGN_OR_RETURN(const std::string text, ReadFile(CardPath(folder, role), kMaxCardBytes));
  absl::StatusOr<Card> card = CardFromJson(text);
  if (!card.ok()) return WithContext(card.status(), CardPath(folder, role));
  return card;
}

}  // namespace

absl::Status PublishCard(const std::string& folder, const Card& card) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat("exchange folder ", folder, ": ", error.message()));
  }
  return WriteFileAtomically(CardPath(folder, card.role), CardToJson(card) + "\n");
}

void WithdrawCard(const std::string& folder, const Card& card) {
  const absl::StatusOr<Card> there = ReadCard(folder, card.role);
  if (!there.ok() || there->token != card.token) return;
  std::error_code error;
  fs::remove(CardPath(folder, card.role), error);
}

absl::StatusOr<Card> AwaitCard(const std::string& folder, const std::string& role, const Card& mine,
                               const Deadline& deadline) {
  while (true) {
    absl::StatusOr<Card> card = ReadCard(folder, role);
    absl::Status status = card.status();
    if (card.ok()) {
      status = CheckCards(mine, *card, CardPath(folder, role));
      if (status.ok()) return card;
      if (!absl::IsPermissionDenied(status)) return status;
    }
    RETURN_IF_ERROR(StopSignal::Check());
    if (deadline.Expired()) {
      return absl::DeadlineExceededError(
          absl::StrCat("waiting for the ", role, "'s card: ", status.message()));
    }
    std::this_thread::sleep_for(absl::ToChronoNanoseconds(std::min(kPoll, deadline.Remaining())));
  }
}

}  // namespace rdmalab
