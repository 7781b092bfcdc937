#include "detect/analyze/nosql/store_statements.h"

#include <algorithm>

#include "detect/analyze/base/hint_text.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxValueBytes = 32;     // of an application's own value before a second statement
constexpr std::size_t kMaxPatternBytes = 256;  // of a pattern of nodes

// Methods of a database or a collection.
constexpr WordSet kMethods({"currentop",
                            "getcollectioninfos",
                            "getmongo",
                            "getname",
                            "getsiblingdb",
                            "hostinfo",
                            "killop",
                            "serverstatus",
                            "shutdownserver",
                            "stats",
                            "version",
                            "admincommand",
                            "aggregate",
                            "count",
                            "createuser",
                            "deletemany",
                            "deleteone",
                            "distinct",
                            "drop",
                            "dropdatabase",
                            "dropuser",
                            "eval",
                            "find",
                            "findone",
                            "findoneandupdate",
                            "getcollection",
                            "getcollectionnames",
                            "getusers",
                            "insert",
                            "insertmany",
                            "insertone",
                            "mapreduce",
                            "remove",
                            "replaceone",
                            "runcommand",
                            "save",
                            "update",
                            "updatemany",
                            "updateone"});
// Namespaces of procedures that come with a graph database or its usual extensions.
constexpr WordSet kProcedures({"apoc", "db", "dbms", "gds"});
// Behind a pattern of nodes.
constexpr WordSet kClauses({"create", "delete", "detach", "limit", "merge", "optional", "remove", "return",
                            "set", "union", "unwind", "where", "with"});

// What goes on behind a string in Cypher and AQL, and of it what such a query ends with.
constexpr WordSet kContinuing({"and", "call",  "collect", "create", "delete", "detach", "filter", "for",
                               "let", "limit", "match",   "merge",  "or",     "order",  "remove", "return",
                               "set", "skip",  "sort",    "union",  "unwind", "where",  "with",   "xor"});
constexpr WordSet kEnding({"create", "delete", "merge", "remove", "return", "set", "yield"});

// Commands of Redis (command reference) by how many arguments they take, for a line that is one to its end.
struct Command {
  std::string_view word;
  std::size_t fewest, most;
};
constexpr Command kCommands[] = {{"expire", 2, 2}, {"hset", 3, 9},    {"lpush", 2, 9},  {"migrate", 5, 12},
                                 {"psetex", 3, 3}, {"publish", 2, 2}, {"rename", 2, 2}, {"restore", 3, 8},
                                 {"rpush", 2, 9},  {"sadd", 2, 9},    {"set", 2, 5},    {"setex", 3, 3},
                                 {"setnx", 2, 2}};

bool is_name(char c) noexcept { return is_alnum(c) || c == '_' || c == '$'; }

std::string_view word_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && is_name(text[end])) ++end;
  return text.substr(at, end - at);
}

// Reads words and what is between them.
struct Cursor {
  std::string_view text;
  std::size_t at = 0;

  bool word(std::string_view expected) noexcept {
    const std::size_t begin = skip_space(text, at);
    if (!iequals(word_at(text, begin), expected)) return false;
    at = begin + expected.size();
    return true;
  }
  std::string_view any_word() noexcept {
    const std::string_view word = word_at(text, skip_space(text, at));
    if (!word.empty()) at = static_cast<std::size_t>(word.data() - text.data()) + word.size();
    return word;
  }
  bool number() noexcept {
    const std::string_view word = any_word();
    return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  }
  bool sign(char c) noexcept {
    const std::size_t begin = skip_space(text, at);
    if (begin >= text.size() || text[begin] != c) return false;
    at = begin + 1;
    return true;
  }
  // Whatever stands between spaces.
  bool argument() noexcept {
    const std::size_t begin = skip_space(text, at);
    std::size_t end = begin;
    while (end < text.size() && !is_space(text[end])) ++end;
    const bool apart = begin > at;
    at = end;
    return apart && end > begin;
  }
};

// What an application may have put before a statement: its own short value, then a sign that ends it.
bool breaks_before(std::string_view text, std::size_t at) noexcept {
  while (at > 0 && is_space(text[at - 1])) --at;
  // true; return db.version()
  if (at >= 6 && text.substr(at - 6, 6) == "return") {
    at -= 6;
    while (at > 0 && is_space(text[at - 1])) --at;
  }
  if (at == 0) return true;
  if (at > kMaxValueBytes || std::string_view(";'\"`})").find(text[at - 1]) == std::string_view::npos)
    return false;
  return text.substr(0, at).find_first_of("(\n") == std::string_view::npos;
}

// Nothing behind it, but what ends a statement or comments out the rest.
bool ends_behind(std::string_view text, std::size_t at) noexcept {
  const std::string_view rest = trim(text.substr(at));
  return rest.empty() || rest[0] == ';' || rest.starts_with("//") || rest[0] == '\'' || rest[0] == '"' ||
         rest[0] == '}';
}

// db.users.drop()
StoreStatement method(std::string_view text, std::size_t at) noexcept {
  if (at > 0 && (is_name(text[at - 1]) || text[at - 1] == '.')) return {};
  std::size_t end = at + 2;
  std::string_view last;
  while (end < text.size() && text[end] == '.') {
    last = word_at(text, end + 1);
    if (last.empty()) return {};
    end += 1 + last.size();
  }
  if (end >= text.size() || text[end] != '(' || !kMethods.has(last)) return {};
  const std::size_t close = text.rfind(')');
  const bool whole = close != std::string_view::npos && close > end && ends_behind(text, close + 1) &&
                     text.find('\n') == std::string_view::npos;
  return {at, end + 1, whole && breaks_before(text, at), "calls a method of MongoDB's shell"};
}

// call dbms.procedures()
StoreStatement procedure(std::string_view text, std::size_t at) noexcept {
  Cursor cursor{text, at + 4};
  if (!kProcedures.has(cursor.any_word())) return {};
  std::size_t end = cursor.at;
  while (end < text.size() && text[end] == '.') {
    const std::string_view part = word_at(text, end + 1);
    if (part.empty()) return {};
    end += 1 + part.size();
  }
  if (end == cursor.at || end >= text.size() || text[end] != '(') return {};
  return {at, end + 1, true, "calls a procedure of a graph database"};
}

// load csv with headers from 'http://…' as line
StoreStatement load_csv(std::string_view text, std::size_t at) noexcept {
  Cursor cursor{text, at + 4};
  if (!cursor.word("csv")) return {};
  if (cursor.word("with") && !cursor.word("headers")) return {};
  if (!cursor.word("from")) return {};
  const bool quoted = cursor.sign('\'') || cursor.sign('"');
  return {at, cursor.at, quoted, "makes a graph database read a document with LOAD CSV"};
}

// detach delete n
StoreStatement detach(std::string_view text, std::size_t at) noexcept {
  Cursor cursor{text, at + 6};
  if (!cursor.word("delete") || cursor.any_word().empty()) return {};
  const std::size_t end = cursor.at;
  return {at, end, ends_behind(text, end) || text[skip_space(text, end)] == ',',
          "deletes nodes of a graph database"};
}

// match (n:User) where … return n
StoreStatement match(std::string_view text, std::size_t at) noexcept {
  if (!breaks_before(text, at)) return {};
  Cursor cursor{text, at + 5};
  if (!cursor.sign('(')) return {};
  const std::string_view name = cursor.any_word();
  const std::size_t next = skip_space(text, cursor.at);
  if (next >= text.size() || (text[next] != ')' && text[next] != ':' && (text[next] != '{' || name.empty())))
    return {};
  std::size_t close = text.substr(0, std::min(text.size(), at + kMaxPatternBytes)).rfind(')');
  if (close == std::string_view::npos || close < next) return {};
  // The pattern's last parenthesis is the one before a clause.
  for (close = text.find(')', next); close != std::string_view::npos && close < at + kMaxPatternBytes;
       close = text.find(')', close + 1)) {
    Cursor behind{text, close + 1};
    const std::string_view clause = behind.any_word();
    if (!kClauses.has(clause)) continue;
    const bool deletes =
        iequals(clause, "delete") && !behind.any_word().empty() && ends_behind(text, behind.at);
    return {at, close + 1 + clause.size(), deletes, "matches nodes of a graph database"};
  }
  return {};
}

// SET key value: in capitals as the reference has it, with the arguments that it takes, to the end of a line
// that ends. Of a list in capitals ("SET UP TABLES") the arguments are as well.
bool whole_command(std::string_view text, std::size_t at, std::string_view first) noexcept {
  const Command* known = std::find_if(std::begin(kCommands), std::end(kCommands),
                                      [&](const Command& c) { return iequals(c.word, first); });
  if (known == std::end(kCommands) || std::any_of(first.begin(), first.end(), is_lower)) return false;
  const std::size_t end = text.find_first_of("\r\n", at);
  if (end == std::string_view::npos) return false;
  const std::string_view rest = text.substr(at + first.size(), end - at - first.size());
  Cursor cursor{rest};
  std::size_t arguments = 0;
  while (arguments <= known->most && cursor.argument()) ++arguments;
  return arguments >= known->fewest && arguments <= known->most &&
         std::any_of(rest.begin(), rest.end(), [](char c) { return is_lower(c) || is_digit(c); });
}

// ' OR 1=1 RETURN u //: behind the first quote goes on a query in clauses, to the comment that cuts off the
// rest. A program would have opened a parenthesis before the string or end its own statement.
StoreStatement behind_quote(std::string_view text) noexcept {
  const std::size_t quote = text.find_first_of("'\"");
  const std::size_t comment = text.rfind("//");
  if (quote == std::string_view::npos || comment == std::string_view::npos || comment <= quote + 8 ||
      text[comment - 1] == ':' || comment > quote + kMaxPatternBytes)
    return {};
  const std::string_view before = text.substr(0, quote);
  if (before.find_first_of("(\n;=") != before.npos || trim(text.substr(comment + 2)).find(' ') != text.npos)
    return {};
  std::size_t i = quote + 1;
  while (i < comment &&
         (is_space(text[i]) || std::string_view(")}]").find(text[i]) != std::string_view::npos))
    ++i;
  // ')-[r]-(b) return b: goes on with a pattern.
  const bool pattern = text[i] == '-' && text.substr(i, 3).find('[') != std::string_view::npos;
  if (!pattern && !kContinuing.has(word_at(text, i))) return {};
  for (; i < comment; ++i) {
    if (!is_alpha(text[i]) || is_name(text[i - 1])) continue;
    const std::string_view word = word_at(text, i);
    const std::size_t behind = skip_space(text, i + word.size());
    if (kEnding.has(word) && behind > i + word.size() && behind < comment && text[behind] != '=' &&
        text.substr(i, comment - i).find(';') == std::string_view::npos)
      return {quote, comment + 2, true, "closes a string, then goes on with clauses of a graph query"};
    i += word.size();
  }
  return {};
}

// Commands that take over a store, at the beginning of a line.
StoreStatement command(std::string_view text, std::size_t at, bool behind_end) noexcept {
  Cursor cursor{text, at};
  const std::string_view first = cursor.any_word();
  const auto found = [&](const char* reason) { return StoreStatement{at, cursor.at, behind_end, reason}; };
  const char* redis = "is a command of Redis";
  if (iequals(first, "config")) {
    if (!cursor.word("set")) return {};
    const std::string_view option = cursor.any_word();
    if (!iequals(option, "dir") && !iequals(option, "dbfilename") && !iequals(option, "slave")) return {};
    return cursor.argument() ? found(redis) : StoreStatement{};
  }
  if (iequals(first, "slaveof") || iequals(first, "replicaof"))
    return cursor.argument() && cursor.number() ? found(redis) : StoreStatement{};
  if (iequals(first, "module"))
    return cursor.word("load") && cursor.sign('/') ? found(redis) : StoreStatement{};
  if (iequals(first, "flushall") || iequals(first, "flushdb")) {
    const std::size_t end = text.find_first_of("\r\n", cursor.at);
    return trim(text.substr(cursor.at, std::min(end, text.size()) - cursor.at)).empty() ? found(redis)
                                                                                        : StoreStatement{};
  }
  if (iequals(first, "eval")) {
    if (!cursor.sign('"') && !cursor.sign('\'')) return {};
    const std::string_view script = text.substr(cursor.at);
    const bool calls = script.find("redis.call") != script.npos || script.find("redis.pcall") != script.npos;
    return calls ? StoreStatement{at, cursor.at, true, "gives Redis a script to run"} : StoreStatement{};
  }
  if (!behind_end) return {};
  if (iequals(first, "flush_all") || iequals(first, "shutdown")) {
    const std::size_t end = std::min(text.find_first_of("\r\n", cursor.at), text.size());
    const std::string_view option = trim(text.substr(cursor.at, end - cursor.at));
    const bool saves = iequals(option, "nosave") || iequals(option, "save");
    if (iequals(first, "shutdown") ? saves : option.empty() || option.find_first_not_of("0123456789") == 0)
      return found(iequals(first, "shutdown") ? redis : "is a command of Memcached");
    return {};
  }
  Cursor stored = cursor;
  if (iequals(first, "set") && stored.argument() && stored.number() && stored.number() && stored.number())
    return found("is a command of Memcached");
  return whole_command(text, at, first) ? found(redis) : StoreStatement{};
}

// *3 $3 SET …: counts of a request in Redis's protocol.
StoreStatement protocol(std::string_view text, std::size_t at) noexcept {
  std::size_t i = at + 1;
  while (i < text.size() && is_digit(text[i])) ++i;
  const std::size_t end = text.find_first_not_of("\r\n", i);
  if (i == at + 1 || end == std::string_view::npos || end == i || text[end] != '$' ||
      end + 1 >= text.size() || !is_digit(text[end + 1]))
    return {};
  return {at, end + 2, true, "speaks the protocol of Redis"};
}

StoreStatement statement(std::string_view text, std::size_t at, std::string_view word) noexcept {
  switch (word.size()) {
    case 2:
      return iequals(word, "db") ? method(text, at) : StoreStatement{};
    case 4:
      if (iequals(word, "call")) return procedure(text, at);
      return iequals(word, "load") ? load_csv(text, at) : StoreStatement{};
    case 5:
      return iequals(word, "match") ? match(text, at) : StoreStatement{};
    case 6:
      return iequals(word, "detach") ? detach(text, at) : StoreStatement{};
    default:
      return {};
  }
}

}  // namespace

StoreStatement find_store_statement(std::string_view text) noexcept {
  StoreStatement best;
  const auto weigh = [&](const StoreStatement& found) {
    if (found && (!best || (found.certain && !best.certain))) best = found;
  };
  // Lines of a document hold commands by right: then words stand before the first end of a line.
  const std::size_t first_end = std::min(text.find_first_of("\r\n"), text.size());
  const bool one_value = trim(text.substr(0, first_end)).find(' ') == std::string_view::npos;
  bool line = true;  // only spaces since its beginning
  weigh(behind_quote(text));
  for (std::size_t i = 0; i < text.size() && !best.certain;) {
    const char c = text[i];
    if (is_name(c)) {
      const std::string_view word = word_at(text, i);
      weigh(statement(text, i, word));
      if (line) weigh(command(text, i, i > first_end && one_value));
      line = false;
      i += word.size();
      continue;
    }
    if (line && c == '*') weigh(protocol(text, i));
    line = c == '\n' || c == '\r' || (line && is_space(c));
    ++i;
  }
  return best;
}

void append_store_hints(std::vector<std::string>& out) {
  out.push_back("db(\\.[a-z0-9_$]+)*\\." + any_of_words(kMethods.words()) + "\\(");
  out.push_back("call\\s+" + any_of_words(kProcedures.words()) + "\\.");
  out.push_back("load\\s+csv\\s");
  out.push_back("detach\\s+delete\\s");
  out.push_back("(^|[;'\"`})])\\s*match\\s*\\(");
  out.push_back(
      "(^|[\\r\\n])\\s*(config\\s+set\\s|(slave|replica)of\\s|module\\s+load\\s*/|flush(all|db)|eval\\s*['\"]"
      ")");
  out.push_back("[\\r\\n]\\s*set\\s+[^\\s]+\\s+[0-9]+\\s+[0-9]+\\s+[0-9]");
  out.push_back("\\*[0-9]+[\\r\\n]+\\$[0-9]");
  out.push_back("[\\r\\n]\\s*(flush_all|shutdown\\s+(no)?save|" + any_of_words(kCommands) + "\\s)");
  out.push_back("[^a-z0-9_$]" + any_of_words(kEnding.words()) + "\\s[^;]*//");
}

}  // namespace wafd::detect
