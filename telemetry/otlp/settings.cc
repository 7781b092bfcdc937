#include "telemetry/otlp/settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"
#include "detect/core/plain_text.h"
#include "files/small_file.h"
#include "forward/notify/web_address.h"

namespace wafd::telemetry {
namespace {

constexpr std::size_t kMaxUrlShown = 200;

// A token of RFC 9110 section 5.6.2.
bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

// Headers that the request itself has.
bool is_taken(std::string_view name) {
  for (const char* own : {"host", "content-type", "content-length", "content-encoding", "transfer-encoding",
                          "connection", "expect"})
    if (iequals(name, own)) return true;
  return false;
}

bool on_this_machine(const std::string& host) {
  const auto address = IpAddress::parse(host);
  return host == "localhost" || (address && address->is_loopback());
}

}  // namespace

Result<void> check_otlp(const OtlpSettings& settings) {
  if (settings.endpoint.empty()) return {};
  const auto address = forward::parse_web_address(settings.endpoint);
  if (!address || settings.endpoint.find('?') != std::string::npos)
    return fail(ErrorCode::kInvalid, fmt::format("otlp.endpoint: expected an http or https URL such as "
                                                 "https://collector.example:4318, got \"{}\"",
                                                 printable_ascii(settings.endpoint, kMaxUrlShown)));
  if (!settings.headers_file.empty() && !address->encrypted && !on_this_machine(address->host))
    return fail(
        ErrorCode::kInvalid,
        "otlp.headers_file: anybody on the way could read it: expected an https URL in otlp.endpoint, "
        "or one of this machine");
  return {};
}

std::string otlp_url(const OtlpSettings& settings, std::string_view path) {
  std::string url = settings.endpoint;
  while (url.ends_with('/')) url.pop_back();
  return url + std::string(path);
}

Result<OtlpHeaders> parse_otlp_headers(std::string_view text) {
  OtlpHeaders out;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim_space(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const auto refuse = [&](std::string_view why) {
      return fail(ErrorCode::kInvalid, fmt::format("otlp.headers_file: line {}: {}", number, why));
    };
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_name(line.substr(0, colon)))
      return refuse("expected \"Name: value\"");
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trim(line.substr(colon + 1));
    if (is_taken(name)) return refuse("this header is wafd's own");
    if (value.empty()) return refuse("expected a value behind the colon");
    if (std::any_of(value.begin(), value.end(), [](char c) { return byte(c) < 0x20 || c == 0x7f; }))
      return refuse("expected no control characters");
    if (out.size() == kMaxOtlpHeaders)
      return refuse(fmt::format("expected at most {} headers", kMaxOtlpHeaders));
    out.emplace_back(name, value);
  }
  return out;
}

Result<OtlpHeaders> read_otlp_headers(const OtlpSettings& settings) {
  if (settings.headers_file.empty()) return OtlpHeaders();
  const auto text = read_file(settings.headers_file, kMaxHeadersFileBytes);
  if (!text) return fail(ErrorCode::kInvalid, "otlp.headers_file: " + text.error().what);
  return parse_otlp_headers(*text);
}

}  // namespace wafd::telemetry
