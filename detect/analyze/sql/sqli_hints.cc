#include "detect/analyze/sql/sqli_hints.h"

#include <initializer_list>
#include <string_view>

#include "detect/analyze/base/hint_text.h"
#include "detect/analyze/sql/sqli_words.h"

namespace wafd::detect::sqli {
namespace {

// White space as the tokenizer has it, alone and with the parentheses that close or open groups.
constexpr std::string_view kWhite = R"([\x00-\x20\xa0])";
constexpr std::string_view kWhiteLeft = R"([\x00-\x20\xa0(])";
constexpr std::string_view kWhiteRight = R"([\x00-\x20\xa0)])";
constexpr std::string_view kWhiteGroup = R"([\x00-\x20\xa0()])";
constexpr std::string_view kWordEnd = "[^a-z0-9_]";

std::string join(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

// `set` any number of times behind the beginning of a value, with its last octet in one piece with what
// follows.
std::string begins_with(std::string_view set) { return join({"(^|^", set, "*", set, ")"}); }

std::string words(std::initializer_list<Part> parts) {
  std::vector<std::string_view> list;
  for (const Part part : parts) append_words_of(part, list);
  return any_of_words(list);
}

// Names of which a hint cannot be a word: v$version.
std::vector<std::string_view> names_with_dollar() {
  std::vector<std::string_view> names;
  append_object_names(names);
  std::erase_if(names, [](std::string_view name) { return name.find('$') == name.npos; });
  return names;
}

}  // namespace

std::vector<std::string> hint_texts() {
  const std::string clauses = words({Part::kClause, Part::kCompare});
  const std::string reserved = words({Part::kLogic, Part::kUnion, Part::kSelect, Part::kClause,
                                      Part::kCompare, Part::kCase, Part::kWhen, Part::kStatement});
  const std::string compares = words({Part::kCompare});
  const std::string statements = words({Part::kStatement});
  // A number at the beginning or behind a comment, and what stands between it and an operator.
  const std::string number =
      join({R"((^|=|\*/)[\x00-\x20\xa0()+!~-]*[0-9.]*(e[-+]?[0-9]*)?([0-9.)]|[0-9.)\x00-\x20\xa0])",
            kWhiteRight, "*", kWhiteRight, ")"});
  const std::string hex = R"((^|[^a-z0-9_])0x[0-9a-f][0-9a-f]*)";
  constexpr std::string_view kEqual = "(=|<=>|<>|!=)";
  return {
      // Signs of logic, and words glued to a number.
      R"(\|\||&&)",
      join({R"((^|[^a-z0-9_])([0-9.]*e[-+]?)?[0-9.]*[0-9]\.?)", reserved, "([^a-z_]|$)"}),
      join({hex, reserved, "([^a-z_]|$)"}),
      // A call that takes ~, a call or a list that breaks off.
      R"(([^a-z0-9_]|^)exp[^a-z0-9_])",
      join({R"((\(|\()", kWhite, R"()$|\()", kWhite, "*", kWhite, kWhite, "$"}),
      // Statements where one may begin.
      join({R"((^|[;=)('"`])[\x00-\x20\xa0();]*)", statements, kWordEnd}),
      // A quote, and what goes on from it.
      join({R"(['"`]()", kWhiteRight,
            R"(*(=|~|![=<>~]|\^=|:=|@>|\?|like|ilike|rlike|regexp|glob|as[^a-z]|from[^a-z])",
            "|insert|update|delete|drop|create|alter|truncate|rename",
            R"(|[*+/%|^&~!?#-][\x00-\x20\xa0(*+/%|^&~!?#.0-9-]*[a-z])|)", kWhite, R"(*\))", kWhiteRight,
            "*$|", kWhiteRight, "*;", kWhite, "*$)"}),
      join({R"(['"`])", kWhiteRight, R"(*[<>])"}),
      R"(['"`][-+*/%^&|][-+*/%^&|.0-9]+['"`])",
      R"(['"`].*(--|#|/\*))",
      R"(['"][\x00-\x20]*,[\x00-\x20]*[a-z_][a-z0-9_]*[\x00-\x20]*=[\x00-\x20]*['"])",
      R"(;[\x00-\x20]*(show|use|kill)[\x00-\x20/])",
      R"([^a-z0-9_]as['"`])",
      // A number, and a call behind it.
      R"(^([\x00-\x20]*[][a-z0-9_.-]{1,64}=)?[\x00-\x20\xa0()-]*\.?[0-9].*[a-z0-9_]\()",
      R"(/\*[^;,\n])",
      R"((--|#)[^\n]*\n)",
      R"(::[a-z])",
      join({"(=|", begins_with(kWhiteLeft), "|=", kWhiteLeft, "*", kWhiteLeft, ")i?if", kWhite, R"(*\()"}),
      R"([0-9]\.e([^a-z0-9_]|$))",
      // A value that begins as the continuation of a query, and has a sign of one.
      join({"(^|=)", kWhiteGroup, "?", clauses, kWordEnd}),
      join({"(^|=)", kWhiteGroup, "*", kWhiteGroup, kWhiteGroup, clauses, kWordEnd}),
      join({number, kEqual, R"(([-+!~0-9.({]|)", kWhite, ")"}),
      join({number, "(not", kWhite, "+)?(like|similar|sounds|collate|escape|overlaps|as)", kWordEnd}),
      join({hex, kWhiteRight, "*(", kEqual, "|not|", compares, "|as)"}),
      join({R"((^|=)([\x00-\x20\xa0(]*\)|\)|[\x00-\x20\xa0)]+)(as|when))", kWordEnd}),
      join({compares, R"([^a-z0-9_]+([a-z]+[^a-z0-9_]+)?null)"}),
      join({begins_with(kWhiteLeft), ",", kWhite, R"(*[a-z][a-z0-9_]*)", kWhite, R"(*\()"}),
      // Values that are odd as a whole.
      join({begins_with(kWhite), R"(([<>!=~^:@#*-]{2,3}|<<|>>|->>?)($|)", kWhite, kWhite, "*$)"}),
      join({begins_with(kWhiteLeft), ";"}),
      R"(^[\x00-\x20\xa0(]*'.*'[\x00-\x20\xa0]*$|^[\x00-\x20\xa0(]*`.*`[\x00-\x20\xa0]*$)",
      R"(^[^a-z0-9\x80-\xff]*['"`][^a-z0-9\x80-\xff]*$|^[^a-z0-9\x80-\xff]{7,}$)",
      join({begins_with(kWhite), R"(['"`][^g-wyz]*[0-9]([^g-wyz]*[^g-wyz'"`])?$)"}),
      R"(^[\x00-\x20]*\\(x|0x))",
      join({begins_with(kWhite), any_of_words(schemas()), R"((\.|)", kWhite, ")"}),
      any_of_words(names_with_dollar()),
      R"(@@(version|hostname|datadir|basedir|tmpdir|servername|language|secure_file_priv|servicename|spid|port|plugin_dir))",
  };
}

}  // namespace wafd::detect::sqli
