#include "engine/base/json_text.h"

#include <set>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace rdmalab {
namespace {

// No file of ours nests deeper than 6; a hostile one must not exhaust the stack of whoever walks
// it.
constexpr size_t kMaxDepth = 32;

// Looks at the events of a parse and keeps the first thing that is wrong.
class StrictnessCheck : public nlohmann::json_sax<nlohmann::json> {
 public:
  const std::string& problem() const { return problem_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool start_array(size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }

  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    problem_ = absl::StrCat("the key \"", name, "\" stands twice in one object");
    return false;
  }

  bool parse_error(size_t position, const std::string& last_token,
                   const nlohmann::detail::exception&) override {
    problem_ = absl::StrCat("not JSON at byte ", position, ", near \"", last_token, "\"");
    return false;
  }

 private:
  bool Enter() {
    keys_.emplace_back();
    if (keys_.size() <= kMaxDepth) return true;
    problem_ = absl::StrCat("nested deeper than ", kMaxDepth);
    return false;
  }

  bool Leave() {
    keys_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> keys_;  // of the open objects; an array has an empty set
  std::string problem_;
};

}  // namespace

absl::StatusOr<nlohmann::json> ParseJson(const std::string& text) {
  StrictnessCheck check;
  if (!nlohmann::json::sax_parse(text, &check)) {
    return absl::InvalidArgumentError(check.problem());
  }
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

std::string JsonLine(const nlohmann::json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

}  // namespace rdmalab
