#include "engine/results/counters.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace rdmalab {
namespace {

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

// `{role="owner",reason="ok"}`, empty without labels.
std::string LabelText(const Counters::Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    absl::StrAppend(&text, text.empty() ? "{" : ",", name, "=\"", Escaped(value), "\"");
  }
  return text.empty() ? text : text + "}";
}

}  // namespace

Counter& Counters::Get(const std::string& name, const std::string& help, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  Family& family = families_.try_emplace(name, Family{.help = help, .counters = {}}).first->second;
  return family.counters[LabelText(labels)];
}

std::string Counters::OpenMetricsText() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [name, family] : families_) {
    absl::StrAppend(&text, "# TYPE ", name, " counter\n# HELP ", name, " ", Escaped(family.help),
                    "\n");
    for (const auto& [labels, counter] : family.counters) {
      absl::StrAppend(&text, name, "_total", labels, " ", counter.value(), "\n");
    }
  }
  return text + "# EOF\n";
}

}  // namespace rdmalab
