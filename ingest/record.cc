#include "ingest/record.h"

#include <optional>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/decode/base64.h"
#include "ingest/limits.h"

namespace wafd::ingest {
namespace {

namespace json = boost::json;

// Reads members and remembers the first that was wrong.
class Members {
 public:
  explicit Members(const json::object& object) : object_(object) {}

  std::string_view text(std::string_view name, bool required = false) {
    const auto* value = object_.if_contains(name);
    if (value == nullptr || value->is_null()) {
      if (required) wrong(name, "expected a string, it is missing");
      return {};
    }
    if (!value->is_string()) {
      wrong(name, "expected a string");
      return {};
    }
    const auto& string = value->get_string();
    if (required && string.empty()) wrong(name, "expected at least one character");
    return {string.data(), string.size()};
  }

  std::int64_t number(std::string_view name, std::int64_t max) {
    const auto* value = object_.if_contains(name);
    if (value == nullptr || value->is_null()) return 0;
    const auto* i = value->if_int64();
    if (i == nullptr || *i < 0 || *i > max) {
      wrong(name, fmt::format("expected an integer of 0..{}", max));
      return 0;
    }
    return *i;
  }

  std::string address(std::string_view name) {
    const auto given = text(name);
    std::string room;
    const auto clean = clean_address(given, room);
    if (!given.empty() && clean.empty()) wrong(name, "expected an IP address");
    return std::string(clean);
  }

  // "name: value" lines.
  std::string headers(bool& has_host) {
    std::string out;
    const auto* value = object_.if_contains("headers");
    if (value == nullptr || value->is_null()) return out;
    const auto* list = value->if_array();
    if (list == nullptr) {
      wrong("headers", "expected a list of [name, value] pairs");
      return out;
    }
    for (const auto& entry : *list) {
      const auto* pair = entry.if_array();
      if (pair == nullptr || pair->size() != 2 || !(*pair)[0].is_string() || !(*pair)[1].is_string()) {
        wrong("headers", "expected a list of [name, value] pairs");
        return out;
      }
      const auto& name = (*pair)[0].get_string();
      const auto& text_value = (*pair)[1].get_string();
      has_host = has_host || iequals({name.data(), name.size()}, "host");
      out.append(name.data(), name.size())
          .append(": ")
          .append(text_value.data(), text_value.size())
          .append("\r\n");
    }
    return out;
  }

  void wrong(std::string_view name, std::string_view what) {
    if (!error) error = Error{ErrorCode::kInvalid, 0, fmt::format("{}: {}", name, what)};
  }

  std::optional<Error> error;

 private:
  const json::object& object_;
};

}  // namespace

Result<OwnedRequest> parse_record(std::string_view line) {
  json::error_code ec;
  json::parse_options options;
  options.max_depth = 8;
  const auto value = json::parse(json::string_view(line.data(), line.size()), ec, {}, options);
  if (ec) return fail(ErrorCode::kInvalid, fmt::format("expected a JSON object: {}", ec.message()));
  const auto* object = value.if_object();
  if (object == nullptr) return fail(ErrorCode::kInvalid, "expected a JSON object");

  Members members(*object);
  OwnedRequest out;
  const auto method = members.text("method", true);
  const auto uri = members.text("uri", true);
  auto version = members.text("http_version");
  if (istarts_with(version, "HTTP/")) version.remove_prefix(5);
  out.host = members.text("host");
  bool has_host = false;
  const auto headers = members.headers(has_host);
  out.head = fmt::format("{} {} HTTP/{}\r\n", method, uri, version.empty() ? "1.1" : version);
  if (!has_host && !out.host.empty()) out.head += "Host: " + out.host + "\r\n";
  out.head += headers + "\r\n";

  out.body = members.text("body");
  if (const auto encoded = members.text("body_base64"); !encoded.empty()) {
    if (!out.body.empty()) members.wrong("body_base64", "expected either this or body");
    out.body.clear();
    if (!detect::base64_bytes(encoded, out.body)) members.wrong("body_base64", "expected base64");
  }
  out.src_ip = members.address("src_ip");
  out.src_port = static_cast<std::uint16_t>(members.number("src_port", 65535));
  out.socket_ip = members.address("socket_ip");
  out.dest_ip = members.address("dest_ip");
  out.dest_port = static_cast<std::uint16_t>(members.number("dest_port", 65535));
  out.upstream_addr = members.text("upstream_addr");
  out.scheme = members.text("scheme");
  out.proxy_name = members.text("proxy_name");
  out.start_time_us = members.number("req_start_time", 1ll << 52) * 1000;
  if (members.error) return tl::unexpected(*members.error);
  return out;
}

}  // namespace wafd::ingest
