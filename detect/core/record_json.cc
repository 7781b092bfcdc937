#include "detect/core/record_json.h"

#include <charconv>
#include <concepts>

#include "detect/core/bytes.h"

namespace wafd {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void append_escape(std::uint32_t code_point, std::string& out) {
  const char text[6] = {'\\',
                        'u',
                        kHex[(code_point >> 12) & 15],
                        kHex[(code_point >> 8) & 15],
                        kHex[(code_point >> 4) & 15],
                        kHex[code_point & 15]};
  out.append(text, sizeof text);
}

// Bytes that go through as they are: printable ASCII but `"` and `\`.
constexpr bool is_plain(char c) noexcept { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

template <std::integral T>
void append_number(T value, std::string& out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

// Writes members in order and notes where their values begin.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out), start_(out.size()) {}

  std::uint32_t offset() const noexcept { return static_cast<std::uint32_t>(out_.size() - start_); }

  // Opens the next member, which must be `name`: a mistake in the order shows in the first test that runs.
  void key(std::string_view name) {
    out_ += number_ == 0 ? "{\"" : ",\"";
    out_ += name;
    out_ += "\":";
    ++number_;
  }

  void text(std::string_view name, std::string_view value) {
    key(name);
    begins_[number_ - 1] = offset();
    out_ += '"';
    append_json_text_capped(value, kMembers[number_ - 1].cap, out_);
    out_ += '"';
    ends_[number_ - 1] = offset();
  }

  // The value of an earlier member once more.
  void again(std::string_view name, std::size_t earlier) {
    key(name);
    out_.append(out_, start_ + begins_[earlier - 1], ends_[earlier - 1] - begins_[earlier - 1]);
  }

  template <std::integral T>
  void number(std::string_view name, T value) {
    key(name);
    append_number(value, out_);
  }

  std::uint32_t number_or_null(std::string_view name, std::optional<std::int64_t> value) {
    key(name);
    const std::uint32_t at = offset();
    if (value) {
      append_number(*value, out_);
    } else {
      out_ += "null";
    }
    return at;
  }

  void numbers(std::string_view name, const std::vector<std::uint32_t>& values) {
    key(name);
    out_ += '[';
    const std::size_t count = std::min<std::size_t>(values.size(), kMembers[number_ - 1].cap);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ',';
      append_number(values[i], out_);
    }
    out_ += ']';
  }

  std::uint32_t begin_of(std::size_t member) const noexcept { return begins_[member - 1]; }

 private:
  std::string& out_;
  std::size_t start_;
  std::size_t number_ = 0;
  std::array<std::uint32_t, kRecordMembers> begins_{};
  std::array<std::uint32_t, kRecordMembers> ends_{};
};

}  // namespace

void append_json_text(std::string_view text, std::string& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t plain = at;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out.append(text, at, plain - at);
    at = plain;
    if (at == text.size()) return;
    const char c = text[at];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
      ++at;
      continue;
    }
    std::uint32_t code_point = 0;
    const std::size_t length = utf8_sequence(text, at, code_point);
    if (length == 0) {
      const char escaped[5] = {'\\', '\\', 'x', kHex[byte(c) >> 4], kHex[byte(c) & 15]};
      out.append(escaped, sizeof escaped);
      ++at;
      continue;
    }
    if (code_point < 0xa0 || code_point == 0x2028 || code_point == 0x2029) {
      append_escape(code_point, out);
    } else {
      out.append(text, at, length);
    }
    at += length;
  }
}

bool append_json_text_capped(std::string_view text, std::size_t cap, std::string& out) {
  if (text.size() <= cap) {
    append_json_text(text, out);
    return false;
  }
  // UTF-8 is self-synchronising: a character across the cap begins at most three bytes before it.
  std::size_t keep = cap;
  for (std::size_t back = 1; back <= 3 && back <= cap; ++back) {
    std::uint32_t code_point = 0;
    if (utf8_sequence(text, cap - back, code_point) > back) keep = cap - back;
  }
  append_json_text(text.substr(0, keep), out);
  out += "\u2026[cut ";
  append_number(text.size() - keep, out);
  out += ']';
  return true;
}

AmendableOffsets append_record_json(const AttackEvent& event, std::string& out) {
  AmendableOffsets offsets;
  out.reserve(out.size() + 2048 + event.header_raw.size() + event.body.size());
  const bool body_cut = event.body.size() > kMembers[member_number("body") - 1].cap;
  Writer w(out);
  w.text("scheme", event.scheme);
  w.text("src_ip", event.src_ip);
  w.number("src_port", event.src_port);
  w.text("socket_ip", event.socket_ip);
  w.text("upstream_addr", event.upstream_addr);
  w.number("req_start_time", event.req_start_time_ms);
  offsets.rsp_start_time = w.number_or_null("rsp_start_time", event.rsp_start_time_ms);
  w.number("req_end_time", event.req_end_time_ms);
  offsets.rsp_end_time = w.number_or_null("rsp_end_time", event.rsp_end_time_ms);
  w.text("host", event.host);
  w.text("method", event.method);
  w.text("query_string", event.query_string);
  w.text("event_id", event.event_id.text());
  w.text("session", event.session);
  w.text("site_uuid", event.site_uuid);
  w.text("site_url", event.site_url);
  w.text("req_detector_name", event.node);
  w.number("req_detect_time", event.detect_time_us);
  w.text("req_proxy_name", event.proxy_name);
  w.text("req_rule_id", event.rule_id);
  w.text("req_location", event.location);
  w.text("req_payload", event.payload);
  w.text("req_decode_path", event.decode_path);
  w.text("req_rule_module", event.rule_module);
  w.number("req_http_body_is_truncate", event.req_body_truncated || body_cut ? 1 : 0);
  w.number("rsp_http_body_is_truncate", event.rsp_body_truncated ? 1 : 0);
  w.numbers("req_skynet_rule_id_list", event.rule_numbers);
  w.number("http_body_is_abandoned", event.body_abandoned ? 1 : 0);
  w.text("country", event.country);
  w.text("province", event.province);
  w.text("city", event.city);
  w.number("timestamp", event.timestamp_s);
  w.again("payload", member_number("req_payload"));
  w.again("location", member_number("req_location"));
  w.again("rule_id", member_number("req_rule_id"));
  w.again("decode_path", member_number("req_decode_path"));
  w.text("cookie", event.cookie);
  w.text("user_agent", event.user_agent);
  w.text("referer", event.referer);
  w.text("timestamp_human", event.timestamp_human);
  w.text("resp_reason_phrase", event.resp_reason_phrase);
  offsets.resp_reason_phrase = w.begin_of(member_number("resp_reason_phrase"));
  w.again("module", member_number("req_rule_module"));
  w.text("reason", event.reason);
  w.again("proxy_name", member_number("req_proxy_name"));
  w.again("node", member_number("req_detector_name"));
  w.number("dest_port", event.dest_port);
  w.text("dest_ip", event.dest_ip);
  w.text("urlpath", event.urlpath);
  w.again("protocol", member_number("scheme"));
  w.text("attack_type", to_string(event.attack_type));
  w.text("risk_level", to_string(event.risk));
  w.text("action", to_string(event.action));
  w.text("req_header_raw", event.header_raw);
  w.text("body", event.body);
  w.text("req_block_reason", event.block_reason);
  w.again("req_attack_type", member_number("attack_type"));
  w.again("req_risk_level", member_number("risk_level"));
  w.again("req_action", member_number("action"));
  out += '}';
  return offsets;
}

}  // namespace wafd
