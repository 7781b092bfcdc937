#include "doctor/finding.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "detect/core/plain_text.h"

namespace wafd::doctor {

std::string_view to_string(Level level) noexcept {
  if (level == Level::kOk) return "ok";
  return level == Level::kWarning ? "warning" : "error";
}

Level worst(std::span<const Finding> findings) noexcept {
  Level out = Level::kOk;
  for (const Finding& one : findings) out = std::max(out, one.level);
  return out;
}

int exit_status(Level worst) noexcept { return static_cast<int>(worst); }

// Names and errors of others stand in it.
std::string to_text(std::span<const Finding> findings) {
  std::string out;
  std::size_t warnings = 0, errors = 0;
  for (const Finding& one : findings) {
    out += fmt::format("{:<8} {:<13} {}\n", to_string(one.level), one.check, one_line(one.text));
    if (!one.remedy.empty()) out += fmt::format("{:23}-> {}\n", "", one_line(one.remedy));
    warnings += one.level == Level::kWarning ? 1 : 0;
    errors += one.level == Level::kError ? 1 : 0;
  }
  return out + fmt::format("{} looked at: {} errors, {} warnings\n", findings.size(), errors, warnings);
}

boost::json::object to_json(std::span<const Finding> findings) {
  boost::json::array list;
  for (const Finding& one : findings)
    list.push_back(
        {{"check", one.check}, {"level", to_string(one.level)}, {"text", one.text}, {"remedy", one.remedy}});
  return {{"worst", to_string(worst(findings))}, {"findings", std::move(list)}};
}

}  // namespace wafd::doctor
