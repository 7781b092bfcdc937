#include "console/base/target.h"

#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

bool valid_utf8(std::string_view text) noexcept {
  std::uint32_t code_point = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence(text, at, code_point);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

// Percent-decodes text[begin, end). In a path, what could be read in two ways is refused.
Result<std::string> decode(std::string_view text, std::size_t begin, std::size_t end, bool in_path) {
  std::string out;
  for (std::size_t at = begin; at < end; ++at) {
    char c = text[at];
    if (c == '+' && !in_path) {
      c = ' ';
    } else if (c == '%') {
      const int high = at + 2 < end ? hex_value(text[at + 1]) : -1;
      const int low = at + 2 < end ? hex_value(text[at + 2]) : -1;
      if (high < 0 || low < 0) return fail(ErrorCode::kInvalid, "a percent sign without two hex digits", at);
      c = static_cast<char>(high * 16 + low);
      if (in_path && (byte(c) < 0x20 || c == 0x7f || c == '.' || c == '/' || c == '\\' || c == '%')) {
        return fail(ErrorCode::kInvalid, "an encoded byte that a path must not hide", at);
      }
      if (c == '\0') return fail(ErrorCode::kInvalid, "a NUL byte", at);
      at += 2;
    } else if (byte(c) <= 0x20 || byte(c) >= 0x7f || (in_path && c == '\\')) {
      return fail(ErrorCode::kInvalid, "a byte that does not belong in a request target", at);
    }
    out.push_back(c);
  }
  if (!valid_utf8(out)) return fail(ErrorCode::kInvalid, "text that is not UTF-8", begin);
  return out;
}

}  // namespace

Result<Target> Target::parse(std::string_view text) {
  if (text.size() > kMaxTargetBytes) return fail(ErrorCode::kTooLarge, "a request target over 8192 bytes");
  if (text.empty() || text.front() != '/')
    return fail(ErrorCode::kInvalid, "a request target must begin with '/'");
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    return fail(ErrorCode::kInvalid, "a fragment in the request target", hash);
  }
  const std::size_t mark = text.find('?');
  const std::size_t path_end = mark == std::string_view::npos ? text.size() : mark;

  Target target;
  for (std::size_t at = 1; at < path_end || (at == path_end && at > 1);) {
    std::size_t slash = text.substr(0, path_end).find('/', at);
    if (slash == std::string_view::npos) slash = path_end;
    auto segment = decode(text, at, slash, true);
    if (!segment) return tl::unexpected(segment.error());
    if (segment->empty()) return fail(ErrorCode::kInvalid, "an empty path segment", at);
    if (*segment == "." || *segment == "..") return fail(ErrorCode::kInvalid, "a dot segment", at);
    target.path += '/' + *segment;
    target.segments.push_back(std::move(*segment));
    if (slash == path_end) break;
    at = slash + 1;
  }
  if (target.path.empty()) target.path = "/";

  if (mark == std::string_view::npos) return target;
  for (std::size_t at = mark + 1; at < text.size();) {
    std::size_t end = text.find('&', at);
    if (end == std::string_view::npos) end = text.size();
    if (end > at) {
      std::size_t equals = text.substr(0, end).find('=', at);
      if (equals == std::string_view::npos) equals = end;
      auto name = decode(text, at, equals, false);
      if (!name) return tl::unexpected(name.error());
      auto value = decode(text, equals < end ? equals + 1 : end, end, false);
      if (!value) return tl::unexpected(value.error());
      if (!target.repeated && target.parameter(*name)) target.repeated = at;
      if (target.parameters.size() == kMaxQueryParameters) {
        return fail(ErrorCode::kTooLarge, "more than 32 query parameters", at);
      }
      target.parameters.emplace_back(std::move(*name), std::move(*value));
    }
    at = end + 1;
  }
  return target;
}

std::optional<std::string_view> Target::parameter(std::string_view name) const noexcept {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace wafd::console
