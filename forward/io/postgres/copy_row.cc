#include "forward/io/postgres/copy_row.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"
#include "detect/core/record_members.h"
#include "forward/query_sql/trigram_signature.h"
#include "forward/ring/record_reader.h"

namespace wafd::forward {
namespace {

constexpr std::string_view kNull = "\\N";
constexpr std::string_view kJsonNul = "\\u0000";
constexpr std::size_t kColumnsSize = 768;  // about, of what is neither record nor detail

// What would end a field or a row, and the backslash.
constexpr ByteFinder kEscaped("\\\n\r\t");

void append_escape(char c, std::string& out) {
  out += '\\';
  out += c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : '\\';
}

// `text` in the text format.
void append_escaped(std::string_view text, std::string& out) {
  std::size_t from = 0;
  for (std::size_t at = kEscaped.find(text, 0); at < text.size(); at = kEscaped.find(text, from)) {
    out.append(text.substr(from, at - from));
    append_escape(text[at], out);
    from = at + 1;
  }
  out.append(text.substr(from));
}

// Of JSON; two characters behind a backslash belong together, so `\\u0000` is no NUL.
void append_json(std::string_view json, std::string& out) {
  std::size_t from = 0;
  for (std::size_t at = kEscaped.find(json, 0); at < json.size(); at = kEscaped.find(json, from)) {
    out.append(json.substr(from, at - from));
    from = at + 1;
    if (json.substr(at, kJsonNul.size()) == kJsonNul) {
      out += R"(\\\\x00)";  // the JSON text \\x00
      from = at + kJsonNul.size();
      continue;
    }
    append_escape(json[at], out);
    if (json[at] == '\\' && from < json.size() && json[from] == '\\') append_escape(json[from++], out);
  }
  out.append(json.substr(from));
}

// A column of text: what the server would refuse (NUL, no UTF-8) is shown as the record shows it.
void append_text(std::string_view text, std::string& out) {
  // ASCII, and nothing to escape.
  constexpr auto is_plain = [](char c) { return byte(c) > '\r' && byte(c) < 0x80 && c != '\\'; };
  const auto odd = std::find_if_not(text.begin(), text.end(), is_plain);
  std::size_t at = static_cast<std::size_t>(odd - text.begin());
  out.append(text.substr(0, at));
  while (at < text.size()) {
    std::uint32_t code_point = 0;
    const std::size_t size = utf8_sequence(text, at, code_point);
    if (size == 0 || text[at] == '\0')
      out += fmt::format(R"(\\x{:02x})", byte(text[at]));
    else
      append_escaped(text.substr(at, size), out);
    at += size == 0 ? 1 : size;
  }
}

// 128 bits of SHA-256, as hex digits.
std::string digest_of(std::string_view text) {
  char digest[EVP_MAX_MD_SIZE] = {};
  EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest), nullptr, EVP_sha256(),
             nullptr);
  return to_hex({digest, 16});
}

template <class Number>
void append_number(Number number, std::string& out) {
  char text[20];
  const char* const end = std::to_chars(text, text + sizeof text, number).ptr;
  out.append(text, static_cast<std::size_t>(end - text));
}
char* put_two_digits(std::int64_t number, char* to) noexcept {
  to[0] = static_cast<char>('0' + number / 10);
  to[1] = static_cast<char>('0' + number % 10);
  return to + 2;
}

constexpr std::size_t kMaxDate = 12;  // of a year of six characters
char* put_date(std::int64_t day, char* to) noexcept {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  const int year = static_cast<int>(date.year());
  if (year >= 0 && year <= 9999)
    to = put_two_digits(year % 100, put_two_digits(year / 100, to));
  else
    to = std::to_chars(to, to + 6, year).ptr;
  *to++ = '-';
  to = put_two_digits(static_cast<unsigned>(date.month()), to);
  *to++ = '-';
  return put_two_digits(static_cast<unsigned>(date.day()), to);
}

constexpr std::size_t kMaxClock = 16;
// Behind the date.
char* put_clock(std::int64_t ms_of_day, char* to) noexcept {
  *to++ = ' ';
  to = put_two_digits(ms_of_day / 3'600'000, to);
  *to++ = ':';
  to = put_two_digits(ms_of_day / 60'000 % 60, to);
  *to++ = ':';
  to = put_two_digits(ms_of_day / 1000 % 60, to);
  *to++ = '.';
  *to++ = static_cast<char>('0' + ms_of_day % 1000 / 100);
  to = put_two_digits(ms_of_day % 100, to);
  *to++ = '+';
  *to++ = '0';
  *to++ = '0';
  return to;
}

std::int64_t ms_of_day(std::int64_t time_ms) noexcept { return time_ms - day_of(time_ms) * 86'400'000; }

// Of an id's bytes.
std::array<char, 32> hex_of(const EventId& id) noexcept {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<char, 32> out;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    out[2 * i] = kDigits[id.bytes[i] >> 4];
    out[2 * i + 1] = kDigits[id.bytes[i] & 15];
  }
  return out;
}

void append_head(std::string_view kind, std::int64_t time_ms, std::string_view id, std::string_view node,
                 std::string& out) {
  char date[kMaxDate + kMaxClock];
  char* const date_end = put_date(day_of(time_ms), date);
  char* const end = put_clock(ms_of_day(time_ms), date_end);
  out.append(kind).append("\t").append(date, static_cast<std::size_t>(date_end - date));
  out.append("\t").append(id).append("\t").append(date, static_cast<std::size_t>(end - date)).append("\t");
  append_text(node, out);
  out += '\t';
}

// Status and size; null where no report says them.
void append_response(const RecordView& record, std::string& out) {
  if (record.reported && record.response_status != 0)
    append_number(record.response_status, out);
  else
    out.append(kNull);
  out += '\t';
  if (record.reported)
    append_number(record.response_size, out);
  else
    out.append(kNull);
  out += '\t';
}

// What free text is looked for in (forward/query_sql). A text with escapes is added as the server will have
// it.
constexpr std::array kSearched{member_number("host"),       member_number("urlpath"),
                               member_number("payload"),    member_number("query_string"),
                               member_number("user_agent"), member_number("referer"),
                               member_number("body")};

void add_unescaped(std::string_view escaped, TrigramSignature& signature) {
  std::string text;
  append_unescaped_json(escaped, text);
  if (text.find('\0') != std::string::npos) {
    std::string shown;
    for (const char c : text) c == '\0' ? shown.append("\\x00") : shown.append(1, c);
    text = std::move(shown);
  }
  signature.add(text);
}

// Null where `json` is no record: then it is read whatever is looked for. `plain`: without a backslash.
void append_trigrams(std::string_view json, bool plain, std::string& out) {
  const RecordReader members(json);
  if (!members.valid()) {
    out.append(kNull);
    return;
  }
  TrigramSignature signature;
  for (const std::size_t number : kSearched) {
    const std::string_view escaped = members.escaped(number);
    if (plain || escaped.find('\\') == std::string_view::npos)
      signature.add(escaped);
    else
      add_unescaped(escaped, signature);
  }
  signature.append_to(out);
}

}  // namespace

std::int64_t day_of(std::int64_t time_ms) noexcept {
  constexpr std::int64_t kDayMs = 86'400'000;
  return time_ms >= 0 ? time_ms / kDayMs : -((kDayMs - 1 - time_ms) / kDayMs);
}

std::string date_text(std::int64_t day) {
  char text[kMaxDate];
  return {text, put_date(day, text)};
}

std::string time_text(std::int64_t time_ms) {
  char text[kMaxDate + kMaxClock];
  return {text, put_clock(ms_of_day(time_ms), put_date(day_of(time_ms), text))};
}

void append_event_row(const RecordView& record, std::string_view json, bool detail, std::string_view node,
                      std::string& out) {
  out.reserve(out.size() + json.size() + (detail ? record.detail.size() : 0) + kColumnsSize);
  const std::array<char, 32> id = hex_of(record.id);
  append_head("event", record.time_ms, {id.data(), id.size()}, node, out);
  append_number(record.seq, out);
  out += '\t';
  append_text(record.site_uuid, out);
  out.append("\t").append(to_string(record.action)).append("\t");
  out.append(to_string(record.attack_type)).append("\t").append(to_string(record.risk)).append("\t");
  const auto address = IpAddress::parse(record.src_ip);
  out.append(address ? address->text() : kNull).append("\t");
  append_text(record.rule_id, out);
  out += '\t';
  append_response(record, out);
  const std::size_t before = out.size();
  append_json(json, out);
  const bool plain = out.size() - before == json.size();  // whatever is escaped becomes longer
  out += '\t';
  if (detail && !record.detail.empty())
    append_json(record.detail, out);
  else
    out += kNull;
  out += '\t';
  append_trigrams(json, plain, out);
  out += '\n';
}

void append_report_row(const RecordView& record, std::string_view json, std::string_view node,
                       std::string& out) {
  append_head("report", record.time_ms, record.id.text(), node, out);
  fmt::format_to(std::back_inserter(out), "{}\t", record.seq);
  for (int i = 0; i < 6; ++i) out.append(kNull).append("\t");
  append_response(record, out);
  const RecordReader members(json);
  std::string said = "{";
  for (const std::string_view name : {"rsp_start_time", "rsp_end_time", "resp_reason_phrase"})
    fmt::format_to(std::back_inserter(said), "{}\"{}\":{}", said.size() > 1 ? "," : "", name,
                   members.raw(member_number(name)));
  append_json(said + "}", out);
  out.append("\t").append(kNull).append("\t").append(kNull).append("\n");
}

void append_notice_row(std::string_view kind, std::string_view json, std::int64_t time_ms,
                       std::string_view node, std::string& out) {
  append_head(kind, time_ms, digest_of(json), node, out);
  for (int i = 0; i < 9; ++i) out.append(kNull).append("\t");
  append_json(json, out);
  out.append("\t").append(kNull).append("\t").append(kNull).append("\n");
}

}  // namespace wafd::forward
