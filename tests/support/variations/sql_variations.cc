// SQL: case, white space, comments, synonyms of the grammar. Literals stay what they are.
#include "tests/support/variations/text_tools.h"
#include "tests/support/variations/variations.h"

namespace wafd::variations {
namespace {

constexpr Types kSql = bit(AttackType::kSqli);

// Words of other dialects than MySQL's.
bool other_dialect(std::string_view in) {
  return holds_any(in, {"waitfor",    "pg_",        "utl_",   "dbms",   "xp_",    "dual",  "::",
                        "sysobjects", "master",     "chr(",   "ctxsys", "sqlite", "cast(", "convert(",
                        "rdb$",       "randomblob", "ascii(", "exec",   "raise",  "copy "});
}

// Letters outside of quoted literals, paths, variables and numbers written with letters.
bool recase(std::string_view in, std::string& out, bool mixed) {
  out = in;
  bool changed = false;
  for (std::size_t at = 0; at < in.size();) {
    if (!is_word(in[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < in.size() && is_word(in[end])) ++end;
    const char before = at == 0 ? ' ' : in[at - 1];
    const char after = end == in.size() ? ' ' : in[end];
    const bool keyword = is_alpha(in[at]) && end - at > 1 &&
                         std::string_view("/\\.'\"@:$`%-").find(before) == std::string_view::npos &&
                         std::string_view("/\\:'\"`%-").find(after) == std::string_view::npos;
    if (keyword) {
      std::string word(in.substr(at, end - at));
      if (mixed) {
        word = alternate_case(word, true);
      } else {
        for (char& c : word) c = is_lower(c) ? static_cast<char>(c - 32) : c;
      }
      changed = changed || word != in.substr(at, end - at);
      out.replace(at, end - at, word);
    }
    at = end;
  }
  return changed;
}
bool upper(std::string_view in, std::string& out) { return recase(in, out, false); }
bool mixed(std::string_view in, std::string& out) { return recase(in, out, true); }

// Spaces outside of comments.
bool respace(std::string_view in, std::string_view with, std::string& out) {
  if (holds_any(in, {"xp_", "exec", "waitfor", "/*!"})) return false;  // a literal may be a command, a time
  out.clear();
  bool changed = false;
  bool comment = false;
  for (std::size_t at = 0; at < in.size(); ++at) {
    const std::string_view rest = in.substr(at);
    if (rest.starts_with("--") || rest.starts_with("#")) {
      out += rest;
      break;
    }
    if (rest.starts_with("/*")) comment = true;
    if (rest.starts_with("*/")) comment = false;
    const bool space = in[at] == ' ' && !comment && at != 0 && at + 1 < in.size();
    if (space) {
      out += with;
    } else {
      out += in[at];
    }
    changed = changed || space;
  }
  return changed;
}
bool tab(std::string_view in, std::string& out) { return respace(in, "\t", out); }
bool newline(std::string_view in, std::string& out) { return respace(in, "\n", out); }
bool line_end(std::string_view in, std::string& out) { return respace(in, "\r\n", out); }
bool form_feed(std::string_view in, std::string& out) { return respace(in, "\f", out); }
bool vertical(std::string_view in, std::string& out) { return !other_dialect(in) && respace(in, "\v", out); }
bool nbsp(std::string_view in, std::string& out) { return !other_dialect(in) && respace(in, "\xa0", out); }
bool twice(std::string_view in, std::string& out) { return respace(in, "  ", out); }
bool comment(std::string_view in, std::string& out) { return respace(in, "/**/", out); }
bool comment_text(std::string_view in, std::string& out) { return respace(in, "/*the 2nd*/", out); }
bool line_comment(std::string_view in, std::string& out) { return respace(in, "-- x\n", out); }

bool versioned(std::string_view in, std::string& out) {
  if (other_dialect(in) || holds_any(in, {"/*", "--", "#"})) return false;
  out = in;
  bool changed = false;
  for (const std::string_view word : {"union", "select", "from", "where", "and", "or"}) {
    const std::size_t at = find_word(out, word);
    if (at == std::string::npos) continue;
    out.insert(at + word.size(), "*/").insert(at, "/*!50000");
    changed = true;
  }
  return changed;
}

bool between_words(std::string_view in, std::string_view first, std::string_view second,
                   std::string_view with, std::string& out) {
  const std::size_t at = find_word(in, first);
  if (at == std::string_view::npos) return false;
  const std::size_t end = at + first.size();
  const std::size_t next = in.find_first_not_of(" ", end);
  if (next == end || next == std::string_view::npos || find_word(in, second, next) != next) return false;
  out = std::string(in.substr(0, end)) + std::string(with) + std::string(in.substr(next));
  return true;
}
bool union_all(std::string_view in, std::string& out) {
  return between_words(in, "union", "select", " all ", out);
}
bool union_distinct(std::string_view in, std::string& out) {
  return !other_dialect(in) && between_words(in, "union", "select", " distinct ", out);
}

bool symbol(std::string_view in, std::string_view word, std::string_view with, std::string& out) {
  if (other_dialect(in) || holds_any(in, {"between"})) return false;
  const std::size_t at = find_word(in, word);
  if (at == std::string_view::npos || at == 0 || holds_any(in.substr(0, at), {"/*", "--", "#"})) return false;
  // Before a quote, || joins strings.
  if (at + word.size() >= in.size() || in[at + word.size()] != ' ') return false;
  out = std::string(in.substr(0, at)) + std::string(with) + std::string(in.substr(at + word.size()));
  return true;
}
bool or_symbol(std::string_view in, std::string& out) { return symbol(in, "or", "||", out); }
bool and_symbol(std::string_view in, std::string& out) { return symbol(in, "and", "&&", out); }
bool or_xor(std::string_view in, std::string& out) { return symbol(in, "or", "xor", out); }

// N=N of bare numbers, said otherwise.
bool tautology(std::string_view in, std::string_view with, std::string& out) {
  for (std::size_t at = 0; at < in.size(); ++at) {
    if (!is_digit(in[at]) || (at != 0 && (is_word(in[at - 1]) || in[at - 1] == '\'' || in[at - 1] == '.')))
      continue;
    std::size_t end = at;
    while (end < in.size() && is_digit(in[end])) ++end;
    const std::string_view number = in.substr(at, end - at);
    if (!in.substr(end).starts_with("=" + std::string(number))) continue;
    const std::size_t after = end + 1 + number.size();
    if (after < in.size() && (is_word(in[after]) || in[after] == '\'')) continue;
    out = std::string(in.substr(0, at)) + std::string(with) + std::string(in.substr(after));
    return true;
  }
  return false;
}
bool other_number(std::string_view in, std::string& out) { return tautology(in, "4711=4711", out); }
bool spaced_equals(std::string_view in, std::string& out) { return tautology(in, "7 = 7", out); }
bool like(std::string_view in, std::string& out) { return tautology(in, "7 like 7", out); }
bool greater(std::string_view in, std::string& out) { return tautology(in, "9>7", out); }
bool between(std::string_view in, std::string& out) { return tautology(in, "7 between 1 and 9", out); }
bool in_list(std::string_view in, std::string& out) { return tautology(in, "7 in (7)", out); }
bool not_equal(std::string_view in, std::string& out) { return tautology(in, "7<>9", out); }
bool strings(std::string_view in, std::string& out) { return tautology(in, "'x'='x'", out); }
bool sum(std::string_view in, std::string& out) { return tautology(in, "3+4=7", out); }
bool not_null(std::string_view in, std::string& out) { return tautology(in, "7 is not null", out); }

// The comment at the end, said otherwise.
bool end_with(std::string_view in, std::string_view end, std::string& out) {
  std::string_view text = in;
  while (!text.empty() && (text.back() == ' ' || text.back() == '+')) text.remove_suffix(1);
  if (text.ends_with("-- -") || text.ends_with("--+-")) text.remove_suffix(2);
  if (text.ends_with("--")) {
    text.remove_suffix(2);
  } else if (text.ends_with('#')) {
    text.remove_suffix(1);
  } else {
    return false;
  }
  out = std::string(text) + std::string(end);
  return out != in;
}
bool end_dashes(std::string_view in, std::string& out) { return end_with(in, "-- ", out); }
bool end_dash_word(std::string_view in, std::string& out) { return end_with(in, "-- x9", out); }
bool end_hash(std::string_view in, std::string& out) { return !other_dialect(in) && end_with(in, "#", out); }
bool end_nul(std::string_view in, std::string& out) {
  return !other_dialect(in) && end_with(in, std::string_view(";\0", 2), out);
}

bool bracket(std::string_view in, std::string& out) {
  const std::size_t at = in.find('\'');
  if (at == std::string_view::npos || at + 1 >= in.size() || in[at + 1] != ' ') return false;
  if (!end_with(in, "-- ", out)) return false;
  out.insert(at + 1, ")");
  return true;
}

bool quote_number(std::string_view in, std::string& out) {
  if (in.empty() || in[0] != '\'') return false;
  out = "-4711" + std::string(in);
  return true;
}
bool quote_word(std::string_view in, std::string& out) {
  if (in.empty() || in[0] != '\'') return false;
  out = "summer" + std::string(in);
  return true;
}

// MySQL takes white space and comments before the bracket of these; for some others it would not.
bool before_bracket(std::string_view in, std::string_view with, std::string& out) {
  out = in;
  bool changed = false;
  for (const std::string_view name : {"sleep(", "benchmark(", "load_file(", "extractvalue(", "updatexml(",
                                      "database(", "version(", "char(", "pg_sleep("}) {
    const std::size_t at = ifind(out, name);
    if (at == std::string::npos || (at != 0 && is_word(out[at - 1]))) continue;
    out.insert(at + name.size() - 1, with);
    changed = true;
  }
  return changed;
}
bool bracket_space(std::string_view in, std::string& out) { return before_bracket(in, " ", out); }
bool bracket_comment(std::string_view in, std::string& out) { return before_bracket(in, "/**/", out); }

bool wide_quote(std::string_view in, std::string& out) { return replace_all(in, "'", "\xef\xbc\x87", out); }
bool select_bracket(std::string_view in, std::string& out) {
  // union select 1,2 -> union(select 1,2): where nothing but a comment follows.
  const std::size_t at = find_word(in, "union");
  if (at == std::string_view::npos || in.find_first_of("()", at) != std::string_view::npos) return false;
  const std::size_t select = find_word(in, "select", at);
  if (select == std::string_view::npos || in.substr(at + 5, select - at - 5) != " ") return false;
  std::string cut;
  if (!end_with(in, "", cut) || cut.size() < select) return false;
  out = cut.substr(0, at + 5) + "(" + cut.substr(select) + ")-- ";
  return true;
}

constexpr const char* kAll = "SQL";
constexpr const char* kMysql = "MySQL";
constexpr Variation kVariations[] = {
    {"sql upper case", "SQL: keywords and names have no case", kSql, upper},
    {"sql mixed case", "SQL: keywords and names have no case", kSql, mixed},
    {"sql tab", kAll, kSql, tab},
    {"sql newline", kAll, kSql, newline},
    {"sql CR LF", kAll, kSql, line_end},
    {"sql form feed", kAll, kSql, form_feed},
    {"sql vertical tab", kMysql, kSql, vertical},
    {"sql no-break space", "MySQL with a latin1 connection", kSql, nbsp},
    {"sql two spaces", kAll, kSql, twice},
    {"sql comment for space", kAll, kSql, comment},
    {"sql comment with text for space", kAll, kSql, comment_text},
    {"sql line comment for space", kAll, kSql, line_comment},
    {"sql versioned comments", kMysql, kSql, versioned},
    {"sql union all", kAll, kSql, union_all},
    {"sql union distinct", "MySQL, PostgreSQL", kSql, union_distinct},
    {"sql union(select)", kMysql, kSql, select_bracket},
    {"sql || for or", kMysql, kSql, or_symbol},
    {"sql && for and", kMysql, kSql, and_symbol},
    {"sql xor for or", "MySQL; with a false left side as true as or", kSql, or_xor},
    {"sql another number", kAll, kSql, other_number},
    {"sql spaced equals", kAll, kSql, spaced_equals},
    {"sql like for =", kAll, kSql, like},
    {"sql > for =", kAll, kSql, greater},
    {"sql between for =", kAll, kSql, between},
    {"sql in for =", kAll, kSql, in_list},
    {"sql <> for =", kAll, kSql, not_equal},
    {"sql strings for numbers", kAll, kSql, strings},
    {"sql sum for =", kAll, kSql, sum},
    {"sql is not null for =", kAll, kSql, not_null},
    {"sql ends in --", kAll, kSql, end_dashes},
    {"sql ends in -- word", kAll, kSql, end_dash_word},
    {"sql ends in #", kMysql, kSql, end_hash},
    {"sql ends in ;NUL", "MySQL's C interface", kSql, end_nul},
    {"sql bracket closed too", "SQL, where the query has a bracket open", kSql, bracket},
    {"sql number before the quote", kAll, kSql, quote_number},
    {"sql word before the quote", kAll, kSql, quote_word},
    {"sql space before bracket", "MySQL, PostgreSQL", kSql, bracket_space},
    {"sql comment before bracket", "MySQL, PostgreSQL", kSql, bracket_comment},
    {"sql full-width quote", "MSSQL and others that convert to a narrow character set by best fit", kSql,
     wide_quote},
};

}  // namespace

std::span<const Variation> sql_variations() { return kVariations; }

}  // namespace wafd::variations
