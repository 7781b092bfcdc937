#include "forward/format/sample_event.h"

#include "detect/core/attack_event.h"
#include "detect/core/record_json.h"

namespace wafd::forward {

EventRecord sample_event(const EventId& id, std::string_view node, std::int64_t now_us, ZoneTime& zone) {
  std::string human;
  zone.append_rfc3339(now_us, 3, human);  // YYYY-MM-DDThh:mm:ss...
  human.resize(19);
  human[10] = ' ';
  AttackEvent e;
  e.scheme = "https";
  e.src_ip = e.socket_ip = "192.0.2.7";
  e.src_port = 49152;
  e.dest_ip = e.upstream_addr = "198.51.100.20";
  e.dest_port = 443;
  e.req_start_time_ms = e.req_end_time_ms = now_us / 1000;
  e.host = "shop.example";
  e.method = "GET";
  e.query_string = "id=1%27%20OR%20%271%27=%271";
  e.event_id = id;
  e.site_uuid = "0";
  e.site_url = "https://shop.example/";
  e.detect_time_us = 42;
  e.proxy_name = "sample";
  e.rule_id = "m_sqli/00000000000000000000000000000000";
  e.location = "query";
  e.payload = "1' OR '1'='1";
  e.decode_path = "percent";
  e.rule_module = "m_sqli";
  e.timestamp_s = now_us / 1'000'000;
  e.timestamp_human = human;
  e.user_agent = "wafd-sample/1";
  e.reason = "Sample event: no such request was made";
  e.node = node;
  e.urlpath = "/products";
  e.attack_type = AttackType::kSqli;
  e.risk = Risk::kHigh;
  e.action = Action::kDeny;
  e.header_raw =
      "GET /products?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: "
      "wafd-sample/1\r\n\r\n";
  e.block_reason = "web";
  EventRecord record;
  record.time_ms = now_us / 1000;
  record.id = id;
  record.attack_type = e.attack_type;
  record.risk = e.risk;
  record.action = e.action;
  record.src_ip = e.src_ip;
  record.site_uuid = e.site_uuid;
  record.rule_id = e.rule_id;
  record.offsets = append_record_json(e, record.json);
  record.detail = "{}";
  return record;
}

}  // namespace wafd::forward
