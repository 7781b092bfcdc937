#include "forward/query_sql/query_sql.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "forward/query/event_query_node.h"
#include "forward/query_sql/trigram_signature.h"

namespace wafd::forward {
namespace {

using Node = EventQuery::Node;

constexpr std::string_view kFalse = "false";
constexpr std::string_view kEventTable = "wafd_events";
// Of a record that is no object there is nothing to take apart, which jsonb_to_record() takes for an error.
// jsonb_typeof() would read a record that stands beside its row once more.
constexpr std::string_view kObject =
    R"(jsonb_path_query_first(one.record, 'strict $ ? (@.type() == "object")'))";

// No text of PostgreSQL holds a NUL: rows have `\x00` in its place.
std::string without_nul(std::string_view text) {
  std::string out;
  for (const char c : text) c == '\0' ? out.append("\\x00") : out.append(1, c);
  return out;
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t code_point = 0;
    const std::size_t size = utf8_sequence(text, at, code_point);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

// `text` as a pattern of LIKE, in which `*` stands for any run if `globs`.
std::string like_pattern(std::string_view text, bool globs) {
  std::string out;
  for (const char c : text) {
    if (globs && c == '*') {
      out += '%';
      continue;
    }
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// Where a text stands: in a column of its own, in the record, or in a column that with_members() makes of it.
enum class TextIn : std::uint8_t { kColumn, kRecord, kMember };

// Masked for viewers or not.
struct MemberText {
  std::string_view name;
  TextIn in = TextIn::kRecord;
  bool masked = false;
};

class Writer {
 public:
  Writer(std::size_t first, Mask mask) : first_(first), mask_(mask) {}

  void node(const Node& node) {
    switch (node.kind) {
      case NodeKind::kAnd:
        return joined(node.children, " AND ", "true");
      case NodeKind::kOr:
        return joined(node.children, " OR ", "false");
      case NodeKind::kNot:
        out_.text += "NOT ";
        out_.text += '(';
        this->node(node.children.front());
        out_.text += ')';
        return;
      case NodeKind::kTerm:
        return term(node);
    }
  }
  // What rows hold that the node can match at all, by their signatures; empty: any. For viewers there is
  // none: how long an answer takes would say what stands behind the mask.
  std::string candidates(const Node& node);
  QuerySql take(std::string_view candidates) {
    if (!candidates.empty()) out_.text = fmt::format("({} AND {})", candidates, out_.text);
    return std::move(out_);
  }

 private:
  void joined(const std::vector<Node>& children, std::string_view between, std::string_view none) {
    if (children.empty()) {
      out_.text += none;
      return;
    }
    out_.text += '(';
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (i > 0) out_.text += between;
      node(children[i]);
    }
    out_.text += ')';
  }

  void term(const Node& node) {
    switch (node.field) {
      case QueryFieldId::kType:
        return set<AttackType>("attack_type", node.set, kAttackTypes);
      case QueryFieldId::kRisk:
        return set<Risk>("risk", node.set, 3);
      case QueryFieldId::kAction:
        return set<Action>("action", node.set, 3);
      default:
        break;
    }
    out_.text += '(';
    for (std::size_t i = 0; i < node.values.size(); ++i) {
      if (i > 0) out_.text += " OR ";
      value(node.field, node.values[i]);
    }
    out_.text += ')';
  }

  // Of names that this program knows.
  template <class T>
  void set(std::string_view column, std::uint32_t bits, std::size_t count) {
    fmt::format_to(std::back_inserter(out_.text), "{} IN (", column);
    bool more = false;
    for (std::size_t i = 0; i < count; ++i) {
      if ((bits >> i & 1u) == 0) continue;
      fmt::format_to(std::back_inserter(out_.text), "{}'{}'", more ? ", " : "", to_string(static_cast<T>(i)));
      more = true;
    }
    out_.text += ')';
  }

  // Its place as `$n`.
  std::string parameter(std::string text) {
    out_.parameters.push_back(std::move(text));
    return fmt::format("${}", first_ + out_.parameters.size() - 1);
  }

  // A member of the record, or a column; never null. What viewers do not see is there as they see it.
  std::string shown(const MemberText& member) {
    std::string text(member.name);
    if (member.in == TextIn::kRecord) text = fmt::format("coalesce(record->>'{}', '')", member.name);
    if (member.in == TextIn::kMember) {
      text = fmt::format("coalesce(m_{}, '')", member.name);
      if (std::find(out_.members.begin(), out_.members.end(), member.name) == out_.members.end())
        out_.members.push_back(member.name);
    }
    if (mask_ == Mask::kNone || !member.masked) return text;
    return fmt::format("CASE WHEN {0} = '' THEN '' ELSE '***' END", text);
  }

  void matched(std::span<const MemberText> members, const TextPattern& pattern) {
    std::vector<std::string> columns;
    columns.reserve(members.size());
    for (const MemberText& member : members) columns.push_back(shown(member));
    matched_columns({columns.begin(), columns.end()}, pattern);
  }
  // `columns`: of type text, never null. ASCII case does not count: with the collation "C" lower() knows no
  // other.
  void matched_columns(const std::vector<std::string>& columns, const TextPattern& pattern) {
    // Every text of a row is UTF-8.
    if (!is_utf8(pattern.text())) {
      out_.text += kFalse;
      return;
    }
    const bool like = pattern.is_part() || !pattern.is_literal();
    std::string text = to_lower(without_nul(pattern.text()));
    if (like) text = like_pattern(text, !pattern.is_literal());
    if (pattern.is_part() && pattern.is_literal()) text = "%" + text + "%";
    const std::string place = parameter(std::move(text));
    for (std::size_t i = 0; i < columns.size(); ++i)
      fmt::format_to(std::back_inserter(out_.text), R"({}lower(({}) COLLATE "C") {} {})", i > 0 ? " OR " : "",
                     columns[i], like ? "LIKE" : "=", place);
  }
  void matched_column(std::string_view column, const TextPattern& pattern) {
    matched_columns({std::string(column)}, pattern);
  }

  std::string candidates(const TextPattern& pattern);

  void value(QueryFieldId field, const QueryValue& value);
  void source(const QueryValue& value);
  void rule(const QueryValue& value);
  void size(const QueryValue& value);
  void names(const QueryValue& value);

  std::size_t first_;
  Mask mask_;
  QuerySql out_;
};

MemberText member_of(QueryFieldId field) noexcept {
  switch (field) {
    case QueryFieldId::kHost:
      return {"host", TextIn::kColumn};
    case QueryFieldId::kPath:
      return {"path", TextIn::kColumn};
    case QueryFieldId::kMethod:
      return {"method"};
    case QueryFieldId::kLocation:
      return {"location"};
    case QueryFieldId::kPayload:
      return {"payload", TextIn::kRecord, true};
    case QueryFieldId::kModule:
      return {"module"};
    case QueryFieldId::kSite:
      return {"site", TextIn::kColumn};
    case QueryFieldId::kCountry:
      return {"country"};
    case QueryFieldId::kProvince:
      return {"province"};
    case QueryFieldId::kCity:
      return {"city"};
    case QueryFieldId::kUa:
      return {"user_agent"};
    case QueryFieldId::kReferer:
      return {"referer", TextIn::kRecord, true};
    case QueryFieldId::kSession:
      return {"session", TextIn::kRecord, true};
    default:
      return {"node"};
  }
}

constexpr std::array<MemberText, 7> kFreeText{{{"path", TextIn::kColumn},
                                               {"host", TextIn::kColumn},
                                               {"payload", TextIn::kMember, true},
                                               {"query_string", TextIn::kMember, true},
                                               {"user_agent", TextIn::kMember},
                                               {"referer", TextIn::kMember, true},
                                               {"body", TextIn::kMember, true}}};

void Writer::value(QueryFieldId field, const QueryValue& value) {
  switch (field) {
    case QueryFieldId::kText:
      return matched(kFreeText, value.pattern);
    case QueryFieldId::kId:
      if (!value.id) return matched_column("replace(event_id::text, '-', '')", value.pattern);
      out_.text += fmt::format("event_id = {}::uuid", parameter(value.id->text()));
      return;
    case QueryFieldId::kSrc:
      return source(value);
    case QueryFieldId::kRule:
      return rule(value);
    case QueryFieldId::kStatus:
      out_.text += "(status IS NOT NULL AND ";
      matched_column("status::text", value.pattern);
      out_.text += ')';
      return;
    case QueryFieldId::kResponseSize:
      return size(value);
    case QueryFieldId::kParam:
      return names(value);
    default: {
      const MemberText member = member_of(field);
      return matched({&member, 1}, value.pattern);
    }
  }
}

void Writer::source(const QueryValue& value) {
  if (!value.cidr) return matched_column("coalesce(record->>'src_ip', '')", value.pattern);
  out_.text += fmt::format("(src_ip IS NOT NULL AND src_ip <<= {}::inet)", parameter(value.cidr->text()));
}

void Writer::rule(const QueryValue& value) {
  const std::string& number = value.pattern.text();
  if (!value.number) return matched_column("rule", value.pattern);
  if (number.size() > 1 && number.front() == '0') {  // JSON has no such number
    out_.text += kFalse;
    return;
  }
  out_.text +=
      fmt::format("coalesce(record->'req_skynet_rule_id_list' @> {}::jsonb, false)", parameter(number));
}

void Writer::size(const QueryValue& value) {
  out_.text += fmt::format("(response_size IS NOT NULL AND response_size {} {}::bigint)", value.compare,
                           parameter(fmt::format("{}", value.size)));
}

void Writer::names(const QueryValue& value) {
  out_.text += "EXISTS (SELECT 1 FROM jsonb_path_query(detail, '$.findings[*].name') AS finding(name) WHERE ";
  matched_column("coalesce(finding.name #>> '{}', '')", value.pattern);
  out_.text += ')';
}

// Whose texts the signature of a row is of (copy_row).
bool is_signed(QueryFieldId field) noexcept {
  switch (field) {
    case QueryFieldId::kText:
    case QueryFieldId::kHost:
    case QueryFieldId::kPath:
    case QueryFieldId::kPayload:
    case QueryFieldId::kUa:
    case QueryFieldId::kReferer:
      return true;
    default:
      return false;
  }
}

std::string Writer::candidates(const TextPattern& pattern) {
  TrigramSignature signature;
  const std::string text = without_nul(pattern.text());
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = pattern.is_literal() ? text.size() : std::min(text.find('*', at), text.size());
    signature.add(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  if (signature.empty()) return {};
  return fmt::format("coalesce((trigrams & {0}::bit(1024)) = {0}::bit(1024), true)",
                     parameter(signature.text()));
}

std::string Writer::candidates(const Node& node) {
  if (mask_ != Mask::kNone || node.kind == NodeKind::kNot) return {};
  const bool all = node.kind == NodeKind::kAnd;
  if (node.kind == NodeKind::kTerm && !is_signed(node.field)) return {};
  std::string out;
  bool anything = false;
  const auto add = [&](const std::string& one) {
    anything |= one.empty() && !all;
    if (!one.empty()) out.append(out.empty() ? "(" : all ? " AND " : " OR ").append(one);
  };
  const std::size_t before = out_.parameters.size();
  for (const Node& child : node.children) add(candidates(child));
  for (const QueryValue& value : node.values) add(candidates(value.pattern));
  if (out.empty() || !anything) return out.empty() ? out : out + ")";
  out_.parameters.resize(before);  // the server takes none that stands nowhere
  return {};
}

}  // namespace

QuerySql sql_of(const EventQuery& query, std::size_t first, Mask mask) {
  if (query.empty()) return {"true", {}, {}};
  Writer writer(first, mask);
  writer.node(*query.root());
  return writer.take(writer.candidates(*query.root()));
}

std::string with_members(std::string_view table, std::span<const std::string_view> members) {
  if (members.empty())
    return table == kEventTable ? std::string(table) : fmt::format("{} AS {}", table, kEventTable);
  std::string columns, types;
  for (const std::string_view name : members) {
    fmt::format_to(std::back_inserter(columns), ", member.{0} AS m_{0}", name);
    fmt::format_to(std::back_inserter(types), "{}{} text", types.empty() ? "" : ", ", name);
  }
  return fmt::format(
      "(SELECT one.*{} FROM {} AS one CROSS JOIN LATERAL jsonb_to_record({}) AS member({})) AS {}", columns,
      table, kObject, types, kEventTable);
}

}  // namespace wafd::forward
