// The statements of SQL by their shape: what makes them more than a sentence that begins with "select" or
// "update".
#include <algorithm>
#include <array>

#include "detect/analyze/sql/sqli_grammar.h"
#include "detect/core/octets.h"

namespace wafd::detect::sqli {
namespace {

constexpr std::size_t kMaxItems = 256;
constexpr std::size_t kMaxWindow = 12;  // tokens in which a keyword of a statement must turn up

bool is_name_part(std::string_view text, std::initializer_list<std::string_view> names) noexcept {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return iequals(text, name); });
}

bool is_object_kind(std::string_view text) noexcept {
  return is_name_part(
      text, {"table",  "database", "schema",      "view",         "user",      "function",  "procedure",
             "proc",   "trigger",  "index",       "role",         "login",     "sequence",  "temporary",
             "temp",   "event",    "tablespace",  "alias",        "aggregate", "extension", "assembly",
             "server", "keyspace", "measurement", "materialized", "domain"});
}

bool is_star(const Token& t) noexcept { return t.kind == Kind::kArithmetic && t.first == '*'; }

bool is_text(const Token& t) noexcept { return t.kind == Kind::kString || t.kind == Kind::kOpenString; }

}  // namespace

SelectShape Grammar::select(std::size_t i) const {
  SelectShape found;
  std::size_t j = i + 1;
  while (at(j).part() == Part::kUnary && !at(j).is(Word::kExists)) ++j;
  if (at(j - 1).kind == Kind::kWord && at(j - 1).info->text == "top") {
    if (at(j).kind == Kind::kNumber)
      ++j;
    else if (at(j).kind == Kind::kLeft)
      j = behind_group(j);
  }
  bool star = false;
  bool& telling = found.telling;
  bool constants = true;  // numbers, strings, null only
  while (found.items < kMaxItems) {
    if (is_star(at(j))) {
      star = true;
      constants = false;
      ++j;
    } else {
      const Condition item = condition(j);
      if (!item) return found;
      telling = telling || item.subquery() || item.use() != Use::kNone || at(j).part() == Part::kCase ||
                (at(j).kind == Kind::kVariable && spelled(j).starts_with("@@"));
      constants = constants && item.constant();
      j = item.end;
      while (at(j).kind == Kind::kLogic || at(j).part() == Part::kLogic) {
        const Condition more = condition(j + 1);
        if (!more) break;
        telling = telling || more.subquery() || more.use() != Use::kNone;
        constants = constants && more.constant();
        j = more.end;
      }
    }
    ++found.items;
    if (at(j).is(Word::kAs))
      j += 2;
    else if (at(j).kind == Kind::kWord && at(j).part() == Part::kName &&
             (at(j + 1).kind == Kind::kComma || at(j + 1).is(Word::kFrom)))
      ++j;
    if (at(j).kind != Kind::kComma) break;
    ++j;
  }
  found.end = j;
  const bool ends = at_end(j) || at(j).kind == Kind::kRight || at(j).kind == Kind::kSemicolon ||
                    is_comment(j) || at(j).part() == Part::kUnion || at(j).part() == Part::kClause;
  if (!ends) {
    // What follows is garbled, yet a call or a subquery was selected.
    if (telling) found.shape = Shape::kWeak;
    return found;
  }
  if (at(j).is(Word::kInto)) {
    found.shape = Shape::kStrong;
    return found;
  }
  if (at(j).is(Word::kWhere) && condition(j + 1).compares) {
    found.shape = Shape::kStrong;
    return found;
  }
  if (!at(j).is(Word::kFrom)) {
    if (telling)
      found.shape = Shape::kStrong;
    else if (constants)
      found.shape = found.items > 1 ? Shape::kStrong : Shape::kWeak;
    return found;
  }
  // The table: a name, a call, or a query of its own.
  const std::size_t table = j + 1;
  if (at_end(table)) {
    found.from = true;
    found.shape = star ? Shape::kStrong : Shape::kWeak;
    return found;
  }
  if (at(table).kind == Kind::kLeft) {
    found.from = true;
    found.shape = Shape::kStrong;
    found.end = behind_group(table);
    return found;
  }
  if (at(table).kind != Kind::kWord ||
      (at(table).part() != Part::kName && at(table).part() != Part::kStatement) ||
      is_prose_word(spelled(table))) {
    return found;
  }
  found.from = true;
  Use use = Use::kNone;
  std::size_t behind = path_end(table, use);
  for (std::size_t k = table; k < behind; ++k) {
    if (at(k).kind == Kind::kWord && is_system_object(spelled(k))) found.system = true;
  }
  const bool dotted = behind > table + 1;
  if (at(behind).kind == Kind::kLeft) behind = behind_group(behind);
  if (at(behind).is(Word::kAs))
    behind += 2;
  else if (at(behind).kind == Kind::kWord && at(behind).part() == Part::kName)
    ++behind;
  found.end = behind;
  const bool stops = at_end(behind) || at(behind).kind == Kind::kRight ||
                     at(behind).kind == Kind::kSemicolon || at(behind).kind == Kind::kComma ||
                     is_comment(behind) || at(behind).part() == Part::kUnion ||
                     at(behind).part() == Part::kClause || at(behind).kind == Kind::kLogic ||
                     at(behind).part() == Part::kLogic || at(behind).kind == Kind::kOpenString;
  bool where = false;
  if (at(behind).is(Word::kWhere)) {
    const Condition filter = condition(behind + 1);
    where = filter && (filter.compares || filter.left.call || filter.left.subquery);
  }
  if (found.system || star || telling || where)
    found.shape = Shape::kStrong;
  else if (stops)
    found.shape = found.items > 1 || dotted || constants ? Shape::kStrong : Shape::kWeak;
  return found;
}

// alter system set x = …, create subscription s connection '…', create directory d as '…': objects whose kind
// is a word of other trades too, so that what belongs to them must stand behind.
bool Grammar::names_server_object(std::size_t i) const noexcept {
  const std::string_view kind = spelled(i + 1);
  if (is_name_part(kind, {"system", "session"}))
    return at(i + 2).is(Word::kSet) && at(i + 3).kind == Kind::kWord;
  if (!is_name_part(kind, {"subscription", "publication", "policy", "rule", "directory", "library", "type",
                           "package", "synonym", "language", "credential", "operator"}))
    return false;
  Use use = Use::kNone;
  if (at(i + 2).kind != Kind::kWord || at(i + 2).part() != Part::kName) return false;
  const std::size_t behind = path_end(i + 2, use);
  const bool value = is_text(at(behind + 1)) || at(behind + 1).kind == Kind::kLeft;
  return (at(behind).is(Word::kAs) && value) || (iequals(spelled(behind), "connection") && value) ||
         (at(behind).is(Word::kFor) && at(behind + 1).is(Word::kAll)) ||
         (is_name_part(spelled(behind), {"handler", "authid"}) && at(behind + 1).kind == Kind::kWord);
}

Shape Grammar::statement(std::size_t i) const {
  if (at(i).kind != Kind::kWord || at(i).quoted) return Shape::kNone;
  const Token& next = at(i + 1);
  // A keyword within the next few tokens.
  const auto later = [&](std::string_view name) {
    for (std::size_t j = i + 1; j < std::min(tokens_.size(), i + kMaxWindow); ++j) {
      if (at(j).kind == Kind::kWord && iequals(spelled(j), name)) return j;
    }
    return kNothing;
  };
  const auto strong_if = [](bool holds) { return holds ? Shape::kStrong : Shape::kNone; };
  const auto stops = [&](std::size_t j) {
    return at_end(j) || at(j).kind == Kind::kSemicolon || is_comment(j) || at(j).kind == Kind::kRight ||
           at(j).kind == Kind::kOpenString;
  };
  switch (at(i).info->word) {
    case Word::kSelect:
      return select(i).shape;
    case Word::kWaitfor:
      return strong_if(next.is(Word::kDelay) && (is_text(at(i + 2)) || at(i + 2).kind == Kind::kVariable));
    case Word::kDeclare:
      // With a type or a value, or alone: "see you; declare @home" is no statement.
      // A block of PL/SQL has both words.
      if (next.kind == Kind::kWord)
        return strong_if(at(i + 2).kind == Kind::kWord && later("begin") != kNothing);
      return strong_if(
          next.kind == Kind::kVariable && next.first == '@' &&
          (at(i + 2).kind == Kind::kWord || at(i + 2).kind == Kind::kCompare || (i == 0 && at_end(i + 2))));
    case Word::kSet:
      return strong_if(next.kind == Kind::kVariable && next.first == '@' &&
                       (at(i + 2).kind == Kind::kCompare || at_end(i + 2)));
    case Word::kDrop: {
      std::size_t j = i + 1;
      while (
          at(j).kind == Kind::kWord &&
          (is_object_kind(spelled(j)) || is_name_part(spelled(j), {"or", "replace", "if", "not", "exists"})))
        ++j;
      if (j == i + 1 && names_server_object(i)) return Shape::kStrong;
      if (j == i + 1 && !iequals(at(i).info->text, "truncate")) return Shape::kNone;
      if (at(j).kind != Kind::kWord || is_prose_word(spelled(j))) return Shape::kNone;
      Use use = Use::kNone;
      const std::size_t behind = path_end(j, use);
      // "Drop Table Sleep (Beds) Ltd": what is dropped has no list behind its name, but for a function's
      // types.
      const bool list =
          at(behind).kind == Kind::kLeft &&
          (at(i).info->text != "drop" || !is_name_part(spelled(i + 1), {"table", "view", "index"}));
      if (stops(behind) || list || at(behind).kind == Kind::kComma) return Shape::kStrong;
      return strong_if(at(behind).is(Word::kAs) ||
                       is_name_part(spelled(behind), {"cascade", "add", "change", "drop", "returns", "rename",
                                                      "identified", "modify", "to", "with"}));
    }
    case Word::kInsert:
      return strong_if(next.is(Word::kInto) && (later("values") != kNothing || later("select") != kNothing ||
                                                later("set") != kNothing || at(i + 3).kind == Kind::kLeft));
    case Word::kUpdate: {
      const std::size_t set = later("set");
      return strong_if(set != kNothing && set <= i + 6 && at(set + 1).kind == Kind::kWord &&
                       (at(set + 2).kind == Kind::kCompare || at(set + 2).kind == Kind::kDot));
    }
    case Word::kDelete: {
      const bool from = next.is(Word::kFrom);
      const std::size_t table = from ? i + 2 : i + 1;
      if (at(table).kind != Kind::kWord || is_prose_word(spelled(table))) return Shape::kNone;
      Use use = Use::kNone;
      const std::size_t behind = path_end(table, use);
      if (at(behind).is(Word::kWhere)) return strong_if(condition(behind + 1).compares);
      return strong_if(from && stops(behind));
    }
    case Word::kExec: {
      if (next.kind == Kind::kVariable || is_text(next)) return Shape::kStrong;
      if (next.kind == Kind::kLeft) return strong_if(is_text(at(i + 2)) || at(i + 2).kind == Kind::kVariable);
      if (next.kind != Kind::kWord) return Shape::kNone;
      Use use = Use::kNone;
      const std::size_t behind = path_end(i + 1, use);
      const std::string_view last = spelled(behind - 1);
      // "exec database", "Exec v. Passwd": procedures of use have a '_', and a path has no spaces.
      const bool known = use != Use::kNone && last.find('_') != std::string_view::npos;
      const bool path = at(i + 2).kind == Kind::kDot && at(i + 2).begin == at(i + 1).end &&
                        (is_name_part(spelled(i + 1), {"master", "msdb", "tempdb"}) ||
                         (!at_end(i + 3) && at(i + 3).begin == at(i + 2).end));
      return strong_if(known || istarts_with(last, "xp_") || istarts_with(last, "sp_") ||
                       iequals(last, "immediate") || path);
    }
    case Word::kCopy:
      return strong_if(
          (later("from") != kNothing || later("to") != kNothing) &&
          std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(i),
                      tokens_.begin() + static_cast<std::ptrdiff_t>(std::min(tokens_.size(), i + kMaxWindow)),
                      is_text));
    case Word::kLoad:
      return strong_if(later("infile") != kNothing);
    case Word::kCall: {
      Use use = Use::kNone;
      const bool called = next.kind == Kind::kWord && at(path_end(i + 1, use)).kind == Kind::kLeft;
      return called ? Shape::kWeak : Shape::kNone;
    }
    case Word::kWith: {
      const std::size_t as = later("as");
      return strong_if(as != kNothing && at(as + 1).kind == Kind::kLeft && at(as + 2).is(Word::kSelect));
    }
    case Word::kBegin:
      return at(i + 1).kind == Kind::kWord && i + 1 < size() && at(i + 1).part() == Part::kStatement &&
                     !at(i + 1).is(Word::kBegin)
                 ? statement(i + 1)
                 : Shape::kNone;
    default:
      break;
  }
  const std::string_view name = at(i).info->text;
  if (name == "replace")
    return strong_if(next.is(Word::kInto) && (later("values") != kNothing || later("select") != kNothing ||
                                              later("set") != kNothing));
  if (name == "shutdown") return strong_if(stops(i + 1) || next.is(Word::kWith));
  if (name == "reconfigure") return strong_if(stops(i + 1));
  if (name == "do") {
    // PostgreSQL takes a block of a procedural language in dollar quotes, MySQL an expression.
    if (next.kind == Kind::kString) return strong_if(next.first == '$');
    const bool block = iequals(spelled(i + 1), "language") && at(i + 3).kind == Kind::kString;
    return strong_if(block || (next.kind == Kind::kWord && next.info->use >= Use::kDelay &&
                               at(i + 2).kind == Kind::kLeft));
  }
  if (name == "handler")
    return strong_if(next.kind == Kind::kWord && is_name_part(spelled(i + 2), {"open", "read", "close"}));
  if (name == "grant" || name == "revoke") {
    // A role: grant dba to public
    if (next.kind == Kind::kWord && next.part() == Part::kName && !is_prose_word(spelled(i + 1)) &&
        iequals(spelled(i + 2), name == "grant" ? "to" : "from") && at(i + 3).kind == Kind::kWord &&
        (is_comment(i + 4) || at(i + 4).kind == Kind::kSemicolon || iequals(spelled(i + 3), "public")))
      return Shape::kStrong;
    return strong_if(later("on") != kNothing && (later("to") != kNothing || later("from") != kNothing));
  }
  if (name == "merge") return strong_if(next.is(Word::kInto) && later("using") != kNothing);
  if (name == "attach") return strong_if(iequals(spelled(i + 1), "database") && is_text(at(i + 2)));
  if (name == "bulk") return strong_if(next.is(Word::kInsert) && later("from") != kNothing);
  if (name == "backup" || name == "restore")
    return strong_if(is_name_part(spelled(i + 1), {"database", "log"}) && later("to") != kNothing);
  if (name == "prepare")
    return strong_if(next.kind == Kind::kWord && at(i + 2).is(Word::kFrom) &&
                     (is_text(at(i + 3)) || at(i + 3).kind == Kind::kVariable));
  if (name == "pragma" || name == "dbcc") return next.kind == Kind::kWord ? Shape::kWeak : Shape::kNone;
  return Shape::kNone;
}

}  // namespace wafd::detect::sqli
