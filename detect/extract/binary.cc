#include <algorithm>

#include "detect/core/octets.h"
#include "detect/extract/body.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMinRun = 8;

bool is_text_control(char c) noexcept { return c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

}  // namespace

void read_printable_runs(std::string_view octets, const Field& like, FieldList& out) {
  Field field = like;
  std::size_t at = 0;
  while (at < octets.size()) {
    const std::size_t begin = at;
    std::size_t length = 1;
    while (at < octets.size()) {
      const char c = octets[at];
      std::uint32_t code_point = 0;
      if (octet(c) >= 0x80) {
        length = utf8_sequence(octets, at, code_point);
      } else {
        length = octet(c) >= 0x20 && c != 0x7f ? 1 : (is_text_control(c) ? 1 : 0);
      }
      if (length == 0) break;
      at += length;
    }
    if (at - begin >= kMinRun) {
      field.raw = octets.substr(begin, at - begin);
      if (!out.add(field)) {
        field.raw = octets.substr(begin);
        out.add_rest(field);
        return;
      }
    }
    if (at < octets.size()) ++at;
  }
}

}  // namespace wafd::detect
