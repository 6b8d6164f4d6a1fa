// One JSON object as a line. Used by the writers of this room.
#ifndef RDMALAB_ENGINE_RESULTS_JSON_LINES_H_
#define RDMALAB_ENGINE_RESULTS_JSON_LINES_H_

#include <nlohmann/json.hpp>
#include <string>

namespace rdmalab {

// With its line break. Bytes that are not UTF-8 (a foreign host name, a library's message) are
// replaced, because a record with a blemish is worth more than none.
inline std::string Line(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', /*ensure_ascii=*/false,
                     nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_JSON_LINES_H_
