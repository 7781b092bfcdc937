// Any bytes in every member: the record is valid JSON with 58 members in order, and so is every cut of it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "detect/core/bytes.h"
#include "detect/core/record_cut.h"
#include "detect/core/record_json.h"
#include "forward/ring/record_reader.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const std::string& text) {
  boost::json::error_code error;
  const auto value = boost::json::parse(text, error);
  require(!error && value.is_object() && value.as_object().size() == wafd::kRecordMembers);
  std::size_t i = 0;
  for (const auto& [key, member] : value.as_object())
    require(std::string_view(key) == wafd::kMembers[i++].name);
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t code_point = 0;
    const std::size_t length = wafd::utf8_sequence(text, at, code_point);
    require(length > 0 && code_point >= 0x20 && !(code_point >= 0x7f && code_point < 0xa0) &&
            code_point != 0x2028 && code_point != 0x2029);
    at += length;
  }
  wafd::RecordValues values;
  require(wafd::scan_record(text, values));
  const wafd::forward::RecordReader reader(text);
  for (std::size_t n = 1; n <= wafd::kRecordMembers; ++n) {
    const auto& member = value.as_object().at(wafd::kMembers[n - 1].name);
    if (member.is_string()) require(reader.text(n) == std::string_view(member.as_string()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::size_t max = data[0] + 256u * data[1];
  const unsigned repeat = 1u + data[2] % 64;
  std::string_view rest(reinterpret_cast<const char*>(data + 3), size - 3);
  using E = wafd::AttackEvent;
  const std::vector<std::string E::*> strings{
      &E::scheme,  &E::src_ip,  &E::host,       &E::method,     &E::query_string, &E::session,
      &E::payload, &E::rule_id, &E::cookie,     &E::user_agent, &E::referer,      &E::reason,
      &E::node,    &E::urlpath, &E::header_raw, &E::body,       &E::location,     &E::resp_reason_phrase};
  E event;
  for (std::size_t i = 0; i < strings.size() && !rest.empty(); ++i) {
    const std::size_t end = std::min(rest.find('\x01'), rest.size());
    for (unsigned n = 0; n < repeat; ++n) event.*strings[i] += rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  event.rule_numbers.assign(size % 200, static_cast<std::uint32_t>(size * 7919));
  std::string text;
  const auto offsets = wafd::append_record_json(event, text);
  check(text);
  require(text.compare(offsets.rsp_start_time, 5, "null,") == 0 &&
          text.compare(offsets.rsp_end_time, 5, "null,") == 0 && text[offsets.resp_reason_phrase] == '"');
  std::string cut;
  require(wafd::cut_record_json(text, max, cut) == (text.size() > max));
  check(cut);
  require(cut.size() <= std::max<std::size_t>(max, 1800));
  for (const auto keep : {wafd::RequestText::kHeaders, wafd::RequestText::kNone}) {
    std::string emptied;
    wafd::append_with_request_text(cut, keep, emptied);
    check(emptied);
    require(emptied.size() <= cut.size());
  }
  // Foreign text is left alone and harms nobody.
  std::string foreign;
  wafd::cut_record_json({reinterpret_cast<const char*>(data), size}, 10, foreign);
  require(foreign.size() <= size);
  return 0;
}
