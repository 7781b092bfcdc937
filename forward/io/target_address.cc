#include "forward/io/target_address.h"

#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>

namespace wafd::forward {
namespace {

namespace json = boost::json;

// USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE, as PostgreSQL's own programs take it; only HOST:PORT stays
// in `rest`.
Result<void> take_database(std::string_view& rest, std::string_view option, json::object& target) {
  const std::size_t question = std::min(rest.find('?'), rest.size());
  const std::string_view options = rest.substr(question);
  rest = rest.substr(0, question);
  if (options == "?sslmode=disable")
    target["tls"] = json::object{{"enabled", false}};
  else if (options == "?sslmode=require")
    target["tls"] = json::object{{"verify", false}};
  else if (!options.empty() && options != "?sslmode=verify-full")
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: expected ?sslmode=disable, require or verify-full (the default) behind the "
                            "database",
                            option));
  const std::size_t at = rest.rfind('@');
  const std::string_view user = at == std::string_view::npos ? "" : rest.substr(0, at);
  if (at != std::string_view::npos) rest.remove_prefix(at + 1);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  json::object database{{"database", std::string(rest.substr(std::min(slash + 1, rest.size())))},
                        {"user", std::string(user.substr(0, user.find(':')))}};
  if (const std::size_t colon = user.find(':'); colon != std::string_view::npos)
    database["password"] = std::string(user.substr(colon + 1));
  target["postgresql"] = std::move(database);
  rest = rest.substr(0, slash);
  return {};
}

// Takes the port behind the last colon, unless the colon belongs to an IPv6 address; -1: it is no number.
void take_port(std::string_view& rest, json::object& target) {
  const std::size_t colon = rest.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (rest.find(':') == colon || rest.substr(0, colon).ends_with(']'));
  if (!has_port) return;
  const std::string_view port = rest.substr(colon + 1);
  std::int64_t number = -1;
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != port.data() + port.size()) number = -1;
  target["port"] = number;
  rest = rest.substr(0, colon);
}

}  // namespace

Result<json::object> target_members_of(std::string_view address, std::string_view option) {
  const std::size_t scheme = address.find("://");
  if (scheme == std::string_view::npos)
    return fail(
        ErrorCode::kInvalid,
        fmt::format("{}: expected udp://, tcp://, tls:// or relp://HOST:PORT, kafka://HOST:PORT/TOPIC, or "
                    "postgresql://USER:PASSWORD@HOST:PORT/DATABASE",
                    option));
  std::string_view rest = address.substr(scheme + 3);
  const std::string_view transport = address.substr(0, scheme);
  json::object o{{"transport", std::string(transport)}};
  if (transport == "kafka") {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    if (slash + 1 < rest.size()) o["kafka"] = json::object{{"topic", std::string(rest.substr(slash + 1))}};
    rest = rest.substr(0, slash);
  }
  if (transport == "postgresql")
    if (auto good = take_database(rest, option, o); !good) return tl::unexpected(good.error());
  take_port(rest, o);
  o["host"] = std::string(rest);
  return o;
}

}  // namespace wafd::forward
