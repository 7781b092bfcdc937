#include "forward/notify/words.h"

#include <map>

#include "detect/core/catalogue.h"

namespace wafd::forward {

std::string_view chinese_of(std::string_view english) noexcept {
  static const std::map<std::string_view, std::string_view> kTable = read_catalogue(chinese_words());
  const auto found = kTable.find(english);
  return found == kTable.end() ? english : found->second;
}

}  // namespace wafd::forward
