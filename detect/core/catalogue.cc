#include "detect/core/catalogue.h"

#include <algorithm>

namespace wafd {

std::map<std::string_view, std::string_view> read_catalogue(std::string_view text) {
  std::map<std::string_view, std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t tab = line.find('\t');
    if (line.starts_with('#') || tab == std::string_view::npos) continue;
    out.emplace(line.substr(0, tab), line.substr(tab + 1));
  }
  return out;
}

}  // namespace wafd
