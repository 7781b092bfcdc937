#include "forward/query/event_query.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "detect/core/bytes.h"
#include "forward/query/event_query_node.h"
#include "forward/ring/record_reader.h"

namespace wafd::forward {
namespace {

using Node = EventQuery::Node;

HeadMatch negated(HeadMatch match) noexcept {
  return match == HeadMatch::kMaybe ? match : match == HeadMatch::kYes ? HeadMatch::kNo : HeadMatch::kYes;
}

HeadMatch judge_value(QueryFieldId field, const QueryValue& value, const RecordHead& head) noexcept {
  const auto sure = [](bool yes) { return yes ? HeadMatch::kYes : HeadMatch::kNo; };
  switch (field) {
    case QueryFieldId::kId: {
      if (!value.id) return HeadMatch::kMaybe;
      std::uint64_t prefix = 0;
      std::memcpy(&prefix, value.id->bytes.data(), 8);
      return prefix == head.id_prefix ? HeadMatch::kMaybe : HeadMatch::kNo;
    }
    case QueryFieldId::kSrc:
      if (!value.cidr) return HeadMatch::kMaybe;
      return sure(head.source && value.cidr->contains(*head.source));
    // Site and rule ids have no capitals, so that their hashes decide.
    case QueryFieldId::kSite:
      return value.pattern.is_literal() ? sure(value.hash == head.site_hash) : HeadMatch::kMaybe;
    case QueryFieldId::kRule:
      return value.pattern.is_literal() && !value.number ? sure(value.hash == head.rule_hash)
                                                         : HeadMatch::kMaybe;
    default:
      return HeadMatch::kMaybe;
  }
}

HeadMatch judge_node(const Node& node, const RecordHead& head) noexcept {
  HeadMatch result = node.kind == NodeKind::kAnd ? HeadMatch::kYes : HeadMatch::kNo;
  switch (node.kind) {
    case NodeKind::kAnd:
      for (const Node& child : node.children) {
        result = std::min(result, judge_node(child, head));
        if (result == HeadMatch::kNo) break;
      }
      return result;
    case NodeKind::kOr:
      for (const Node& child : node.children) {
        result = std::max(result, judge_node(child, head));
        if (result == HeadMatch::kYes) break;
      }
      return result;
    case NodeKind::kNot:
      return negated(judge_node(node.children.front(), head));
    case NodeKind::kTerm:
      break;
  }
  const auto in_set = [&node](auto value) {
    return (node.set >> static_cast<unsigned>(value) & 1u) != 0 ? HeadMatch::kYes : HeadMatch::kNo;
  };
  switch (node.field) {
    case QueryFieldId::kType:
      return in_set(head.attack_type);
    case QueryFieldId::kRisk:
      return in_set(head.risk);
    case QueryFieldId::kAction:
      return in_set(head.action);
    default:
      break;
  }
  for (const QueryValue& value : node.values) {
    result = std::max(result, judge_value(node.field, value, head));
    if (result == HeadMatch::kYes) break;
  }
  return result;
}

// Members are unescaped when first looked at, each once per record.
class Members {
 public:
  explicit Members(const RecordView& record) : record_(record) {}

  std::string_view text(std::size_t number) {
    if (!reader_) reader_.emplace(record_.json);
    const std::string_view escaped = reader_->escaped(number);
    if (escaped.find('\\') == std::string_view::npos) return escaped;
    for (const auto& [known, text] : unescaped_) {
      if (known == number) return text;
    }
    return unescaped_.emplace_back(number, unescape_json(escaped)).second;
  }
  std::string_view raw(std::size_t number) {
    if (!reader_) reader_.emplace(record_.json);
    return reader_->raw(number);
  }
  const RecordView& record() const noexcept { return record_; }

  // Names of all findings, out of the detail block: every member "name" of a finding.
  template <class Fn>
  bool any_finding_name(const Fn& accepts) {
    std::string_view rest =
        record_.detail.substr(std::min(record_.detail.find("\"findings\":["), record_.detail.size()));
    // The key cannot stand inside of a string: there its quotes are escaped.
    static constexpr std::string_view kKey = ",\"name\":\"";
    for (std::size_t at = rest.find(kKey); at != std::string_view::npos; at = rest.find(kKey)) {
      rest.remove_prefix(at + kKey.size());
      std::size_t end = 0;
      while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
      const std::string_view name = rest.substr(0, end);
      if (accepts(name.find('\\') == std::string_view::npos ? std::string(name) : unescape_json(name)))
        return true;
      rest.remove_prefix(std::min(end, rest.size()));
    }
    return false;
  }

 private:
  const RecordView& record_;
  std::optional<RecordReader> reader_;
  std::vector<std::pair<std::size_t, std::string>> unescaped_;
};

// Whether the list of member 27 holds that number.
bool in_list(std::string_view list, std::string_view number) noexcept {
  for (std::size_t at = list.find(number); at != std::string_view::npos; at = list.find(number, at + 1)) {
    const std::size_t end = at + number.size();
    if (at > 0 && !is_digit(list[at - 1]) && end < list.size() && !is_digit(list[end])) return true;
  }
  return false;
}

std::size_t member_of(QueryFieldId field) noexcept {
  switch (field) {
    case QueryFieldId::kHost:
      return member_number("host");
    case QueryFieldId::kPath:
      return member_number("urlpath");
    case QueryFieldId::kMethod:
      return member_number("method");
    case QueryFieldId::kLocation:
      return member_number("location");
    case QueryFieldId::kPayload:
      return member_number("payload");
    case QueryFieldId::kModule:
      return member_number("module");
    case QueryFieldId::kCountry:
      return member_number("country");
    case QueryFieldId::kProvince:
      return member_number("province");
    case QueryFieldId::kCity:
      return member_number("city");
    case QueryFieldId::kUa:
      return member_number("user_agent");
    case QueryFieldId::kReferer:
      return member_number("referer");
    case QueryFieldId::kSession:
      return member_number("session");
    case QueryFieldId::kNode:
      return member_number("node");
    default:
      return 0;
  }
}

bool free_text(const TextPattern& pattern, Members& members) {
  static constexpr std::array kRead{member_number("payload"),      member_number("urlpath"),
                                    member_number("query_string"), member_number("host"),
                                    member_number("user_agent"),   member_number("referer"),
                                    member_number("body")};
  return std::any_of(kRead.begin(), kRead.end(),
                     [&](std::size_t n) { return pattern.matches(members.text(n)); });
}

bool value_matches(QueryFieldId field, const QueryValue& value, Members& members) {
  const RecordView& record = members.record();
  if (value.sieve && value.sieve->find_in(record.json) == std::string_view::npos) return false;
  switch (field) {
    case QueryFieldId::kText:
      return free_text(value.pattern, members);
    case QueryFieldId::kId:
      return value.id ? *value.id == record.id : value.pattern.matches(record.id.text());
    case QueryFieldId::kSrc: {
      if (!value.cidr) return value.pattern.matches(record.src_ip);
      const auto address = IpAddress::parse(record.src_ip);
      return address && value.cidr->contains(*address);
    }
    case QueryFieldId::kSite:
      return value.pattern.matches(record.site_uuid);
    case QueryFieldId::kRule:
      if (value.number)
        return in_list(members.raw(member_number("req_skynet_rule_id_list")), value.pattern.text());
      return value.pattern.matches(record.rule_id);
    case QueryFieldId::kStatus:
      return record.response_status != 0 && value.pattern.matches(std::to_string(record.response_status));
    case QueryFieldId::kResponseSize:
      if (!record.reported) return false;
      if (value.compare == '<') return record.response_size < value.size;
      return value.compare == '>' ? record.response_size > value.size : record.response_size == value.size;
    case QueryFieldId::kParam:
      return members.any_finding_name(
          [&value](const std::string& name) { return value.pattern.matches(name); });
    default:
      return value.pattern.matches(members.text(member_of(field)));
  }
}

bool node_matches(const Node& node, Members& members) {
  const auto child_matches = [&members](const Node& child) { return node_matches(child, members); };
  switch (node.kind) {
    case NodeKind::kAnd:
      return std::all_of(node.children.begin(), node.children.end(), child_matches);
    case NodeKind::kOr:
      return std::any_of(node.children.begin(), node.children.end(), child_matches);
    case NodeKind::kNot:
      return !child_matches(node.children.front());
    case NodeKind::kTerm:
      break;
  }
  const auto in_set = [&node](auto value) { return (node.set >> static_cast<unsigned>(value) & 1u) != 0; };
  switch (node.field) {
    case QueryFieldId::kType:
      return in_set(members.record().attack_type);
    case QueryFieldId::kRisk:
      return in_set(members.record().risk);
    case QueryFieldId::kAction:
      return in_set(members.record().action);
    default:
      break;
  }
  return std::any_of(node.values.begin(), node.values.end(),
                     [&](const QueryValue& value) { return value_matches(node.field, value, members); });
}

bool decided_by_head(const Node& node) noexcept {
  if (node.kind != NodeKind::kTerm)
    return std::all_of(node.children.begin(), node.children.end(), decided_by_head);
  switch (node.field) {
    case QueryFieldId::kType:
    case QueryFieldId::kRisk:
    case QueryFieldId::kAction:
      return true;
    case QueryFieldId::kSrc:
    case QueryFieldId::kSite:
    case QueryFieldId::kRule:
      return std::all_of(node.values.begin(), node.values.end(), [&node](const QueryValue& v) {
        return node.field == QueryFieldId::kSrc ? v.cidr.has_value() : v.pattern.is_literal() && !v.number;
      });
    default:
      return false;
  }
}

bool asks_report(const Node& node) noexcept {
  if (node.kind == NodeKind::kTerm)
    return node.field == QueryFieldId::kStatus || node.field == QueryFieldId::kResponseSize;
  return std::any_of(node.children.begin(), node.children.end(), asks_report);
}

}  // namespace

bool EventQuery::matches(const RecordView& record) const {
  if (!root_) return true;
  Members members(record);
  return node_matches(*root_, members);
}

HeadMatch EventQuery::judge(const RecordHead& head) const {
  return root_ ? judge_node(*root_, head) : HeadMatch::kYes;
}

bool EventQuery::reads_report() const { return root_ && asks_report(*root_); }

bool EventQuery::head_only() const { return !root_ || decided_by_head(*root_); }

}  // namespace wafd::forward
