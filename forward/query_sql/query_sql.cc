#include "forward/query_sql/query_sql.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "forward/query/event_query_node.h"

namespace wafd::forward {
namespace {

using Node = EventQuery::Node;

constexpr std::string_view kFalse = "false";

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

class Writer {
 public:
  explicit Writer(std::size_t first) : first_(first) {}

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
  QuerySql take() { return std::move(out_); }

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

  // `columns`: of type text, never null. ASCII case does not count: with the collation "C" lower() knows no
  // other.
  void matched(std::span<const std::string_view> columns, const TextPattern& pattern) {
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
      fmt::format_to(std::back_inserter(out_.text), R"({}lower({} COLLATE "C") {} {})", i > 0 ? " OR " : "",
                     columns[i], like ? "LIKE" : "=", place);
  }
  void matched(std::string_view column, const TextPattern& pattern) { matched({&column, 1}, pattern); }

  void value(QueryFieldId field, const QueryValue& value);
  void source(const QueryValue& value);
  void rule(const QueryValue& value);
  void size(const QueryValue& value);
  void names(const QueryValue& value);

  std::size_t first_;
  QuerySql out_;
};

std::string_view column_of(QueryFieldId field) noexcept {
  switch (field) {
    case QueryFieldId::kHost:
      return "host";
    case QueryFieldId::kPath:
      return "path";
    case QueryFieldId::kMethod:
      return "(record->>'method')";
    case QueryFieldId::kLocation:
      return "(record->>'location')";
    case QueryFieldId::kPayload:
      return "(record->>'payload')";
    case QueryFieldId::kModule:
      return "(record->>'module')";
    case QueryFieldId::kSite:
      return "site";
    case QueryFieldId::kCountry:
      return "(record->>'country')";
    case QueryFieldId::kProvince:
      return "(record->>'province')";
    case QueryFieldId::kCity:
      return "(record->>'city')";
    case QueryFieldId::kUa:
      return "(record->>'user_agent')";
    case QueryFieldId::kReferer:
      return "(record->>'referer')";
    case QueryFieldId::kSession:
      return "(record->>'session')";
    default:
      return "(record->>'node')";
  }
}

constexpr std::array<std::string_view, 7> kFreeText{"(record->>'payload')",      "path",
                                                    "(record->>'query_string')", "host",
                                                    "(record->>'user_agent')",   "(record->>'referer')",
                                                    "(record->>'body')"};

void Writer::value(QueryFieldId field, const QueryValue& value) {
  switch (field) {
    case QueryFieldId::kText:
      return matched(kFreeText, value.pattern);
    case QueryFieldId::kId:
      if (!value.id) return matched("replace(event_id::text, '-', '')", value.pattern);
      out_.text += fmt::format("event_id = {}::uuid", parameter(value.id->text()));
      return;
    case QueryFieldId::kSrc:
      return source(value);
    case QueryFieldId::kRule:
      return rule(value);
    case QueryFieldId::kStatus:
      out_.text += "(status IS NOT NULL AND ";
      matched("status::text", value.pattern);
      out_.text += ')';
      return;
    case QueryFieldId::kResponseSize:
      return size(value);
    case QueryFieldId::kParam:
      return names(value);
    default:
      return matched(column_of(field), value.pattern);
  }
}

void Writer::source(const QueryValue& value) {
  if (!value.cidr) return matched("(record->>'src_ip')", value.pattern);
  out_.text += fmt::format("(src_ip IS NOT NULL AND src_ip <<= {}::inet)", parameter(value.cidr->text()));
}

void Writer::rule(const QueryValue& value) {
  const std::string& number = value.pattern.text();
  if (!value.number) return matched("rule", value.pattern);
  if (number.size() > 1 && number.front() == '0') {  // JSON has no such number
    out_.text += kFalse;
    return;
  }
  out_.text += fmt::format("record->'req_skynet_rule_id_list' @> {}::jsonb", parameter(number));
}

void Writer::size(const QueryValue& value) {
  out_.text += fmt::format("(response_size IS NOT NULL AND response_size {} {}::bigint)", value.compare,
                           parameter(fmt::format("{}", value.size)));
}

void Writer::names(const QueryValue& value) {
  out_.text += "EXISTS (SELECT 1 FROM jsonb_path_query(detail, '$.findings[*].name') AS finding(name) WHERE ";
  matched("(finding.name #>> '{}')", value.pattern);
  out_.text += ')';
}

}  // namespace

QuerySql sql_of(const EventQuery& query, std::size_t first) {
  if (query.empty()) return {"true", {}};
  Writer writer(first);
  writer.node(*query.root());
  return writer.take();
}

}  // namespace wafd::forward
