// Cards in a folder that both processes see (`--exchange=dir:PATH`), possibly over NFS: a card is
// written under a temporary name, synced and renamed, so a reader sees all of it or nothing; the
// reader lists the folder before it opens a name, so that a cached "no such file" is asked again.
#ifndef RDMALAB_ENGINE_EXCHANGE_CARD_FOLDER_H_
#define RDMALAB_ENGINE_EXCHANGE_CARD_FOLDER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/deadline.h"
#include "engine/exchange/card.h"

namespace rdmalab {

// Writes PATH/<role>.json; makes the folder if it is not there. A card that is already there is
// replaced: whether it is of this run is for its reader to see.
absl::Status PublishCard(const std::string& folder, const Card& card);

// Removes what PublishCard wrote, if it is still of this run: a later run finds the folder empty.
void WithdrawCard(const std::string& folder, const Card& card);

// Waits for the card of the other role and checks it against `mine`. A card of another run is not
// fatal before the deadline, because its writer may be about to replace it; after it, the message
// names it. DeadlineExceeded when there was none.
absl::StatusOr<Card> AwaitCard(const std::string& folder, const std::string& role, const Card& mine,
                               const Deadline& deadline);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_EXCHANGE_CARD_FOLDER_H_
