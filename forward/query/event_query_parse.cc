#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/plain_text.h"
#include "forward/query/event_query_node.h"

namespace wafd::forward {
namespace {

using Node = EventQuery::Node;
using Sv = std::string_view;

constexpr std::array<Sv, kAttackTypes> kTypes{"sqli",
                                              "xss",
                                              "cmd_injection",
                                              "code_injection",
                                              "path_traversal",
                                              "file_inclusion",
                                              "file_upload",
                                              "backdoor",
                                              "deserialization",
                                              "expression_injection",
                                              "ssti",
                                              "ssrf",
                                              "xxe",
                                              "nosql_injection",
                                              "ldap_injection",
                                              "xpath_injection",
                                              "crlf_injection",
                                              "info_leak",
                                              "scanner",
                                              "http_violation",
                                              "acl",
                                              "rate_limit",
                                              "custom"};
constexpr std::array<Sv, 3> kRisks{"low", "medium", "high"};
constexpr std::array<Sv, 3> kActionNames{"allow", "monitor", "deny"};
constexpr std::array<Sv, 12> kLocations{"urlpath", "urlpath_name", "query",  "query_name",
                                        "header",  "header_name",  "cookie", "cookie_name",
                                        "body",    "body_name",    "file",   "file_name"};

// In the order of QueryFieldId, behind kText.
constexpr std::array<QueryField, 23> kFields{{
    {"id", "event id, 32 hex digits or a part with *", {}},
    {"type", "attack type", kTypes},
    {"risk", "risk level", kRisks},
    {"action", "what happened", kActionNames},
    {"src", "client address, prefix (10.0.0.0/8) or a part with *", {}},
    {"host", "host of the request", {}},
    {"path", "path, percent-decoded once", {}},
    {"method", "request method", {}},
    {"param", "name of the parameter, header, cookie or file of any finding", {}},
    {"location", "where it was found", kLocations},
    {"payload", "a part of the matched text", {}},
    {"rule", "rule id or rule number", {}},
    {"module", "module of the rule, m_sqli", {}},
    {"site", "site identifier", {}},
    {"country", "ISO 3166 code of the source", {}},
    {"province", "province of the source", {}},
    {"city", "city of the source", {}},
    {"ua", "a part of the user agent", {}},
    {"referer", "a part of the referer", {}},
    {"session", "session of the client", {}},
    {"node", "node that judged", {}},
    {"status", "status of the response, 503 or 5*", {}},
    {"response_size", "bytes of the response's body, 0, >1000000 or <100", {}},
}};

constexpr bool is_field_letter(char c) noexcept { return is_alpha(c) || c == '_'; }
constexpr bool is_contained(QueryFieldId field) noexcept {
  return field == QueryFieldId::kText || field == QueryFieldId::kPayload || field == QueryFieldId::kUa ||
         field == QueryFieldId::kReferer;
}

// Whether a field is searched in the record's JSON: those of its head and of its detail block are not.
constexpr bool is_of_json(QueryFieldId field) noexcept {
  switch (field) {
    case QueryFieldId::kId:
    case QueryFieldId::kSrc:
    case QueryFieldId::kParam:
    case QueryFieldId::kRule:
    case QueryFieldId::kSite:
    case QueryFieldId::kStatus:
    case QueryFieldId::kResponseSize:
      return false;
    default:
      return true;
  }
}

template <class Names>
std::string listed(const Names& names) {
  std::string out;
  for (const auto& name : names) out += fmt::format("{}{}", out.empty() ? "" : ", ", name);
  return out;
}

// An excerpt of the query, safe to show.
std::string shown(Sv text) { return printable_ascii(text, 40); }

class Parser {
 public:
  explicit Parser(Sv text) : text_(text) {}

  Result<Node> parse() {
    if (text_.size() > EventQuery::kMaxBytes) {
      return fail(ErrorCode::kTooLarge, fmt::format("expected at most {} bytes", EventQuery::kMaxBytes),
                  EventQuery::kMaxBytes);
    }
    auto node = alternatives(0);
    if (node && at_ < text_.size())
      return error(at_, "an operator or a term, found a closing parenthesis too many");
    return node;
  }

 private:
  static tl::unexpected<Error> error(std::size_t at, const std::string& expected) {
    return fail(ErrorCode::kInvalid, "expected " + expected, at);
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool at_or() const {
    const std::size_t end = at_ + 2;
    return iequals(text_.substr(at_, 2), "or") &&
           (end >= text_.size() || is_space(text_[end]) || text_[end] == '(' || text_[end] == ')');
  }

  Result<Node> alternatives(std::size_t depth) {
    Node any;
    any.kind = NodeKind::kOr;
    for (;;) {
      auto all = sequence(depth);
      if (!all) return all;
      any.children.push_back(std::move(*all));
      if (at_ >= text_.size() || !at_or()) break;
      at_ += 2;
    }
    if (any.children.size() == 1) {
      Node only = std::move(any.children.front());
      return only;
    }
    return any;
  }

  Result<Node> sequence(std::size_t depth) {
    Node all;
    const std::size_t begin = at_;
    for (;;) {
      skip_space();
      if (at_ >= text_.size() || text_[at_] == ')' || at_or()) break;
      auto one = unary(depth);
      if (!one) return one;
      all.children.push_back(std::move(*one));
    }
    const bool whole = begin == 0 && depth == 0 && at_ >= text_.size();  // the empty query is one
    if (all.children.empty() && !whole) return error(at_, "a term");
    return all;
  }

  Result<Node> unary(std::size_t depth) {
    if (depth >= EventQuery::kMaxDepth) return error(at_, "less nesting");
    if (text_[at_] == '-' && at_ + 1 < text_.size() && !is_space(text_[at_ + 1])) {
      ++at_;
      auto inner = unary(depth + 1);
      if (!inner) return inner;
      Node none;
      none.kind = NodeKind::kNot;
      none.children.push_back(std::move(*inner));
      return none;
    }
    if (text_[at_] != '(') return term();
    const std::size_t open = at_++;
    auto inner = alternatives(depth + 1);
    if (!inner) return inner;
    if (at_ >= text_.size()) return error(open, "a closing parenthesis to this one");
    ++at_;
    return inner;
  }

  Result<Node> term() {
    Node node;
    node.kind = NodeKind::kTerm;
    const std::size_t begin = at_;
    std::size_t colon = begin;
    while (colon < text_.size() && is_field_letter(text_[colon])) ++colon;
    if (colon > begin && colon < text_.size() && text_[colon] == ':') {
      const std::string name = to_lower(text_.substr(begin, colon - begin));
      const auto found =
          std::find_if(kFields.begin(), kFields.end(), [&](const QueryField& f) { return f.name == name; });
      if (found == kFields.end()) {
        std::string names;
        for (const auto& field : kFields) names += fmt::format("{}{}", names.empty() ? "" : ", ", field.name);
        return error(
            begin, fmt::format("a field ({}) or text with a colon in quotes, found {}", names, shown(name)));
      }
      node.field = static_cast<QueryFieldId>(found - kFields.begin() + 1);
      at_ = colon + 1;
    }
    for (;;) {
      if (auto one = value(node); !one) return tl::unexpected(one.error());
      if (node.field == QueryFieldId::kText || at_ >= text_.size() || text_[at_] != ',') break;
      ++at_;
    }
    return node;
  }

  // One value of the term, quoted or bare.
  Result<void> value(Node& node) {
    const std::size_t begin = at_;
    std::string text;
    const bool quoted = at_ < text_.size() && text_[at_] == '"';
    if (quoted) {
      for (++at_;; ++at_) {
        if (at_ >= text_.size()) return error(begin, "a closing quote to this one");
        if (text_[at_] == '"') break;
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        text += text_[at_];
      }
      ++at_;
      if (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ',' && text_[at_] != ')') {
        return error(at_, "a space behind the closing quote");
      }
    } else {
      const Sv stop = node.field == QueryFieldId::kText ? Sv("()\"") : Sv("(),\"");
      while (at_ < text_.size() && !is_space(text_[at_]) && stop.find(text_[at_]) == Sv::npos)
        text += text_[at_++];
      if (text.empty())
        return error(at_, node.field == QueryFieldId::kText ? "a term" : "a value behind the colon");
    }
    if (++terms_ > EventQuery::kMaxTerms)
      return error(begin, fmt::format("at most {} values", EventQuery::kMaxTerms));
    return add(node, text, quoted, begin);
  }

  Result<void> add(Node& node, const std::string& text, bool quoted, std::size_t begin) {
    const auto kind = is_contained(node.field) ? PatternKind::kPart : PatternKind::kWhole;
    // Contained text is looked for as it is; a star there is a wish for "anything between", still not
    // anchored.
    const bool globs = !quoted && text.find('*') != std::string::npos;
    QueryValue value{TextPattern(globs && kind == PatternKind::kPart ? "*" + text + "*" : text, kind, globs),
                     {},
                     {},
                     0,
                     false};
    switch (node.field) {
      case QueryFieldId::kType:
        return choose(node, value.pattern, kTypes, begin);
      case QueryFieldId::kRisk:
        return choose(node, value.pattern, kRisks, begin);
      case QueryFieldId::kAction:
        return choose(node, value.pattern, kActionNames, begin);
      default:
        if (auto good = read_value(node.field, text, globs, begin, value); !good) return good;
    }
    if (is_of_json(node.field) && value.pattern.sure_part().size() > 1)
      value.sieve.emplace(value.pattern.sure_part());
    node.values.push_back(std::move(value));
    return {};
  }

  // The text as the field takes it, besides a pattern.
  Result<void> read_value(QueryFieldId field, const std::string& text, bool globs, std::size_t begin,
                          QueryValue& value) {
    switch (field) {
      case QueryFieldId::kId:
        if (globs) break;
        value.id = EventId::parse(to_lower(text));
        if (!value.id)
          return error(begin, fmt::format("32 hex digits, or a part of them with *, found {}", shown(text)));
        break;
      case QueryFieldId::kSrc:
        if (globs) break;
        if (auto cidr = Cidr::parse(text)) {
          value.cidr = *cidr;
        } else if (!text.empty()) {  // "": events whose source is not known
          return error(begin, fmt::format("an address, a prefix like 10.0.0.0/8 or a part with *, found {}",
                                          shown(text)));
        }
        break;
      case QueryFieldId::kRule:
        value.number = std::all_of(text.begin(), text.end(), is_digit) && !text.empty();
        value.hash = text_hash(to_lower(text));
        break;
      case QueryFieldId::kSite:
        value.hash = text_hash(to_lower(text));
        break;
      case QueryFieldId::kStatus:
        if (!std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '*'; }) ||
            text.empty()) {
          return error(begin, fmt::format("a status like 503 or 5*, found {}", shown(text)));
        }
        break;
      case QueryFieldId::kResponseSize:
        if (!read_size(text, value))
          return error(begin,
                       fmt::format("a number of bytes like 512, >1000000 or <100, found {}", shown(text)));
        break;
      default:
        break;
    }
    return {};
  }

  // At most 18 digits, so that nothing overflows.
  static bool read_size(Sv text, QueryValue& value) {
    if (text.starts_with('>') || text.starts_with('<')) {
      value.compare = text.front();
      text.remove_prefix(1);
    }
    if (text.empty() || text.size() > 18 || !std::all_of(text.begin(), text.end(), is_digit)) return false;
    for (const char c : text) value.size = value.size * 10 + static_cast<std::uint64_t>(c - '0');
    return true;
  }

  template <class Names>
  Result<void> choose(Node& node, const TextPattern& pattern, const Names& names, std::size_t begin) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (pattern.matches(names[i])) bits |= 1u << i;
    }
    if (bits == 0)
      return error(begin, fmt::format("one of {}, found {}", listed(names), shown(pattern.text())));
    node.set |= bits;
    return {};
  }

  Sv text_;
  std::size_t at_ = 0;
  std::size_t terms_ = 0;
};

}  // namespace

Result<EventQuery> EventQuery::parse(std::string_view text) {
  auto node = Parser(text).parse();
  if (!node) return tl::unexpected(node.error());
  EventQuery query;
  const bool everything = node->kind == NodeKind::kAnd && node->children.empty();
  if (!everything) query.root_ = std::make_shared<const Node>(std::move(*node));
  return query;
}

std::span<const QueryField> query_fields() noexcept { return kFields; }

}  // namespace wafd::forward
