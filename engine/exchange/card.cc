#include "engine/exchange/card.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "engine/base/hex.h"
#include "engine/base/json_object.h"
#include "engine/base/json_text.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

constexpr char kFormat[] = "rdmalab.card";

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

absl::Status Differ(const Card& mine, const Card& theirs, absl::string_view what,
                    absl::string_view ours, absl::string_view other) {
  return absl::UnimplementedError(
      absl::StrCat(what, " differs: ", mine.role, " ", ours, ", ", theirs.role, " ", other,
                   "; both sides of a pair run the same engine binary on the same UCX"));
}

}  // namespace

std::string CardToJson(const Card& card) {
  return JsonLine({{"format", kFormat},
                   {"version", 1},
                   {"role", card.role},
                   {"token", card.token},
                   {"protocol", card.protocol},
                   {"plan_sha256", card.plan_sha256},
                   {"binary_sha256", card.binary_sha256},
                   {"ucx_runtime", card.ucx_runtime},
                   {"control", card.control},
                   {"worker_address", ToHex(Bytes(card.worker_address))}});
}

absl::StatusOr<Card> CardFromJson(const std::string& text) {
  const auto lie = [](const absl::Status& status) {
    return absl::DataLossError(absl::StrCat("not a card: ", status.message()));
  };
  const absl::StatusOr<nlohmann::json> json = ParseJson(text);
  if (!json.ok()) return lie(json.status());
  JsonObject fields(*json, "");
  const std::string format = fields.String("format");
  if (fields.ok() && format != kFormat) fields.Fail("format", kFormat);
  fields.Integer("version", 1, 1);
  Card card{.role = fields.String("role"),
            .token = fields.String("token"),
            .protocol = fields.Integer("protocol", 0, 1 << 20),
            .plan_sha256 = fields.String("plan_sha256"),
            .binary_sha256 = fields.String("binary_sha256"),
            .ucx_runtime = fields.String("ucx_runtime"),
            .control = fields.String("control"),
            .worker_address = ""};
  const absl::StatusOr<std::vector<uint8_t>> address = FromHex(fields.String("worker_address"));
  fields.Take(address.status());
  if (absl::Status status = fields.Finish(); !status.ok()) return lie(status);
  card.worker_address.assign(address->begin(), address->end());
  return card;
}

absl::Status CheckCards(const Card& mine, const Card& theirs, const std::string& from) {
  if (theirs.token != mine.token) {
    return absl::PermissionDeniedError(
        absl::StrCat(from, ": the ", theirs.role, "'s card is of another run (token ", theirs.token,
                     ", this run has ", mine.token, "); give each run an exchange of its own"));
  }
  if (theirs.role == mine.role) {
    return absl::InvalidArgumentError(
        absl::StrCat(from, ": both sides say they are the ", mine.role));
  }
  if (theirs.protocol != mine.protocol) {
    return Differ(mine, theirs, "control protocol", absl::StrCat(mine.protocol),
                  absl::StrCat(theirs.protocol));
  }
  if (theirs.binary_sha256 != mine.binary_sha256) {
    return Differ(mine, theirs, "engine binary (SHA-256)", mine.binary_sha256,
                  theirs.binary_sha256);
  }
  if (theirs.ucx_runtime != mine.ucx_runtime) {
    return Differ(mine, theirs, "UCX run time", mine.ucx_runtime, theirs.ucx_runtime);
  }
  if (theirs.plan_sha256 != mine.plan_sha256) {
    return absl::InvalidArgumentError(absl::StrCat("plan digest differs: ", mine.role, " ",
                                                   mine.plan_sha256, ", ", theirs.role, " ",
                                                   theirs.plan_sha256));
  }
  return absl::OkStatus();
}

}  // namespace rdmalab
