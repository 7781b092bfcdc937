#include "detect/analyze/script/script_objects.h"

#include <algorithm>

#include "detect/core/octets.h"

namespace wafd::detect {

std::optional<ObjectWalk> prototype_name(std::string_view text, bool in_name) noexcept {
  const std::size_t proto = text.find("__proto__");
  if (proto == std::string_view::npos) return std::nullopt;
  const std::size_t end = proto + 9;
  const char after = end < text.size() ? text[end] : '\0';
  const bool key = in_name || after == '[' || after == '.' ||
                   (after == '"' && text.substr(end, 5).find(':') != std::string_view::npos) ||
                   (after == ']' && proto > 0);
  return ObjectWalk{proto, end, key};
}

std::optional<ObjectWalk> constructor_prototype(std::string_view text, bool in_name) noexcept {
  const std::size_t constructor = text.find("constructor");
  if (constructor == std::string_view::npos) return std::nullopt;
  std::size_t prototype = constructor + 11;
  while (prototype < text.size() && !is_alnum(text[prototype]) && octet(text[prototype]) > ' ') ++prototype;
  if (prototype == constructor + 11 || !text.substr(prototype).starts_with("prototype")) return std::nullopt;
  const bool alone =
      text.size() < 256 && text.find_first_of(" (;", text.find_first_not_of(" \t\r\n")) > prototype;
  if (!in_name && !alone) return std::nullopt;
  return ObjectWalk{constructor, prototype + 9, true};
}

std::optional<ObjectWalk> message_reference(std::string_view text) noexcept {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && end - at < 6 && (hex_value(text[end]) >= 0 || text[end] == '@')) ++end;
    if (end == at + 1 || end >= text.size() || text[end] != ':') continue;
    const std::string_view window = text.substr(end, 96);
    const auto space = std::find_if(window.begin(), window.end(), [](char c) { return octet(c) <= ' '; });
    const std::string_view path = window.substr(0, static_cast<std::size_t>(space - window.begin()));
    for (const std::string_view step : {":constructor", ":__proto__", ":prototype"}) {
      if (path.find(step) != std::string_view::npos) return ObjectWalk{at, end + path.size(), true};
    }
  }
  return std::nullopt;
}

}  // namespace wafd::detect
