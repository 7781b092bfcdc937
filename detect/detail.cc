#include "detect/detail.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/record_json.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxNameBytes = 256;
constexpr std::size_t kMaxReasonBytes = 512;
constexpr std::size_t kMaxExcerptBytes = 256;

void append_text(std::string_view key, std::string_view value, std::size_t cap, std::string& out) {
  out += '"';
  out += key;
  out += "\":\"";
  append_json_text_capped(value, cap, out);
  out += "\",";
}

template <class T>
void append_plain(std::string_view key, T value, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\"{}\":{},", key, value);
}

void close(std::string& out, char bracket) {
  if (out.back() == ',') out.pop_back();
  out += bracket;
}

// Bytes that the first `at` bytes of `text` take in the record's member: a byte that is no UTF-8 takes
// four there.
std::size_t member_position(std::string_view text, std::size_t at) noexcept {
  std::size_t position = 0;
  for (std::size_t i = 0; i < std::min(at, text.size());) {
    std::uint32_t code_point = 0;
    const std::size_t length = utf8_sequence(text, i, code_point);
    position += length == 0 ? 4 : length;
    i += std::max<std::size_t>(1, length);
  }
  return position;
}

void append_finding(const Finding& finding, const MaskedRequest& masked, const Masker& masker,
                    std::string& out) {
  const Rule& rule = *finding.rule;
  const MaskedText& part = finding.in_body ? masked.body : masked.head;
  const std::size_t begin = part.position_of(finding.raw_begin);
  // An end inside of a mask belongs behind it.
  const std::size_t last = finding.raw_end > finding.raw_begin ? finding.raw_end - 1 : finding.raw_begin;
  const bool hidden = part.hides(finding.raw_begin, std::max(finding.raw_end, finding.raw_begin + 1));
  const std::size_t end = hidden ? std::max(begin + kMask.size(), part.position_of(finding.raw_end))
                                 : part.position_of(last) + (finding.raw_end > finding.raw_begin ? 1 : 0);
  out += '{';
  append_text("rule_id", rule.id, kMaxNameBytes, out);
  append_plain("rule_number", rule.number, out);
  append_text("rule_name", rule.name, kMaxNameBytes, out);
  if (!rule.cve.empty()) append_text("cve", rule.cve, kMaxNameBytes, out);
  append_text("attack_type", to_string(rule.attack_type), kMaxNameBytes, out);
  append_text("risk_level", to_string(rule.risk), kMaxNameBytes, out);
  append_text("location", to_string(finding.location, finding.in_name), kMaxNameBytes, out);
  append_text("name", finding.name, kMaxNameBytes, out);
  out += R"("span":{"part":)";
  out += finding.in_body ? R"("body",)" : R"("head",)";
  append_plain("begin", member_position(part.text, begin), out);
  append_plain("end", member_position(part.text, end), out);
  close(out, '}');
  out += ',';
  append_text("decode_path", finding.decode_path, kMaxNameBytes, out);
  if (finding.denies_from) {
    append_text("denies_from", to_string(*finding.denies_from), kMaxNameBytes, out);
  } else {
    out += R"("denies_from":null,)";
  }
  append_text("reason", finding.reason, kMaxReasonBytes, out);
  append_text("payload", finding.payload, kMaxPayloadBytes, out);
  // The context of evidence inside a secret is masked.
  const bool secret =
      hidden || (finding.location == Location::kHeader ? masker.secret_header(finding.name)
                                                       : masker.secret_parameter(finding.name));
  std::string excerpt = secret ? finding.payload : masker.plain(finding.excerpt).text;
  if (!secret) {
    masked.head.scrub(excerpt);
    masked.body.scrub(excerpt);
  }
  append_text("excerpt", excerpt, kMaxExcerptBytes, out);
  out += secret ? R"("masked":true)" : R"("masked":false)";
  out += '}';
}

}  // namespace

std::string make_detail(const Request& request, const Verdict& verdict, const Decision& decision,
                        Enforcement enforcement, const MaskedRequest& masked, const Masker& masker) {
  std::string out = R"({"version":1,)";
  append_text("enforcement", to_string(enforcement), kMaxNameBytes, out);
  out += R"("site":{)";
  append_text("uuid", decision.site->uuid, kMaxNameBytes, out);
  append_text("name", decision.site->name, kMaxNameBytes, out);
  append_text("mode", to_string(decision.site->mode), kMaxNameBytes, out);
  append_text("sensitivity", to_string(decision.site->sensitivity), kMaxNameBytes, out);
  append_text("on_oversize", to_string(decision.site->on_oversize), kMaxNameBytes, out);
  append_text("on_limit", to_string(decision.site->on_limit), kMaxNameBytes, out);
  close(out, '}');
  out += ',';
  append_text("action", to_string(decision.action), kMaxNameBytes, out);
  append_text("reason", decision.reason, kMaxReasonBytes, out);
  if (decision.weightiest >= 0) {
    append_plain("weightiest", decision.weightiest, out);
  } else {
    out += R"("weightiest":null,)";
  }
  out += R"("excepted":[)";
  for (const Excepted& excepted : decision.excepted) {
    if (excepted.finding < kMaxDetailFindings)
      fmt::format_to(std::back_inserter(out), "{},", excepted.finding);
  }
  close(out, ']');
  out += R"(,"documents":[)";
  for (const std::uint32_t finding : decision.documents) {
    if (finding < kMaxDetailFindings) fmt::format_to(std::back_inserter(out), "{},", finding);
  }
  close(out, ']');
  out += R"(,"inspection":{)";
  append_plain("inspected_octets", verdict.inspected_bytes, out);
  append_plain("total_octets", verdict.total_bytes, out);
  append_plain("head_octets", request.head.size(), out);
  append_plain("body_octets", request.body.size(), out);
  append_plain("body_truncated", request.body_truncated || verdict.body_truncated, out);
  append_plain("body_abandoned", request.body_abandoned || verdict.body_abandoned || verdict.by_head, out);
  append_plain("limit_reached", verdict.limit_reached, out);
  append_plain("unknown_coding", verdict.unknown_coding, out);
  append_plain("interrupted", verdict.interrupted, out);
  append_plain("by_head", verdict.by_head, out);
  close(out, '}');
  out += ',';
  append_plain("masked", masked.head.masked() || masked.body.masked(), out);
  const std::size_t count = std::min(verdict.findings.size(), kMaxDetailFindings);
  append_plain("findings_left_out", verdict.findings.size() - count, out);
  out += R"("findings":[)";
  for (std::size_t i = 0; i < count; ++i) {
    append_finding(verdict.findings[i], masked, masker, out);
    out += ',';
  }
  close(out, ']');
  out += '}';
  return out;
}

}  // namespace wafd::detect
