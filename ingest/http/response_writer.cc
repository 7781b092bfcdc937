#include "ingest/http/response_writer.h"

#include <ctime>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"

namespace wafd::http {
namespace {

bool bodyless(unsigned status) noexcept { return status < 200 || status == 204 || status == 304; }

void append_clean(std::string_view text, std::string& out) {
  for (const char c : text) out += byte(c) < 0x20 || byte(c) == 0x7f ? ' ' : c;
}

// IMF-fixdate, RFC 9110 section 5.6.7.
void append_date(std::int64_t unix_s, std::string& out) {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto time = static_cast<time_t>(unix_s);
  tm t{};
  if (gmtime_r(&time, &t) == nullptr) return;
  fmt::format_to(std::back_inserter(out), "Date: {}, {:02} {} {} {:02}:{:02}:{:02} GMT\r\n", kDays[t.tm_wday],
                 t.tm_mday, kMonths[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

void append_head(const Response& response, const WriteOptions& options, std::string& out) {
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", response.status, reason_of(response.status));
  if (options.date_s != 0) append_date(options.date_s, out);
  for (const auto& [name, value] : response.fields) {
    append_clean(name, out);
    out += ": ";
    append_clean(value, out);
    out += "\r\n";
  }
  if (!options.keep_alive) {
    out += "Connection: close\r\n";
  } else if (options.version == 10) {
    out += "Connection: keep-alive\r\n";
  }
}

}  // namespace

std::string write(const Response& response, const WriteOptions& options) {
  std::string out;
  out.reserve(256 + response.body.size());
  append_head(response, options, out);
  if (bodyless(response.status)) {
    out += "\r\n";
    return out;
  }
  fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n\r\n", response.body.size());
  if (!options.head_request) out += response.body;
  return out;
}

std::string ChunkedWriter::head(const Response& response) const {
  std::string out;
  append_head(response, options_, out);
  if (options_.version != 10) out += "Transfer-Encoding: chunked\r\n";
  out += "\r\n";
  return out;
}

std::string ChunkedWriter::chunk(std::string_view bytes) const {
  if (bytes.empty() || options_.head_request) return {};
  if (options_.version == 10) return std::string(bytes);
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

std::string ChunkedWriter::end() const {
  return options_.version == 10 || options_.head_request ? "" : "0\r\n\r\n";
}

std::string_view reason_of(unsigned status) noexcept {
  const auto text = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  return {text.data(), text.size()};
}

}  // namespace wafd::http
