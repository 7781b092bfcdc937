#include "detect/analyze/nosql/statements.h"

#include <algorithm>

#include "detect/analyze/nosql/clauses.tsv.h"
#include "detect/analyze/nosql/commands.tsv.h"
#include "detect/analyze/nosql/cursor.h"
#include "detect/analyze/nosql/methods.tsv.h"
#include "detect/core/byte_finder.h"

namespace wafd::detect::nosql {
namespace {

constexpr std::size_t kMaxValueBytes = 32;     // of an application's own value before a second statement
constexpr std::size_t kMaxPatternBytes = 256;  // of a pattern of nodes, of clauses behind a string

constexpr ByteFinder kLineEnds("\r\n");

bool is_clause(std::string_view word, ClauseUse use) noexcept {
  const Clause* row = kClauses.find(word);
  return row != nullptr && meets(row->use, use);
}

class Finder {
 public:
  explicit Finder(std::string_view text) noexcept : text_(text), first_line_end_(kLineEnds.find(text, 0)) {
    const std::size_t close = text.rfind(')');
    closes_at_ = close == std::string_view::npos ? 0 : close + 1;
  }

  Statement run() noexcept {
    behind_quote();
    // Lines of a document hold commands by right: then words stand before the first end of a line.
    const bool one_value = trim(text_.substr(0, first_line_end_)).find(' ') == std::string_view::npos;
    bool line = true;  // white space alone since its beginning
    for (std::size_t i = 0; i < text_.size() && best_.certainty != Certainty::kCertain;) {
      const char c = text_[i];
      if (is_name_byte(c)) {
        const std::string_view word = word_at(text_, i);
        statement(i, word);
        if (line) command(i, i > first_line_end_ && one_value);
        line = false;
        i += word.size();
        continue;
      }
      if (line && c == '*') protocol(i);
      line = c == '\n' || c == '\r' || (line && is_space(c));
      ++i;
    }
    return best_;
  }

 private:
  void add(bool certain, std::size_t begin, std::size_t end, std::string_view what) noexcept {
    const Statement found{certain ? Certainty::kCertain : Certainty::kPossible, begin, end, what};
    if (!best_ || found.certainty > best_.certainty) best_ = found;
  }

  void statement(std::size_t at, std::string_view word) noexcept {
    Cursor cursor{text_, at + word.size()};
    switch (word.size()) {
      case 2:
        if (iequals(word, "db")) method(at);
        return;
      case 4:
        if (iequals(word, "call")) procedure(at, cursor);
        if (iequals(word, "load")) load_csv(at, cursor);
        return;
      case 5:
        if (iequals(word, "match")) match(at, cursor);
        return;
      case 6:
        if (iequals(word, "detach") && cursor.word("delete") && !cursor.word().empty())
          add(ends_at(cursor.at) || next_is(cursor.at, ','), at, cursor.at, "DETACH DELETE");
        return;
      default:
        return;
    }
  }

  bool next_is(std::size_t at, char c) const noexcept {
    const std::size_t next = skip_space(text_, at);
    return next < text_.size() && text_[next] == c;
  }

  // Nothing follows but what ends a statement or comments out the rest.
  bool ends_at(std::size_t at) const noexcept {
    const std::string_view rest = text_.substr(skip_space(text_, at));
    return rest.empty() || rest.starts_with("//") ||
           std::string_view(";'\"}").find(rest[0]) != std::string_view::npos;
  }

  // Before it stands nothing, or a short value of the application's and a sign that ends it.
  bool begins_at(std::size_t at) const noexcept {
    const auto skip_back = [&] {
      while (at > 0 && is_space(text_[at - 1])) --at;
    };
    skip_back();
    // true; return db.version()
    if (at >= 6 && text_.substr(at - 6, 6) == "return") {
      at -= 6;
      skip_back();
    }
    if (at == 0) return true;
    return at <= kMaxValueBytes &&
           std::string_view(";'\"`})").find(text_[at - 1]) != std::string_view::npos &&
           text_.substr(0, at).find_first_of("(\n") == std::string_view::npos;
  }

  // db.users.drop()
  void method(std::size_t at) noexcept {
    if (at > 0 && text_[at - 1] == '.') return;
    Cursor cursor{text_, at};
    const std::string_view last = cursor.path();
    if (last.empty() || cursor.at >= text_.size() || text_[cursor.at] != '(' || !kMethods.has(last)) return;
    const bool whole = closes_at_ > cursor.at && ends_at(closes_at_) && first_line_end_ == text_.size();
    add(whole && begins_at(at), at, cursor.at + 1, "a method of the shell of MongoDB");
  }

  // call dbms.procedures()
  void procedure(std::size_t at, Cursor& cursor) noexcept {
    const std::size_t name = skip_space(text_, cursor.at);
    if (!is_clause(word_at(text_, name), ClauseUse::kProcedures)) return;
    const std::size_t first = name + word_at(text_, name).size();
    if (cursor.path().empty() || cursor.at == first || cursor.at >= text_.size() || text_[cursor.at] != '(')
      return;
    add(true, at, cursor.at + 1, "a call of a procedure of a graph database");
  }

  // load csv with headers from 'http://…' as line
  void load_csv(std::size_t at, Cursor& cursor) noexcept {
    if (!cursor.word("csv") || (cursor.word("with") && !cursor.word("headers")) || !cursor.word("from"))
      return;
    add(cursor.sign('\'') || cursor.sign('"'), at, cursor.at, "LOAD CSV");
  }

  // match (n:User) where … return n
  void match(std::size_t at, Cursor& cursor) noexcept {
    if (!cursor.sign('(') || !begins_at(at)) return;
    const std::string_view name = cursor.word();
    const std::size_t next = skip_space(text_, cursor.at);
    if (next >= text_.size() ||
        (text_[next] != ')' && text_[next] != ':' && (text_[next] != '{' || name.empty())))
      return;
    const std::string_view pattern = text_.substr(0, at + kMaxPatternBytes);
    for (std::size_t close = pattern.find(')', next); close != pattern.npos;
         close = pattern.find(')', close + 1)) {
      Cursor behind{text_, close + 1};
      const std::string_view clause = behind.word();
      if (!is_clause(clause, ClauseUse::kBehindPattern)) continue;
      const std::size_t end = behind.at;
      const bool deletes = iequals(clause, "delete") && !behind.word().empty() && ends_at(behind.at);
      return add(deletes, at, end, "a pattern of nodes of a graph database");
    }
  }

  // ' OR 1=1 RETURN u //: behind the first quote goes on a query in clauses, to the comment that cuts off the
  // rest. A program would have opened a parenthesis before the string or end its own statement.
  void behind_quote() noexcept {
    const std::size_t comment = text_.rfind("//");
    if (comment == std::string_view::npos) return;
    const std::size_t quote = text_.find_first_of("'\"");
    if (quote == std::string_view::npos || comment <= quote + 8 || text_[comment - 1] == ':' ||
        comment > quote + kMaxPatternBytes)
      return;
    const std::string_view clauses = text_.substr(0, comment);
    if (text_.substr(0, quote).find_first_of("(\n;=") != std::string_view::npos ||
        trim(text_.substr(comment + 2)).find(' ') != std::string_view::npos)
      return;
    std::size_t i = quote + 1;
    while (i < comment &&
           (is_space(text_[i]) || std::string_view(")}]").find(text_[i]) != std::string_view::npos))
      ++i;
    // ')-[r]-(b) return b: goes on with a pattern.
    const bool pattern = text_[i] == '-' && text_.substr(i, 3).find('[') != std::string_view::npos;
    if (!pattern && !is_clause(word_at(clauses, i), ClauseUse::kContinues)) return;
    for (Cursor cursor{clauses, i}; cursor.at < comment;) {
      const std::string_view word = word_at(clauses, cursor.at);
      if (word.empty()) {
        ++cursor.at;
        continue;
      }
      cursor.at += word.size();
      const std::size_t next = skip_space(clauses, cursor.at);
      if (is_clause(word, ClauseUse::kEnds) && next > cursor.at && next < comment && clauses[next] != '=' &&
          clauses.find(';', cursor.at) == clauses.npos)
        return add(true, quote, comment + 2, "clauses of a graph query");
    }
  }

  // Of Redis and Memcached, at the beginning of a line.
  void command(std::size_t at, bool behind_end) noexcept {
    Cursor cursor{text_, at};
    const std::string_view first = cursor.word();
    const auto found = [&] { add(behind_end, at, cursor.at, "a command of Redis or Memcached"); };
    if (iequals(first, "config")) {
      if (!cursor.word("set")) return;
      const std::string_view option = cursor.word();
      if ((iequals(option, "dir") || iequals(option, "dbfilename") || iequals(option, "slave")) &&
          cursor.argument())
        found();
    } else if (iequals(first, "slaveof") || iequals(first, "replicaof")) {
      if (cursor.argument() && cursor.number()) found();
    } else if (iequals(first, "module")) {
      if (cursor.word("load") && cursor.sign('/')) found();
    } else if (iequals(first, "flushall") || iequals(first, "flushdb")) {
      if (rest_of_line(cursor.at).empty()) found();
    } else if (iequals(first, "eval")) {
      if (!cursor.sign('\'') && !cursor.sign('"')) return;
      if (calls_redis()) add(true, at, cursor.at, "a script for Redis");
    } else if (behind_end) {
      stores(at, first, cursor);
    }
  }

  bool calls_redis() noexcept {
    if (script_ == kUnknown)
      script_ = text_.find("redis.call") != text_.npos || text_.find("redis.pcall") != text_.npos ? kThere
                                                                                                  : kMissing;
    return script_ == kThere;
  }

  std::string_view rest_of_line(std::size_t at) const noexcept {
    return trim(text_.substr(at, kLineEnds.find(text_, at) - at));
  }

  void stores(std::size_t at, std::string_view first, Cursor& cursor) noexcept {
    const auto found = [&] { add(true, at, cursor.at, "a command of Redis or Memcached"); };
    if (iequals(first, "flush_all")) {
      const std::string_view delay = rest_of_line(cursor.at);
      if (delay.find_first_not_of("0123456789") == delay.npos) found();
      return;
    }
    if (iequals(first, "shutdown")) {
      const std::string_view option = rest_of_line(cursor.at);
      if (iequals(option, "nosave") || iequals(option, "save")) found();
      return;
    }
    Cursor stored = cursor;
    if (iequals(first, "set") && stored.argument() && stored.number() && stored.number() && stored.number())
      return found();
    if (whole_command(at, first)) found();
  }

  // SET key value: in capitals as the reference has it, with the arguments that it takes, to the end of a
  // line that ends. Of a list in capitals ("SET UP TABLES") the arguments are as well.
  bool whole_command(std::size_t at, std::string_view first) const noexcept {
    const Command* known = kCommands.find(first);
    if (known == nullptr || std::any_of(first.begin(), first.end(), is_lower)) return false;
    const std::size_t end = kLineEnds.find(text_, at);
    if (end == text_.size()) return false;
    const std::string_view rest = text_.substr(at + first.size(), end - at - first.size());
    Cursor cursor{rest};
    std::size_t arguments = 0;
    while (arguments <= known->most && cursor.argument()) ++arguments;
    return arguments >= known->fewest && arguments <= known->most &&
           std::any_of(rest.begin(), rest.end(), [](char c) { return is_lower(c) || is_digit(c); });
  }

  // *3 $3 SET …: counts of a request in Redis's protocol.
  void protocol(std::size_t at) noexcept {
    std::size_t i = at + 1;
    while (i < text_.size() && is_digit(text_[i])) ++i;
    const std::size_t end = text_.find_first_not_of("\r\n", i);
    if (i == at + 1 || end == std::string_view::npos || end == i || text_[end] != '$' ||
        end + 1 >= text_.size() || !is_digit(text_[end + 1]))
      return;
    add(true, at, end + 2, "the protocol of Redis");
  }

  enum : std::uint8_t { kUnknown, kThere, kMissing } script_ = kUnknown;
  std::string_view text_;
  std::size_t first_line_end_;
  std::size_t closes_at_ = 0;  // behind the last parenthesis that closes
  Statement best_;
};

}  // namespace

Statement find_statement(std::string_view text) noexcept { return Finder(text).run(); }

}  // namespace wafd::detect::nosql
