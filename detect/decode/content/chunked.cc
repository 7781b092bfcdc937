#include "detect/decode/content/chunked.h"

#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxSizeDigits = 8;
constexpr std::size_t kMaxExtensionBytes = 256;

// Reads "SIZE [;extension] CRLF" and moves `at` behind it.
bool take_size(std::string_view in, std::size_t& at, std::size_t& size) noexcept {
  std::size_t digits = 0;
  size = 0;
  for (; at < in.size() && hex_value(in[at]) >= 0; ++at, ++digits) {
    if (digits == kMaxSizeDigits) return false;
    size = size * 16 + static_cast<std::size_t>(hex_value(in[at]));
  }
  if (digits == 0 || at == in.size()) return false;
  if (in[at] == ';') at += in.substr(at, kMaxExtensionBytes).find("\r\n");
  if (in.substr(at, 2) != "\r\n") return false;
  at += 2;
  return true;
}

}  // namespace

bool chunked_decode(std::string_view in, std::string& out) {
  out.clear();
  std::size_t at = 0;
  bool any = false;
  while (at < in.size()) {
    std::size_t size = 0;
    if (!take_size(in, at, size)) return false;
    if (size == 0) return any;
    out += in.substr(at, size);
    if (size > in.size() - at) return any;
    at += size;
    if (at == in.size()) return any;
    if (in.substr(at, 2) != "\r\n") return false;
    at += 2;
    any = true;
  }
  return any;
}

}  // namespace wafd::detect
