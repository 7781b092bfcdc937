// An event made of hostile bytes, under any settings: always one message for a strict, independent RFC 5424
// parser, one record of 58 members in it, no line end, and no more bytes than the target takes.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "detect/core/record_json.h"
#include "forward/format/message.h"
#include "tests/support/record_contract.h"
#include "tests/support/strict_syslog.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafd;
  if (size < 4) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 4, size - 4);
  const std::string_view third = bytes.substr(0, bytes.size() / 3);
  AttackEvent e;
  e.host = e.method = e.payload = e.src_ip = third;
  e.header_raw = bytes;
  e.body = e.cookie = bytes.substr(bytes.size() / 3);
  e.node = e.reason = e.user_agent = third;
  if (size > 100)
    for (int i = 0; i < 6; ++i) e.body += e.body.substr(0, 4096);
  std::string record;
  append_record_json(e, record);

  forward::TargetSettings t;
  t.app_name = third.substr(0, 60);
  t.hostname = bytes.substr(0, 300);
  t.facility = data[0] % 24;
  if (data[0] & 0x80) t.severity = data[1] % 8;
  t.bom = data[1] & 0x40;
  t.time_precision = data[1] & 0x20 ? 6 : 3;
  t.request_detail = static_cast<forward::RequestDetail>(data[1] % 3);
  t.max_message_bytes = 2048 + data[2] * 64u;
  forward::MessageMaker maker(t, "node", {});
  forward::RecordView view;
  view.time_ms = std::int64_t{data[3]} << 33;
  view.json = record;
  const std::uint32_t id = data[2] & 1 ? forward::kMaxSequenceId : 0;
  const forward::Message m = maker.event(view, id);
  const std::string text = std::string(m.header) + std::string(m.content);
  if (text.size() > t.max_message_bytes) std::abort();
  if (text.find('\n') != std::string::npos) std::abort();
  const auto parsed = test::StrictParser::parse(text);
  if (!parsed.error.empty() || parsed.facility != t.facility || parsed.sd.size() != (id ? 1u : 0u))
    std::abort();
  if (!test::check_record(parsed.msg).empty()) std::abort();
  return 0;
}
