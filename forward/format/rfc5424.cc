#include "forward/format/rfc5424.h"

#include <algorithm>
#include <charconv>

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxHostname = 255, kMaxAppName = 48, kMaxMsgid = 32;
// A message of 480 bytes has room for names of 64 bytes; larger ones for so much more.
constexpr std::size_t kSmallMessage = 480, kSmallNames = 64, kLeastHostname = 16;
constexpr std::size_t kMaxTag = 32;  // RFC 3164 section 5.3; alphanumeric characters alone
constexpr std::string_view kBom = "\xef\xbb\xbf";

void append_number(std::uint32_t value, std::string& out) {
  char digits[10];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// The target's own hostname is checked when it is saved; the node's name is as long as it is.
std::size_t hostname_room(const TargetSettings& target) {
  if (!target.hostname.empty() || target.max_message_bytes >= kSmallMessage + kMaxHostname)
    return kMaxHostname;
  const std::size_t more =
      target.max_message_bytes > kSmallMessage ? target.max_message_bytes - kSmallMessage : 0;
  const std::size_t names = kSmallNames + more;
  const std::size_t app_name = std::min(target.app_name.size(), kMaxAppName);
  return std::min(kMaxHostname, std::max(kLeastHostname, names - std::min(names, app_name)));
}

std::string bsd_tag(std::string_view app_name) {
  std::string tag = header_field(app_name, kMaxTag);
  for (char& c : tag)
    if (c == ':' || c == '[' || c == ']') c = '_';  // they would end the tag early
  return tag;
}

}  // namespace

std::string header_field(std::string_view text, std::size_t most) {
  if (text.empty()) return "-";
  std::string out(text.substr(0, most));
  for (char& c : out)
    if (c < 33 || c > 126) c = '?';
  return out;
}

HeaderWriter::HeaderWriter(const TargetSettings& target, std::string_view node, ZoneTime zone)
    : format_(target.header),
      facility_(target.facility),
      precision_(target.time_precision),
      bom_(target.bom),
      zone_(std::move(zone)) {
  const std::string host =
      header_field(target.hostname.empty() ? node : target.hostname, hostname_room(target));
  if (format_ == HeaderFormat::kRfc3164)
    names_ = " " + host + " " + bsd_tag(target.app_name) + "[1]: ";
  else
    names_ = " " + host + " " + header_field(target.app_name, kMaxAppName) + " 1 ";
}

void HeaderWriter::append(int severity, std::int64_t time_us, std::string_view msgid,
                          std::uint32_t sequence_id, std::string& out) {
  out += '<';
  append_number(static_cast<std::uint32_t>(facility_ * 8 + severity), out);
  if (format_ == HeaderFormat::kRfc3164) {
    out += '>';
    zone_.append_rfc3164(time_us, out);
    out += names_;
    if (bom_) out += kBom;
    return;
  }
  out += ">1 ";
  zone_.append_rfc3339(time_us, precision_, out);
  out += names_;
  out += header_field(msgid, kMaxMsgid);
  if (sequence_id == 0) {
    out += " - ";
  } else {
    out += " [meta sequenceId=\"";
    append_number(sequence_id, out);
    out += "\"] ";
  }
  if (bom_) out += kBom;
}

}  // namespace wafd::forward
