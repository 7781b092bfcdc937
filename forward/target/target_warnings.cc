#include "forward/target/target_warnings.h"

#include <algorithm>

#include <fmt/format.h>

namespace wafd::forward {
namespace {

constexpr std::uint32_t kDatagramRate = 20'000;  // MachineOptions::datagram_rate

bool has_stream(const TargetSettings& t, std::string_view name) {
  return std::find(t.streams.begin(), t.streams.end(), name) != t.streams.end();
}

void add_transport(const TargetSettings& t, std::vector<std::string>& out) {
  const bool framed = t.transport == Transport::kTcp || t.transport == Transport::kTls;
  if (!framed && t.framing == Framing::kLf)
    out.push_back(fmt::format("framing: lf has no effect over {}, which keeps messages apart by itself",
                              to_string(t.transport)));
  if (t.transport == Transport::kUdp && t.rate_limit > kDatagramRate)
    out.push_back(fmt::format("rate_limit: {} has no effect over udp, which is paced to {} a second",
                              t.rate_limit, kDatagramRate));
  if (t.transport != Transport::kKafka && !t.kafka.empty())
    out.push_back(fmt::format("kafka: has no effect over {}", to_string(t.transport)));
  if (t.transport != Transport::kPostgresql && !t.postgresql.database.empty())
    out.push_back(fmt::format("postgresql: has no effect over {}", to_string(t.transport)));
  if (t.transport == Transport::kPostgresql && t.content != Content::kJson)
    out.emplace_back("content: has no effect over postgresql, which keeps the record itself");
}

void add_tls(const TargetSettings& t, std::vector<std::string>& out) {
  const TlsSettings none;
  if (!uses_tls(t)) {
    const bool given = !t.tls.ca.empty() || !t.tls.server_name.empty() || !t.tls.fingerprint_sha256.empty() ||
                       !t.tls.certificate.empty() || t.tls.min_version != none.min_version || !t.tls.verify;
    const bool may = may_encrypt(t.transport);
    if (given)
      out.push_back(fmt::format("tls: has no effect, the connection is not encrypted{}",
                                may ? " unless tls.enabled is true" : ""));
  } else if (!t.tls.verify && !t.tls.ca.empty()) {
    out.emplace_back("tls.ca: has no effect, tls.verify is false");
  }
}

void add_header(const TargetSettings& t, std::vector<std::string>& out) {
  if (t.header != HeaderFormat::kRfc3164) return;
  if (t.sequence_id)
    out.emplace_back("sequence_id: has no effect with header rfc3164, which has no structured data");
  if (t.time_precision != 3 && t.content != Content::kEcs)
    out.push_back(fmt::format("time_precision: {} has no effect with header rfc3164, whose times are seconds",
                              t.time_precision));
}

void add_streams(const TargetSettings& t, std::vector<std::string>& out) {
  if (has_stream(t, "event")) return;
  const TargetSettings none;
  const auto add = [&out](bool differs, std::string_view member) {
    if (differs) out.push_back(fmt::format("{}: has no effect, streams has no \"event\"", member));
  };
  add(t.content != none.content, "content");
  add(t.filter != none.filter && !t.filter.empty(), "filter");
  add(t.request_detail != none.request_detail, "request_detail");
  add(t.severity.has_value(), "severity");
  add(t.wait_for_report_ms != 0, "wait_for_report_ms");
}

}  // namespace

std::vector<std::string> target_warnings(const TargetSettings& target) {
  std::vector<std::string> out;
  add_transport(target, out);
  add_header(target, out);
  add_streams(target, out);
  add_tls(target, out);
  return out;
}

}  // namespace wafd::forward
