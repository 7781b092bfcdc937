#include "detect/open_context.h"

#include <algorithm>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kOpeningBytes = 24;

}  // namespace

void OpenContext::read(std::string_view text, std::size_t end) noexcept {
  static constexpr ByteFinder kSigns("<>{}");
  const auto byte_at = [text](std::size_t at) { return at < text.size() ? text[at] : '\0'; };
  const std::string_view known = text.substr(0, end);
  for (std::size_t at = kSigns.find(known, read_to_); at < end; at = kSigns.find(known, at + 1)) {
    const char before = at > 0 ? text[at - 1] : '\0';
    switch (text[at]) {
      case '<':
        if (is_alpha(byte_at(at + 1))) open_[kTag] = at;
        if (byte_at(at + 1) == '%') open_[kBlock] = at;
        break;
      case '>':
        open_[before == '%' ? kBlock : kTag] = kNone;
        break;
      case '{':
        if (before == '$' || before == '#') open_[kExpression] = at - 1;
        if (before == '{') open_[kBraces] = at - 1;
        break;
      default:
        open_[before == '}' ? kBraces : kExpression] = kNone;
        break;
    }
  }
  read_to_ = end;
}

std::string_view OpenContext::opening(std::string_view text) const noexcept {
  std::size_t last = kNone;
  for (const std::size_t open : open_) {
    if (open != kNone && (last == kNone || open > last)) last = open;
  }
  return last == kNone ? std::string_view() : text.substr(last, std::min(kOpeningBytes, read_to_ - last));
}

}  // namespace wafd::detect
