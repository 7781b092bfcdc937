// Any text is parsed or refused with an offset inside of it; what a head decides, the whole record confirms;
// a query and its negation never agree.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "detect/core/record_json.h"
#include "forward/query/event_query.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

struct Sample {
  wafd::EventRecord record;
  wafd::forward::RecordView view;
  wafd::forward::RecordHead head;
};

Sample make_sample() {
  Sample s;
  wafd::AttackEvent e;
  e.src_ip = "10.1.2.3";
  e.site_uuid = "1";
  e.rule_id = "m_sqli/0123456789abcdef0123456789abcdef";
  e.host = "shop.example";
  e.urlpath = "/a/b";
  e.payload = "1' or \"1\"=1";
  e.rule_numbers = {7, 12};
  wafd::append_record_json(e, s.record.json);
  s.record.detail = R"({"findings":[{"x":1,"name":"id"}]})";
  s.record.src_ip = e.src_ip;
  s.record.site_uuid = e.site_uuid;
  s.record.rule_id = e.rule_id;
  return s;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Sample s = make_sample();
  s.view.json = s.record.json;
  s.view.detail = s.record.detail;
  s.view.src_ip = s.record.src_ip;
  s.view.site_uuid = s.record.site_uuid;
  s.view.rule_id = s.record.rule_id;
  s.head.source = wafd::IpAddress::parse(s.record.src_ip);
  s.head.site_hash = wafd::forward::text_hash(s.record.site_uuid);
  s.head.rule_hash = wafd::forward::text_hash(s.record.rule_id);

  using wafd::forward::EventQuery;
  using wafd::forward::HeadMatch;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto query = EventQuery::parse(text);
  if (!query) {
    require(query.error().offset <= size && !query.error().what.empty());
    return 0;
  }
  const bool matches = query->matches(s.view);
  const HeadMatch head = query->judge(s.head);
  require(head == HeadMatch::kMaybe || (head == HeadMatch::kYes) == matches);
  require(!query->head_only() || head != HeadMatch::kMaybe);
  if (const auto negated = EventQuery::parse("-(" + text + ")")) require(negated->matches(s.view) != matches);
  return 0;
}
