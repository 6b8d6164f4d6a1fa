#include "engine/operations/cell_protocol.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/json_object.h"
#include "engine/base/json_text.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

using nlohmann::json;

constexpr int64_t kMaxId = std::numeric_limits<int>::max();
// The codes of absl::StatusCode, which are those of gRPC and do not change.
constexpr int64_t kLargestCode = 16;

absl::StatusOr<json> Parse(absl::Span<const uint8_t> frame) {
  absl::StatusOr<json> value = ParseJson(std::string(frame.begin(), frame.end()));
  if (!value.ok()) return absl::DataLossError(std::string(value.status().message()));
  return value;
}

absl::Status AsDataLoss(const absl::Status& status) {
  return status.ok() ? status : absl::DataLossError(std::string(status.message()));
}

json ErrorJson(const absl::Status& error) {
  if (error.ok()) return nullptr;
  return {{"code", static_cast<int>(error.code())}, {"text", std::string(error.message())}};
}

absl::Status ReadError(JsonObject& object, absl::Status& error) {
  if (object.IsNull("error")) return absl::OkStatus();
  JsonObject inner(object.Value("error"), "error");
  const auto code = static_cast<absl::StatusCode>(inner.Integer("code", 1, kLargestCode));
  error = absl::Status(code, inner.String("text"));
  return inner.Finish();
}

}  // namespace

std::string ToText(const OpenRequest& request) {
  return JsonLine({{"cell", request.cell}, {"rep", request.rep}, {"offer", request.offer}});
}

std::string ToText(const OpenAnswer& answer) {
  return JsonLine({{"offer", answer.offer}, {"error", ErrorJson(answer.error)}});
}

std::string ToText(const CloseRequest& request) {
  return JsonLine(
      {{"messages", request.messages.has_value() ? json(*request.messages) : json(nullptr)}});
}

std::string ToText(const CloseAnswer& answer) {
  return JsonLine({{"received", answer.received},
                   {"verified", answer.verified},
                   {"error", ErrorJson(answer.error)},
                   {"counters", json(answer.facts.counters)},
                   {"facts", json(answer.facts.facts)}});
}

absl::StatusOr<OpenRequest> OpenRequestFrom(absl::Span<const uint8_t> frame) {
  ASSIGN_OR_RETURN(const json value, Parse(frame));
  JsonObject object(value, "open");
  OpenRequest request;
  request.cell = static_cast<int>(object.Integer("cell", 0, kMaxId));
  request.rep = static_cast<int>(object.Integer("rep", 0, kMaxId));
  request.offer = object.String("offer");
  RETURN_IF_ERROR(AsDataLoss(object.Finish()));
  return request;
}

absl::StatusOr<OpenAnswer> OpenAnswerFrom(absl::Span<const uint8_t> frame) {
  ASSIGN_OR_RETURN(const json value, Parse(frame));
  JsonObject object(value, "opened");
  OpenAnswer answer;
  answer.offer = object.String("offer");
  RETURN_IF_ERROR(AsDataLoss(ReadError(object, answer.error)));
  RETURN_IF_ERROR(AsDataLoss(object.Finish()));
  return answer;
}

absl::StatusOr<CloseRequest> CloseRequestFrom(absl::Span<const uint8_t> frame) {
  ASSIGN_OR_RETURN(const json value, Parse(frame));
  JsonObject object(value, "close");
  CloseRequest request;
  if (!object.IsNull("messages")) request.messages = object.Unsigned64("messages");
  RETURN_IF_ERROR(AsDataLoss(object.Finish()));
  return request;
}

absl::StatusOr<CloseAnswer> CloseAnswerFrom(absl::Span<const uint8_t> frame) {
  ASSIGN_OR_RETURN(const json value, Parse(frame));
  JsonObject object(value, "closed");
  CloseAnswer answer;
  answer.received = object.Unsigned64("received");
  answer.verified = object.Bool("verified");
  RETURN_IF_ERROR(AsDataLoss(ReadError(object, answer.error)));
  const json& counters = object.Value("counters");
  answer.facts.facts = object.StringMap("facts");
  RETURN_IF_ERROR(AsDataLoss(object.Finish()));
  for (const auto& [name, count] : counters.items()) {
    if (count.is_number_integer()) answer.facts.counters[name] = count.get<int64_t>();
  }
  return answer;
}

}  // namespace rdmalab
