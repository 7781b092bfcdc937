#include "detect/analyze/serialized/php_object.h"

#include "detect/core/bytes.h"

namespace wafd::detect::serialized {
namespace {

constexpr std::size_t kMaxNameBytes = 128;
constexpr std::size_t kMaxBackslashes = 8;

std::size_t skip_backslashes(std::string_view text, std::size_t at) noexcept {
  const std::size_t begin = at;
  while (at < text.size() && at - begin < kMaxBackslashes && text[at] == '\\') ++at;
  return at;
}

std::size_t skip_digits(std::string_view text, std::size_t at) noexcept {
  const std::size_t begin = at;
  while (at < text.size() && at - begin < 6 && is_digit(text[at])) ++at;
  return at;
}

PhpObject object_at(std::string_view text, std::size_t at) noexcept {
  std::size_t i = at + 1;
  if (i >= text.size() || text[i] != ':') return PhpObject::kNone;
  // unserialize() takes a sign before the length.
  const bool sign = i + 1 < text.size() && text[i + 1] == '+';
  const std::size_t digits = i + (sign ? 2 : 1);
  i = skip_digits(text, digits);
  if (i == digits || i >= text.size() || text[i] != ':') return PhpObject::kNone;
  const std::size_t quote = skip_backslashes(text, i + 1);
  if (quote >= text.size() || text[quote] != '"') return PhpObject::kNone;
  const std::size_t name = quote + 1;
  std::size_t end = name;
  while (end < text.size() && end - name < kMaxNameBytes &&
         (is_alnum(text[end]) || text[end] == '_' || byte(text[end]) >= 0x80 ||
          (text[end] == '\\' && text.substr(end, 2) != "\\\"")))
    ++end;
  const std::size_t close = skip_backslashes(text, end);
  if (end == name || close + 2 >= text.size() || text[close] != '"' || text[close + 1] != ':' ||
      !is_digit(text[close + 2]))
    return PhpObject::kNone;
  const std::size_t count_end = skip_digits(text, close + 2);
  // A probe whether anything is made of it has no member, or one.
  const bool bare = count_end == close + 3 && text[close + 2] < '2';
  const bool data = !sign && !bare && text[at] == 'O' && iequals(text.substr(name, end - name), "stdClass");
  return data ? PhpObject::kData : PhpObject::kOfClass;
}

}  // namespace

PhpObject find_php_object(std::string_view text, std::size_t& begin) noexcept {
  PhpObject found = PhpObject::kNone;
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    if (at == 0 || (text[at - 1] != 'O' && text[at - 1] != 'C')) continue;
    if (at > 1 && (is_alnum(text[at - 2]) || text[at - 2] == '_')) continue;
    const PhpObject object = object_at(text, at - 1);
    if (object <= found) continue;
    found = object;
    begin = at - 1;
    if (found == PhpObject::kOfClass) break;
  }
  return found;
}

}  // namespace wafd::detect::serialized
