#include "engine/base/json_object.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "engine/base/json_text.h"

namespace rdmalab {
namespace {

// Enough of an offending value to recognise it.
constexpr size_t kShownBytes = 60;

const nlohmann::json& Null() {
  static const nlohmann::json* const null = new nlohmann::json;
  return *null;
}

std::string Shown(const nlohmann::json& value) {
  std::string text = JsonLine(value);
  if (text.size() > kShownBytes) text = absl::StrCat(text.substr(0, kShownBytes), "...");
  return text;
}

}  // namespace

std::string IndexPath(absl::string_view path, size_t index) {
  return absl::StrCat(path, "[", index, "]");
}

JsonObject::JsonObject(const nlohmann::json& value, std::string path)
    : value_(value), path_(std::move(path)) {
  if (!value_.is_object()) {
    status_ = absl::InvalidArgumentError(absl::StrCat(path_.empty() ? "the document" : path_, ": ",
                                                      Shown(value_), ": expected an object"));
  }
}

std::string JsonObject::PathOf(absl::string_view key) const {
  return path_.empty() ? std::string(key) : absl::StrCat(path_, ".", key);
}

bool JsonObject::Has(const std::string& key) const {
  return value_.is_object() && value_.contains(key);
}

void JsonObject::Fail(const std::string& key, absl::string_view expected) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError(
      Has(key) ? absl::StrCat(PathOf(key), ": ", Shown(value_[key]), ": ", expected)
               : absl::StrCat(PathOf(key), ": missing"));
}

void JsonObject::Take(const absl::Status& status) {
  if (status_.ok()) status_ = status;
}

const nlohmann::json* JsonObject::Find(const std::string& key) {
  read_.insert(key);
  if (!status_.ok()) return nullptr;
  const auto found = value_.find(key);
  if (found != value_.end()) return &*found;
  Fail(key, "");
  return nullptr;
}

int64_t JsonObject::Integer(const std::string& key, int64_t min, int64_t max) {
  const nlohmann::json* const found = Find(key);
  if (found == nullptr) return 0;
  // An unsigned value above int64's range would come out negative, so it is compared as what it is.
  const bool in_range = found->is_number_unsigned()
                            ? max >= 0 && found->get<uint64_t>() <= static_cast<uint64_t>(max) &&
                                  (min < 0 || found->get<uint64_t>() >= static_cast<uint64_t>(min))
                            : found->is_number_integer() && found->get<int64_t>() >= min &&
                                  found->get<int64_t>() <= max;
  if (!in_range) {
    Fail(key, absl::StrCat("expected an integer of ", min, " to ", max));
    return 0;
  }
  return found->get<int64_t>();
}

uint64_t JsonObject::Unsigned64(const std::string& key) {
  const nlohmann::json* const found = Find(key);
  if (found == nullptr) return 0;
  if (!found->is_number_unsigned()) {
    Fail(key, "expected an integer of 0 to 18446744073709551615");
    return 0;
  }
  return found->get<uint64_t>();
}

bool JsonObject::Bool(const std::string& key) {
  const nlohmann::json* const found = Find(key);
  if (found == nullptr) return false;
  if (!found->is_boolean()) {
    Fail(key, "expected true or false");
    return false;
  }
  return found->get<bool>();
}

std::string JsonObject::String(const std::string& key) {
  const nlohmann::json* const found = Find(key);
  if (found == nullptr) return "";
  if (!found->is_string()) {
    Fail(key, "expected a string");
    return "";
  }
  return found->get<std::string>();
}

std::vector<std::string> JsonObject::Strings(const std::string& key) {
  std::vector<std::string> strings;
  for (const nlohmann::json& item : Array(key)) {
    if (!item.is_string()) {
      Fail(key, "expected strings only");
      return {};
    }
    strings.push_back(item.get<std::string>());
  }
  return strings;
}

std::map<std::string, std::string> JsonObject::StringMap(const std::string& key) {
  const nlohmann::json* const found = Find(key);
  if (found == nullptr) return {};
  std::map<std::string, std::string> map;
  if (!found->is_object()) {
    Fail(key, "expected an object of strings");
    return {};
  }
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) {
      Fail(key, absl::StrCat("expected a string for ", name));
      return {};
    }
    map[name] = value.get<std::string>();
  }
  return map;
}

bool JsonObject::IsNull(const std::string& key) {
  const nlohmann::json* const found = Find(key);
  return found != nullptr && found->is_null();
}

const nlohmann::json& JsonObject::Value(const std::string& key) {
  const nlohmann::json* const found = Find(key);
  return found == nullptr ? Null() : *found;
}

const nlohmann::json& JsonObject::Array(const std::string& key) {
  const nlohmann::json* const found = Find(key);
  if (found == nullptr) return Null();
  if (!found->is_array()) {
    Fail(key, "expected a list");
    return Null();
  }
  return *found;
}

absl::Status JsonObject::Finish() const {
  if (!status_.ok()) return status_;
  for (const auto& [key, value] : value_.items()) {
    if (read_.count(key) > 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(PathOf(key), ": ", Shown(value),
                                                   ": unknown field; expected only ",
                                                   absl::StrJoin(read_, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace rdmalab
