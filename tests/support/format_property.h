// The property of CEF, LEEF and ECS that the fuzz target and the tests share: whatever bytes an event is
// made of and whatever the target takes, the message is sound for an independent parser, says what the record
// says, and is never longer than asked. Header-only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/core/record_json.h"
#include "forward/format/message.h"
#include "tests/support/format_contract.h"
#include "tests/support/strict_bsd.h"
#include "tests/support/strict_syslog.h"

namespace wafd::test {

// An event whose texts are slices of `bytes`; `seed` says which and how long.
inline AttackEvent hostile_event(std::string_view bytes, std::uint32_t seed) {
  const auto piece = [&](std::size_t from, std::size_t most) {
    return std::string(bytes.substr(std::min(bytes.size(), from % (bytes.size() + 1)), most));
  };
  AttackEvent e;
  e.scheme = seed & 1 ? "https" : piece(seed, 20);
  e.src_ip = seed & 2 ? "2001:db8::7" : seed & 4 ? "192.0.2.7" : piece(seed / 3, 40);
  e.src_port = static_cast<std::uint16_t>(seed);
  e.dest_ip = seed & 8 ? "198.51.100.20" : piece(seed / 5, 40);
  e.host = piece(seed / 7, 300);
  e.method = piece(seed / 11, 30);
  e.query_string = piece(0, 3000);
  e.session = piece(seed / 13, 2000);
  e.rule_id = seed & 16 ? "m_sqli/00000000000000000000000000000000"
                        : piece(seed / 17, 40);  // ours: no more than 60 of [a-z0-9_/]
  e.payload = e.reason = piece(seed / 19, 2000);
  e.cookie = e.referer = e.user_agent = piece(seed / 23, 4000);
  e.urlpath = e.decode_path = piece(seed / 29, 3000);
  e.node = e.city = piece(seed / 31, 100);
  e.header_raw = bytes;
  e.body = bytes;
  for (int i = 0; seed & 32 && i < 5; ++i) e.body += e.body.substr(0, 4096);
  for (std::uint32_t i = 0; i < seed % 130; ++i) e.rule_numbers.push_back(seed + i);
  if (seed & 64) e.rsp_start_time_ms = e.rsp_end_time_ms = 1'769'861'109'123;
  e.attack_type = static_cast<AttackType>(seed % kAttackTypes);
  e.risk = static_cast<Risk>(seed % 3);
  e.action = static_cast<Action>(seed / 3 % 3);
  return e;
}

// Empty, or what is wrong.
inline std::string check_formats(const AttackEvent& event, forward::TargetSettings target, std::size_t max) {
  std::string record;
  append_record_json(event, record);
  forward::RecordView view;
  view.time_ms = 1'769'861'109'123;
  view.risk = event.risk;
  view.json = record;
  constexpr std::pair<forward::Content, Format> kAll[] = {{forward::Content::kCef, Format::kCef},
                                                          {forward::Content::kLeef, Format::kLeef},
                                                          {forward::Content::kEcs, Format::kEcs}};
  for (const auto& [content, format] : kAll) {
    target.content = content;
    target.max_message_bytes =
        static_cast<std::uint32_t>(std::max<std::size_t>(max, format == Format::kEcs ? 2048 : 640));
    forward::MessageMaker maker(target, "node", {});
    const forward::Message m = maker.event(view, target.sequence_id ? 7 : 0);
    const std::string where = format == Format::kCef ? "cef: " : format == Format::kLeef ? "leef: " : "ecs: ";
    if (m.size() > target.max_message_bytes)
      return where + "too long: " + std::to_string(m.size()) + " > " +
             std::to_string(target.max_message_bytes);
    const FormatVerdict v = judge_format(format, record, m.content, m.truncated);
    if (!v.error.empty()) return where + v.error;
    const std::string text = std::string(m.header) + std::string(m.content);
    if (target.header == forward::HeaderFormat::kRfc5424) {
      const StrictMessage syslog = StrictParser::parse(text);
      if (!syslog.error.empty()) return where + syslog.error;
      if (syslog.msg != m.content) return where + "MSG differs";
    } else {
      const BsdMessage bsd = parse_bsd(text);
      if (!bsd.error.empty()) return where + bsd.error;
      if (bsd.msg != (target.bom ? "\xef\xbb\xbf" : "") + std::string(m.content))
        return where + "MSG differs";
    }
    if (std::string(maker.event(view, target.sequence_id ? 7 : 0).content) + std::string(m.header) !=
        text.substr(m.header.size()) + std::string(m.header))
      return where + "made again it differs";
  }
  return "";
}

}  // namespace wafd::test
