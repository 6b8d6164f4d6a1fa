// Reads the fields of one JSON object, with the path in each error, and refuses fields that nobody
// asked for.
//
//   JsonObject arm(value, "arms[2]");
//   result.chunk = arm.Integer("chunk", 1, kMaxBytes);
//   result.kill_switch = arm.Bool("kill_switch");
//   RETURN_IF_ERROR(arm.Finish());   // the first error of all reads: `arms[2].chunk: -1: expected
//   ...`
//
// After an error reads return zero values, so that a reader is a plain list of fields.
#ifndef RDMALAB_ENGINE_BASE_JSON_OBJECT_H_
#define RDMALAB_ENGINE_BASE_JSON_OBJECT_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace rdmalab {

class JsonObject {
 public:
  // `value` outlives the object. `path` is empty for a whole document.
  JsonObject(const nlohmann::json& value, std::string path);

  // Each read needs the key to be there and of the type; ranges include both ends.
  int64_t Integer(const std::string& key, int64_t min, int64_t max);
  uint64_t Unsigned64(const std::string& key);
  bool Bool(const std::string& key);
  std::string String(const std::string& key);
  std::vector<std::string> Strings(const std::string& key);
  std::map<std::string, std::string> StringMap(const std::string& key);

  // One of `names`, by its index: for enums whose names stand in a table.
  template <typename Names>
  size_t OneOf(const std::string& key, const Names& names) {
    const std::string text = String(key);
    std::string all;
    for (size_t i = 0; i < names.size(); ++i) {
      if (text == names[i]) return i;
      absl::StrAppend(&all, i == 0 ? "" : ", ", names[i]);
    }
    Fail(key, absl::StrCat("expected one of ", all));
    return 0;
  }

  // True if the key is there and null; it counts as read then.
  bool IsNull(const std::string& key);
  bool Has(const std::string& key) const;

  // The raw value for a nested read, at PathOf(key); null if missing, which is an error.
  const nlohmann::json& Value(const std::string& key);
  // As Value, but an error unless it is an array.
  const nlohmann::json& Array(const std::string& key);
  std::string PathOf(absl::string_view key) const;

  // Marks a key as known without looking at it.
  void Ignore(const std::string& key) { read_.insert(key); }

  // Records an error of `key`, with its value; the first one is kept.
  void Fail(const std::string& key, absl::string_view expected);
  // Records the error of a nested read.
  void Take(const absl::Status& status);

  bool ok() const { return status_.ok(); }
  // The first error, or else an error naming a field that was not read.
  absl::Status Finish() const;

 private:
  const nlohmann::json* Find(const std::string& key);

  const nlohmann::json& value_;
  std::string path_;
  std::set<std::string> read_;
  absl::Status status_;
};

// "arms[2]".
std::string IndexPath(absl::string_view path, size_t index);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_JSON_OBJECT_H_
