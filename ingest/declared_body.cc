#include "ingest/declared_body.h"

#include "detect/core/bytes.h"

namespace wafd::ingest {

DeclaredBody declared_body(std::string_view head) noexcept {
  DeclaredBody out;
  for (auto at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at)) {
    const auto line = head.substr(++at);
    if (line.empty()) break;
    const char first = to_lower(line[0]);
    if (first == 't' && istarts_with(line, "transfer-encoding:")) out.transfer_encoding = true;
    if (first != 'c' || out.length || !istarts_with(line, "content-length:")) continue;
    const auto value = trim(line.substr(15, line.find_first_of("\r\n") == std::string_view::npos
                                                ? std::string_view::npos
                                                : line.find_first_of("\r\n") - 15));
    if (value.empty() || value.size() > 18) continue;
    std::uint64_t length = 0;
    bool digits = true;
    for (const char c : value) {
      digits = digits && is_digit(c);
      length = length * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (digits) out.length = length;
  }
  return out;
}

}  // namespace wafd::ingest
