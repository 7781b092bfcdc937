#include "forward/text_pattern.h"

#include <algorithm>

#include "detect/core/octets.h"

namespace wafd::forward {

Needle::Needle(std::string_view text) : lower_(to_lower(text)) {
  const auto length = static_cast<std::uint16_t>(std::min<std::size_t>(lower_.size(), 0xffff));
  skip_.fill(std::max<std::uint16_t>(length, 1));
  for (std::size_t i = 0; i + 1 < length; ++i) {
    const auto distance = static_cast<std::uint16_t>(length - 1 - i);
    skip_[octet(lower_[i])] = distance;
    if (is_lower(lower_[i])) skip_[octet(lower_[i]) - 32u] = distance;
  }
}

std::size_t Needle::find_in(std::string_view text, std::size_t from) const noexcept {
  const std::size_t length = lower_.size();
  if (length == 0) return from <= text.size() ? from : std::string_view::npos;
  for (std::size_t at = from; at + length <= text.size();) {
    const char last = text[at + length - 1];
    if (to_lower(last) == lower_[length - 1] && iequals(text.substr(at, length), lower_)) return at;
    at += skip_[octet(last)];
  }
  return std::string_view::npos;
}

TextPattern::TextPattern(std::string_view text, Kind kind, bool globs) : text_(text), kind_(kind) {
  if (globs) {
    for (std::size_t at = 0;;) {
      const std::size_t star = text.find('*', at);
      pieces_.emplace_back(text.substr(at, star - at));
      if (star == std::string_view::npos) break;
      has_star_ = true;
      at = star + 1;
    }
  }
  if (!has_star_) {
    pieces_.clear();
    pieces_.emplace_back(text);
  }
}

bool TextPattern::matches(std::string_view text) const noexcept {
  if (!has_star_) {
    return kind_ == Kind::kPart ? pieces_[0].find_in(text) != std::string_view::npos : iequals(text, text_);
  }
  const Needle& first = pieces_.front();
  const Needle& last = pieces_.back();
  if (text.size() < first.size() + last.size()) return false;
  if (first.find_in(text.substr(0, first.size())) != 0) return false;
  if (last.find_in(text.substr(text.size() - last.size())) != 0) return false;
  const std::string_view middle = text.substr(0, text.size() - last.size());
  std::size_t at = first.size();
  for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
    at = pieces_[i].find_in(middle, at);
    if (at == std::string_view::npos) return false;
    at += pieces_[i].size();
  }
  return true;
}

}  // namespace wafd::forward
