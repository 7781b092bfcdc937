#include "forward/io/postgres/copy_row.h"

#include <chrono>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"
#include "detect/core/record_members.h"
#include "forward/ring/record_reader.h"

namespace wafd::forward {
namespace {

constexpr std::string_view kNull = "\\N";
constexpr std::string_view kJsonNul = "\\u0000";

// `text` in the text format: what would end a field or a row, and the backslash, are escaped.
void append_escaped(std::string_view text, std::string& out) {
  std::size_t from = 0;
  for (std::size_t at = text.find_first_of("\\\n\r\t"); at != std::string_view::npos;
       at = text.find_first_of("\\\n\r\t", at + 1)) {
    out.append(text.substr(from, at - from));
    out += '\\';
    out += text[at] == '\n' ? 'n' : text[at] == '\r' ? 'r' : text[at] == '\t' ? 't' : '\\';
    from = at + 1;
  }
  out.append(text.substr(from));
}

// Of JSON; two characters behind a backslash belong together, so `\\u0000` is no NUL.
void append_json(std::string_view json, std::string& out) {
  std::size_t from = 0;
  for (std::size_t at = json.find(kJsonNul); at != std::string_view::npos; at = json.find(kJsonNul, at + 1)) {
    std::size_t begin = at;
    while (begin > from && json[begin - 1] == '\\') --begin;
    if ((at - begin) % 2 != 0) continue;
    append_escaped(json.substr(from, at - from), out);
    out += R"(\\\\x00)";  // the JSON text \\x00
    from = at + kJsonNul.size();
  }
  append_escaped(json.substr(from), out);
}

// A column of text: what the server would refuse (NUL, no UTF-8) is shown as the record shows it.
void append_text(std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
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

void append_time(std::int64_t time_ms, std::string& out) {
  const std::int64_t day = day_of(time_ms), ms = time_ms - day * 86'400'000;
  fmt::format_to(std::back_inserter(out), "{} {:02}:{:02}:{:02}.{:03}+00", date_text(day), ms / 3'600'000,
                 ms / 60'000 % 60, ms / 1000 % 60, ms % 1000);
}

void append_head(std::string_view kind, std::int64_t time_ms, std::string_view id, std::string_view node,
                 std::string& out) {
  out.append(kind).append("\t").append(date_text(day_of(time_ms))).append("\t").append(id).append("\t");
  append_time(time_ms, out);
  out += '\t';
  append_text(node, out);
  out += '\t';
}

// Status and size; null where no report says them.
void append_response(const RecordView& record, std::string& out) {
  if (record.reported && record.response_status != 0)
    fmt::format_to(std::back_inserter(out), "{}\t", record.response_status);
  else
    out.append(kNull).append("\t");
  if (record.reported)
    fmt::format_to(std::back_inserter(out), "{}\t", record.response_size);
  else
    out.append(kNull).append("\t");
}

}  // namespace

std::int64_t day_of(std::int64_t time_ms) noexcept {
  constexpr std::int64_t kDayMs = 86'400'000;
  return time_ms >= 0 ? time_ms / kDayMs : -((kDayMs - 1 - time_ms) / kDayMs);
}

std::string date_text(std::int64_t day) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::string time_text(std::int64_t time_ms) {
  std::string out;
  append_time(time_ms, out);
  return out;
}

void append_event_row(const RecordView& record, std::string_view json, bool detail, std::string_view node,
                      std::string& out) {
  append_head("event", record.time_ms, record.id.text(), node, out);
  fmt::format_to(std::back_inserter(out), "{}\t", record.seq);
  append_text(record.site_uuid, out);
  fmt::format_to(std::back_inserter(out), "\t{}\t{}\t{}\t", to_string(record.action),
                 to_string(record.attack_type), to_string(record.risk));
  const auto address = IpAddress::parse(record.src_ip);
  out.append(address ? address->text() : kNull).append("\t");
  append_text(record.rule_id, out);
  out += '\t';
  append_response(record, out);
  append_json(json, out);
  out += '\t';
  if (detail && !record.detail.empty())
    append_json(record.detail, out);
  else
    out += kNull;
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
  out.append("\t").append(kNull).append("\n");
}

void append_notice_row(std::string_view kind, std::string_view json, std::int64_t time_ms,
                       std::string_view node, std::string& out) {
  append_head(kind, time_ms, digest_of(json), node, out);
  for (int i = 0; i < 9; ++i) out.append(kNull).append("\t");
  append_json(json, out);
  out.append("\t").append(kNull).append("\n");
}

}  // namespace wafd::forward
