#include "detect/event_maker.h"

#include "detect/core/bytes.h"
#include "detect/core/record_json.h"
#include "detect/decode/percent.h"
#include "detect/detail.h"
#include "detect/policy/glob.h"
#include "detect/redact/masking.h"

namespace wafd::detect {
namespace {

std::string_view host_of(const Connection& connection, const RequestHead& head) noexcept {
  if (!connection.host.empty()) return without_port(connection.host);
  const std::string_view host = without_port(head.host());
  if (!host.empty() || connection.server_name == "_") return host;
  return connection.server_name;
}

std::string joined(const RequestHead& head, std::string_view name, std::string_view separator) {
  std::string out;
  for (const HeaderField& field : head.fields) {
    if (!iequals(field.name, name)) continue;
    if (!out.empty()) out += separator;
    out += field.value;
  }
  return out;
}

std::string cookie_value(std::string_view cookies, std::string_view name) {
  while (!name.empty() && !cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    const std::string_view pair = trim(cookies.substr(0, end));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && trim(pair.substr(0, equals)) == name) {
      return std::string(trim(pair.substr(equals + 1)));
    }
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
  }
  return {};
}

std::string decoded_once(std::string_view path) {
  std::string out;
  std::uint32_t flags = 0;
  return percent_decode(path, out, flags) ? out : std::string(path);
}

std::string or_else(std::string_view value, std::string_view otherwise) {
  return std::string(value.empty() ? otherwise : value);
}

// Addresses, times and place: what was told of the connection, not of the request's text.
void set_connection(AttackEvent& e, const Request& request, const EventContext& context) {
  const Connection& connection = request.connection;
  // Gateways and scripts may say anything here; the record has one of two words.
  e.scheme = iequals(connection.scheme, "https") ? "https" : "http";
  e.src_ip = connection.src_ip;
  e.src_port = connection.src_port;
  e.socket_ip = or_else(connection.socket_ip, connection.src_ip);
  e.dest_ip = connection.dest_ip;
  e.dest_port = connection.dest_port;
  e.upstream_addr = or_else(connection.upstream_addr, connection.dest_ip);
  e.proxy_name = connection.proxy_name;
  e.req_end_time_ms = (request.end_time_us != 0 ? request.end_time_us : context.now_us) / 1000;
  e.req_start_time_ms = request.start_time_us != 0 ? request.start_time_us / 1000 : e.req_end_time_ms;
  e.timestamp_s = context.now_us / 1'000'000;
  e.timestamp_human = context.timestamp_human;
  e.country = context.place.country;
  e.province = context.place.province;
  e.city = context.place.city;
}

// The request's text, masked as the site says.
void set_text(AttackEvent& e, const Connection& connection, const RequestHead& head, const Masker& masker,
              std::string_view session_cookie) {
  e.host = host_of(connection, head);
  e.method = head.method;
  e.urlpath = masker.plain(decoded_once(head.path)).text;
  e.query_string = masker.query(head.query).text;
  e.cookie = masker.cookie(joined(head, "cookie", "; ")).text;
  e.session = cookie_value(e.cookie, session_cookie);
  e.user_agent = masker.plain(head.value("user-agent")).text;
  e.referer = masker.url(head.value("referer")).text;
}

void set_judgement(AttackEvent& e, const Request& request, const Verdict& verdict, const Decision& decision) {
  e.site_uuid = decision.site->uuid;
  e.site_url = decision.site->url;
  e.attack_type = decision.attack_type;
  e.risk = decision.risk;
  e.action = decision.action;
  e.reason = decision.reason;
  e.block_reason = decision.block_reason;
  e.rule_id = decision.rule_id;
  e.rule_module = decision.rule_module;
  if (decision.weightiest >= 0) {
    const Finding& finding = verdict.findings[static_cast<std::size_t>(decision.weightiest)];
    e.location = to_string(finding.location, finding.in_name);
    e.payload = finding.payload;
    e.decode_path = finding.decode_path;
  }
  e.rule_numbers.reserve(verdict.findings.size());
  for (const Finding& finding : verdict.findings) e.rule_numbers.push_back(finding.rule->number);
  e.req_body_truncated = request.body_truncated || verdict.body_truncated;
  e.body_abandoned = request.body_abandoned || verdict.body_abandoned || verdict.by_head;
}

}  // namespace

EventRecord make_event_record(const Request& request, const RequestHead& head, const Verdict& verdict,
                              const Decision& decision, const EventContext& context) {
  const Masker masker(decision.site->mask);
  MaskedText masked_head = masker.head(request.head);
  MaskedText masked_body =
      masker.body(request.body, head.value("content-type"), head.value("content-encoding"));

  AttackEvent e;
  e.event_id = context.id;
  e.node = context.node;
  e.detect_time_us = context.detect_us;
  set_connection(e, request, context);
  set_text(e, request.connection, head, masker, decision.site->session_cookie);
  set_judgement(e, request, verdict, decision);

  EventRecord record;
  record.time_ms = context.now_us / 1000;
  record.id = context.id;
  record.attack_type = e.attack_type;
  record.risk = e.risk;
  record.action = e.action;
  record.src_ip = e.src_ip;
  record.site_uuid = e.site_uuid;
  record.rule_id = e.rule_id;
  record.detail =
      make_detail(request, verdict, decision, context.enforcement, {masked_head, masked_body}, masker);
  e.header_raw = std::move(masked_head.text);
  e.body = std::move(masked_body.text);
  record.offsets = append_record_json(e, record.json);
  return record;
}

}  // namespace wafd::detect
