#include "detect/analyze/http/chunk_reader.h"

#include <cstdint>

#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

// 64 bits of length are enough for everything that is held in memory.
constexpr std::size_t kMaxSizeDigits = 16;
constexpr std::size_t kMaxRequestLineBytes = 8192;

// Takes a line and its end off `text`. False if no line ends there.
bool take_line(std::string_view& text, std::string_view& line) noexcept {
  const std::size_t lf = text.find('\n');
  if (lf == std::string_view::npos) return false;
  line = text.substr(0, lf);
  if (line.ends_with('\r')) line.remove_suffix(1);
  text.remove_prefix(lf + 1);
  return true;
}

}  // namespace

Chunks read_chunks(std::string_view body) noexcept {
  Chunks out;
  while (true) {
    std::uint64_t size = 0;
    std::size_t digits = 0;
    while (digits < body.size() && digits < kMaxSizeDigits && hex_value(body[digits]) >= 0) {
      size = size * 16 + static_cast<std::uint64_t>(hex_value(body[digits]));
      ++digits;
    }
    // Behind the size: white space, an extension, the line's end.
    if (digits == 0 || digits == body.size()) return out;
    const char next = body[digits];
    if (next != '\r' && next != '\n' && next != ';' && next != ' ' && next != '\t') return out;
    std::string_view line;
    std::string_view rest = body.substr(digits);
    if (!take_line(rest, line)) return out;
    line = trim(line);
    if (!line.empty() && line.front() != ';') return out;
    out.begun = true;
    if (!line.empty()) out.extension = true;
    if (size == 0) {
      // Trailer fields, then an empty line.
      while (take_line(rest, line)) {
        if (!line.empty()) continue;
        out.ended = true;
        out.rest = rest;
        return out;
      }
      return out;
    }
    if (size >= rest.size()) return out;
    body = rest.substr(static_cast<std::size_t>(size));
    if (body.starts_with('\r')) body.remove_prefix(1);
    if (!body.starts_with('\n')) return out;
    body.remove_prefix(1);
  }
}

bool looks_like_request(std::string_view text) noexcept {
  while (text.starts_with('\r') || text.starts_with('\n')) text.remove_prefix(1);
  std::string_view line = text.substr(0, kMaxRequestLineBytes);
  line = line.substr(0, line.find_first_of("\r\n"));
  std::size_t method = 0;
  while (method < line.size() && (is_alpha(line[method]) || line[method] == '-')) ++method;
  if (method == 0 || method == line.size() || line[method] != ' ') return false;
  return line.find(" HTTP/", method + 1) != std::string_view::npos;
}

}  // namespace wafd::detect
