// Tokens of SQL, evidence of it, and verdicts: attacks beside what only looks like them.
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "detect/analyze/sql/sql_lexer.h"
#include "detect/analyze/sql/sql_matcher.h"
#include "detect/core/bytes.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

using sql::Dialect;
using sql::Quote;
using sql::Token;
using sql::TokenKind;

std::string tokens(std::string_view text, Quote quote = Quote::kNone, Dialect dialect = Dialect::kMysql) {
  static constexpr std::string_view kNames[] = {"end",   "break",     "number",   "string", "open",
                                                "word",  "variable",  "operator", "left",   "right",
                                                "comma", "semicolon", "comment",  "other"};
  sql::Lexer lexer(text, quote, dialect);
  if (!lexer.starts()) return "no break";
  std::string out;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    out += out.empty() ? "" : " ";
    const bool sign = token.kind >= TokenKind::kLeft || token.kind == TokenKind::kBreak;
    out += std::string(kNames[static_cast<std::size_t>(token.kind)]);
    if (!sign) out += "[" + std::string(text.substr(token.begin, token.size())) + "]";
    if (token.kind == TokenKind::kComment || token.kind == TokenKind::kOpenString) break;
  }
  return out;
}

TEST(SqlLexer, Words) {
  EXPECT_EQ(tokens("a.b `c`.d \"e\".f [g] \"h\"(1)"),
            "word[a.b] word[`c`.d] word[\"e\".f] word[[g]] word[\"h\"] left number[1] right");
  EXPECT_EQ(tokens("information_schema . tables"), "word[information_schema . tables]");
  EXPECT_EQ(tokens("end. Next"), "word[end] other word[Next]");
  EXPECT_EQ(tokens("un/**/ion sel/*x*/ect"), "word[un/**/ion] word[sel/*x*/ect]");
  EXPECT_EQ(tokens("1.e.tables 9.e.a"), "word[tables] word[a]");
  EXPECT_EQ(tokens("@a @@b.c :d $1 @`e`"),
            "variable[@a] variable[@@b.c] variable[:d] variable[$1] variable[@`e`]");
  EXPECT_EQ(tokens("\\N"), "word[\\N]");
}

TEST(SqlLexer, Numbers) {
  EXPECT_EQ(tokens("1 1.5 .5 1e3 0x41 0b1"),
            "number[1] number[1.5] number[.5] number[1e3] number[0x41] number[0b1]");
  EXPECT_EQ(tokens("1union 1dunion 1e0union 1.union 0x1union"),
            "number[1] word[union] number[1d] word[union] number[1e0] word[union] number[1.] word[union] "
            "number[0x1] word[union]");
  EXPECT_EQ(tokens("3rd 4x4"), "word[3rd] word[4x4]");
}

TEST(SqlLexer, Strings) {
  EXPECT_EQ(tokens("'a''b' \"c\" n'd' x'41' _utf8'e' q'[f']' $$g$$ $h$i$h$ u&'j'"),
            "string['a''b'] string[\"c\"] string[n'd'] string[x'41'] string[_utf8'e'] string[q'[f']'] "
            "string[$$g$$] "
            "string[$h$i$h$] string[u&'j']");
  EXPECT_EQ(tokens("'a\\'b' c"), "string['a\\'b'] word[c]");
  EXPECT_EQ(tokens("'a\\'b' c", Quote::kNone, Dialect::kAnsi), "string['a\\'] word[b] open[' c]");
  EXPECT_EQ(tokens("'a"), "open['a]");
  EXPECT_EQ(tokens("a''b' c", Quote::kSingle), "break word[c]");
  EXPECT_EQ(tokens("a\\' c", Quote::kSingle), "no break");
  EXPECT_EQ(tokens("a\\' c", Quote::kSingle, Dialect::kAnsi), "break word[c]");
  EXPECT_EQ(tokens("abc", Quote::kDouble), "no break");
}

TEST(SqlLexer, Comments) {
  EXPECT_EQ(tokens("a -- b"), "word[a] comment");
  EXPECT_EQ(tokens("a -- b\nc"), "word[a] word[c]");
  EXPECT_EQ(tokens("1--1"), "number[1] operator[-] operator[-] number[1]");
  EXPECT_EQ(tokens("1--1", Quote::kNone, Dialect::kAnsi), "number[1] comment");
  EXPECT_EQ(tokens("a # b"), "word[a] comment");
  EXPECT_EQ(tokens("a # b", Quote::kNone, Dialect::kAnsi), "word[a] operator[#] word[b]");
  EXPECT_EQ(tokens("a /* b */ c /*!50000 d */ /*!e*/ /*M!100100 f */"),
            "word[a] word[c] word[d] word[e] word[f]");
  EXPECT_EQ(tokens("a */ b"), "word[a] word[b]");
  EXPECT_EQ(tokens("{x 1} {fn a()}"), "number[1] word[a] left right");
  EXPECT_EQ(tokens("a\xa0"
                   "b\xc2\xa0"
                   "c\xe3\x80\x80"
                   "d\v\fe"),
            "word[a] word[b] word[c] word[d] word[e]");
}

TEST(SqlLexer, Operators) {
  EXPECT_EQ(tokens("<=> <> != || && :: := -> ->> @> ~~* !~ |/ ^"),
            "operator[<=>] operator[<>] operator[!=] operator[||] operator[&&] operator[::] operator[:=] "
            "operator[->] "
            "operator[->>] operator[@>] operator[~~*] operator[!~] operator[|/] operator[^]");
  // PostgreSQL's are read whole; a variable is none.
  EXPECT_EQ(tokens("1 -|- 2 <<= 3"), "number[1] operator[-|-] number[2] operator[<<=] number[3]");
  EXPECT_EQ(tokens("'a' @@ 'b'"), "string['a'] operator[@@] string['b']");
  EXPECT_EQ(tokens("x @@version"), "word[x] variable[@@version]");
  // None goes on behind the beginning of a comment.
  EXPECT_EQ(tokens("1|/*x*/2 3||/*!x*/"), "number[1] operator[|] number[2] number[3] operator[||] word[x]");
  EXPECT_EQ(tokens("1->-- \n2"), "number[1] operator[->] number[2]");
}

std::string found(std::string_view text) { return evidence_of(*make_sql_matcher(), text); }

TEST(SqlMatcher, Evidence) {
  EXPECT_EQ(found("1 union select 2"), "union_query(certain) [union select 2]");
  EXPECT_EQ(found("x' or 1=1"), "constant_condition(certain) [or 1=1]");
  EXPECT_EQ(found("1 or id like 'a'"), "condition(certain) [or id like 'a']");
  EXPECT_EQ(found("1; drop table users"), "stacked_statement(certain) [; drop table users]");
  EXPECT_EQ(found("1;drop table a"), "stacked_statement(certain) [;drop table a]");
  EXPECT_EQ(found("(select c from b)"), "subquery(likely) [(select c from b)]");
  EXPECT_EQ(found("admin'-- "), "commented_out(certain) ['-- ]");
  EXPECT_EQ(found("x'='"), "closed_expression(certain) ['=']");
  EXPECT_EQ(found("1 order by 5"), "clause(certain) [order by 5]");
  EXPECT_EQ(found("select c from b"), "statement(likely) [select c from b]");
  EXPECT_EQ(found("pg_catalog.pg_user"),
            "system_object(likely) [pg_catalog.pg_user]; piece(certain) [pg_catalog.pg_user]");
  EXPECT_EQ(found("pg_sleep("), "delay_call(possible) [pg_sleep(]; fragment(certain) [pg_sleep(]");
}

// What the grammar does not know ends a phrase, not the reading.
TEST(SqlMatcher, ReadsToTheEnd) {
  for (const std::string_view before :
       {"lorem ipsum ", "a ? b $ c \\ ", "((( ", "{[<% ", "it is: ", "\x01\x02 "}) {
    const std::string text = std::string(before) + "1 union select 2,3";
    EXPECT_NE(found(text).find("union_query"), std::string::npos) << text << " " << found(text);
    const std::string quoted = std::string(before) + "x' or 1=1-- ";
    EXPECT_NE(found(quoted).find("constant_condition(certain)"), std::string::npos)
        << quoted << " " << found(quoted);
  }
}

std::vector<std::string> lines_of(std::string_view name) {
  std::ifstream file(std::string(WAFD_SOURCE_DIR) + "/tests/detect/analyze/sql/" + std::string(name));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("## ")) lines.push_back(line);
  }
  EXPECT_GT(lines.size(), 400u) << name;
  return lines;
}

std::string verdict(std::string_view text, std::string_view name = "id",
                    Location location = Location::kQuery) {
  return verdict_of(analyzer_named("sqli"), text, location, false, name);
}

TEST(Sqli, AttacksAreDenied) {
  for (const std::string& line : lines_of("attacks.txt"))
    EXPECT_TRUE(denied_at_balanced(verdict(line))) << line;
}

std::string respaced(std::string_view text, std::string_view space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool comment = i >= 2 && text.substr(i - 2, 2) == "--";
    if (text[i] == ' ' && !comment) {
      out += space;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string swapped_case(std::string_view text) {
  std::string out(text);
  bool upper = true;
  for (char& c : out) {
    if (!is_alpha(c)) continue;
    c = upper && is_lower(c) ? static_cast<char>(c - 32) : to_lower(c);
    upper = !upper;
  }
  return out;
}

// What changes nothing for a database changes nothing here. Spaces in strings, and behind "#" and "--", are
// no white space of SQL.
TEST(Sqli, AttacksStayDeniedInEachDisguise) {
  for (const std::string& line : lines_of("attacks.txt")) {
    if (line.find("\\N") == std::string::npos) {
      EXPECT_TRUE(denied_at_balanced(verdict(swapped_case(line)))) << swapped_case(line);
    }
    const bool plain = line.find_first_of("#:$") == std::string::npos &&
                       line.find("--") == std::string::npos && line.find("similar") == std::string::npos &&
                       line.find(" '") == std::string::npos;
    if (!plain) continue;
    for (const std::string_view space : {"/**/", "\t", "\n", "\r\n", "\v", "\f", "  ", "/*x*/", "\xa0"})
      EXPECT_TRUE(denied_at_balanced(verdict(respaced(line, space))))
          << line << " as " << respaced(line, space);
  }
}

TEST(Sqli, LookAlikesPass) {
  for (const std::string& line : lines_of("lookalikes.txt")) {
    for (const std::string_view name : {"q", "msg"}) {
      EXPECT_FALSE(denied_at_balanced(verdict(line, name))) << name << " " << line;
      EXPECT_FALSE(denied_at_balanced(verdict(line, name, Location::kBody))) << name << " " << line;
    }
  }
}

// Passwords hold quotes and signs; what logs in without one is denied there, too.
TEST(Sqli, Passwords) {
  for (const std::string_view text : {"'#", "abc123'#x!", "Pa$$w0rd'#1", "k'-'m", "a\"/*b", "x'--"})
    EXPECT_FALSE(denied_at_balanced(verdict(text, "password", Location::kBody))) << text;
  for (const std::string_view text :
       {"' or '1'='1", "' or 1=1-- ", "x' or ''='", "' union select 1#", "'or'1"})
    EXPECT_TRUE(denied_at_balanced(verdict(text, "password", Location::kBody))) << text;
}

// Whole statements on tables of an application, as people write them to each other: they attack only what
// runs them.
TEST(Sqli, StatementsAsWrittenAreSuspected) {
  for (const std::string_view text :
       {"select * from users", "drop table users", "SELECT id, name FROM users WHERE name LIKE 'a%';",
        "SELECT COUNT(*) FROM orders", "-- adds a column\nALTER TABLE users ADD COLUMN b VARCHAR(3);",
        "UPDATE orders SET status='x' WHERE id = 5", "insert into users (b, c) values (1, 'x')",
        "delete from history", "CREATE TABLE t (id int primary key)"}) {
    EXPECT_EQ(verdict(text), "strict") << text;
    EXPECT_FALSE(denied_at_balanced(verdict(text, "q"))) << text;
  }
}

TEST(Sqli, PlacesAndLines) {
  struct Row {
    Location location;
    std::string_view name;
    std::string_view text;
    bool denied;
  };
  constexpr std::string_view kView =
      "-- small or big\nCREATE VIEW v AS\nSELECT id, CASE WHEN total > 4 THEN 'big' ELSE 'small' END FROM a;";
  const Row rows[] = {
      {Location::kBody, "m", ".a::before{content:\"<\"}.b>li{color:red}", false},
      {Location::kQuery, "m", "admin\"<\"zz", true},
      {Location::kQuery, "q", "group by having count(*) > 1", false},
      {Location::kQuery, "q", "1 group by a having count(*) > 1", true},
      {Location::kQuery, "where", "1=1", false},
      {Location::kQuery, "where", "1' or 1=1--", true},
      {Location::kBody, "code", kView, false},
      {Location::kBody, "code", "select a from b\n' union select password from users-- ", true},
      {Location::kBody, "code", "select a from b\n' or 1=1-- ", true},
      {Location::kBody, "code", "SELECT 1;\nSELECT pg_sleep(9);", true},
      {Location::kBody, "code", "1\nunion select password\nfrom users", true},
      {Location::kFile, "", "(3,'c'),(4,'d');\nINSERT INTO t VALUES (1,'a');\nDROP TABLE t;", false},
      {Location::kFile, "", "name,x' or 1=1-- ", true},
      {Location::kFile, "", "1 union select 1,2", true},
  };
  for (const Row& row : rows)
    EXPECT_EQ(denied_at_balanced(verdict(row.text, row.name, row.location)), row.denied) << row.text;
}

// Wherever the words stand in the text, and however much stands around them.
TEST(Sqli, PaddingHidesNothing) {
  const std::string padding(20000, 'a');
  std::string words;
  while (words.size() < 30000) words += "lorem ipsum ";
  for (const std::string_view attack :
       {"1 union select 1,2,3", "x';exec xp_cmdshell 'dir'--", "1 and updatexml(1,concat(0x7e,version()),1)",
        "1;insert into t values (1,'b')", "select a from information_schema.tables"}) {
    const auto denied = [](const std::string& text) {
      return verdict(text) != "-" && verdict(text) != "recorded";
    };
    EXPECT_TRUE(denied(words + std::string(attack))) << attack;
    EXPECT_TRUE(denied(padding + " " + std::string(attack) + "-- " + words)) << attack;
    EXPECT_TRUE(denied(std::string(attack) + "-- " + padding)) << attack;
  }
}

// Pieces of queries: what people write reads so too seldom for strict, too often for balanced.
TEST(Sqli, PiecesOfQueriesAreForStrict) {
  for (const std::string_view text : {"1 or 1", "length('a')", "1 limit 0", "case when a then b",
                                      "execute node_", "&&", "passw0rd!'#", "pa$$'--word"})
    EXPECT_EQ(verdict(text), "strict") << text;
  for (const std::string_view text :
       {"' or xyz!", "1 between 0 and 2 or 1=1", "1 is not null or 1", "length&&(", "'msdasql'",
        "json_extract('{\"a\":1}','$.a')=1 or 1=1", "admin'#", "admin'--"})
    EXPECT_TRUE(denied_at_balanced(verdict(text))) << text;
}

// A value without "=" stands in the place of a name, where no interface has quotes and operators.
TEST(Sqli, PiecesInThePlaceOfANameAreForStrict) {
  const Analyzer& analyzer = analyzer_named("sqli");
  for (const std::string_view text : {"'bla'", "`bla`", "\"x_1\"", "->", "||", ">>"}) {
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, true, text), "strict") << text;
    EXPECT_EQ(verdict(text), "-") << text;
  }
  for (const std::string_view text : {"bla", "'a b'", "a->b", "-"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, true, text), "-") << text;
}

// Statements that reach files or run what a string holds, beside what copies and executes elsewhere.
TEST(Sqli, StatementsThatReachFiles) {
  for (const std::string_view text :
       {"copy t from '/etc/passwd'", "COPY a.b FROM PROGRAM 'id'", "copy (select 1) to '/tmp/a'",
        "execute immediate 'select 2 from dual'"})
    EXPECT_TRUE(denied_at_balanced(verdict(text))) << text;
  for (const std::string_view text :
       {"copy files from 'a' to 'b'", "copy the text from 'Notes'", "execute immediate action"})
    EXPECT_FALSE(denied_at_balanced(verdict(text))) << text;
}

// Conditions on a column of the query's own: formulas look so, too.
TEST(Sqli, ConditionsAsValuesAreForStrict) {
  for (const std::string_view text :
       {"-id*(length(name)>0)", "(id=1)=(id is not null)", "if(name=name,id,-id)", "abs(id-3*(name=name))"})
    EXPECT_EQ(verdict(text), "strict") << text;
}

// Short values that are nothing but a piece, beside what looks like one.
TEST(Sqli, PiecesAlone) {
  for (const std::string_view text :
       {"sysobjects", "mysql.user", "information_schema", "@>", "rlike", "xor", "\"'", "\":35", "'', '', 13",
        "\\0xf00d", "1' union x", "case when a then b"})
    EXPECT_EQ(verdict(text), "strict") << text;
  for (const std::string_view text :
       {"password>$(", "length/?(", "'union a", "\"25*23", "length&&!!(", "\"2562*23", "`>6fbdec2", "'union/",
        "' alter/", "' or data = 1", "ALTER TABLE `a` ADD `b` TEXT"})
    EXPECT_TRUE(denied_at_balanced(verdict(text))) << text;
  for (const std::string_view text : {"mysql.com", "sys.path", "users", "->", ">=", "\"1/2\"", "''",
                                      "workers' union", "length :(", "in case", "'hello'"})
    EXPECT_EQ(verdict(text), "-") << text;
  for (const std::string_view text : {"'12/5/2020", "'90-95", "'Order now"})
    EXPECT_FALSE(denied_at_balanced(verdict(text))) << text;
  for (const std::string_view text : {"\"'", "'5*7"})
    EXPECT_FALSE(denied_at_balanced(verdict(text, "password", Location::kBody))) << text;
}

// Values that begin behind the first half of a query or end before its second one, beside what only looks
// torn.
TEST(Sqli, TornPieces) {
  for (const std::string_view text : {"/*",
                                      "-- -",
                                      "->>",
                                      "@>",
                                      "1')",
                                      "'))",
                                      "'0x3a3a3a",
                                      "t>'",
                                      "x ^ \"",
                                      "' limit/",
                                      "master.dbo.sysobjects",
                                      "1;update t",
                                      "from `a` where b",
                                      "group by a having b",
                                      "'\"'",
                                      ".'\"`@'",
                                      "103/**/",
                                      "/*x*/7",
                                      "1.e(1)",
                                      "2.e.a",
                                      "')test",
                                      "\";bob",
                                      "a\",(\"",
                                      "`pass`=1"})
    EXPECT_EQ(verdict(text), "strict") << text;
  for (const std::string_view text :
       {"and 5 !== ", "|| (x == '", "&& !d !== 0", "6 as \"t' from", ") as t from a", "7 as' from",
        "';update t", "\");select", ") when 4 then 5", "then 4 else 5 end", "' union", "\" select",
        "pg_catalog.pg_tables", "@x:=(select 1)"})
    EXPECT_TRUE(denied_at_balanced(verdict(text))) << text;
  for (const std::string_view text : {"--",
                                      "||",
                                      "->",
                                      "='(",
                                      "<a class='b",
                                      "as seen from space",
                                      "from here where I live",
                                      "1;2",
                                      "group by size",
                                      "if so then do or else",
                                      "'in' or 'out'",
                                      "rock 'n' roll",
                                      "6' 2\"",
                                      "1(')",
                                      "src/**/x.h",
                                      "*/*",
                                      "1.e4",
                                      "2.edition",
                                      "`a` = b c",
                                      "x := 1",
                                      "a@b:c"})
    EXPECT_EQ(verdict(text), "-") << text;
  EXPECT_EQ(verdict("t>'", "password", Location::kBody), "recorded");
}

// Values that are nothing but how a query or a clause begins (heads.tsv), beside what begins like them.
TEST(Sqli, BeginningsOfQueriesAreForStrict) {
  for (const std::string_view text : {"select *",
                                      "select @",
                                      "(select",
                                      "insert into t",
                                      "update t set",
                                      "union all",
                                      "into outfile",
                                      "order by 5",
                                      "group by 1",
                                      "having 1",
                                      "where a=b",
                                      "limit 0,1",
                                      "cast(a as int)",
                                      "1=1",
                                      "2 = 3",
                                      "0x3a3a3a",
                                      "\"!\"",
                                      "in boolean mode",
                                      "not like 'a",
                                      "between 1 and 2",
                                      "not in (1",
                                      "match (a) against ('b'",
                                      "handler t open",
                                      "prepare a from 'b",
                                      "pragma table_info(t)",
                                      "lines terminated by 'x",
                                      "on duplicate key update",
                                      "select top 1 a",
                                      "limit 5 offset 1"})
    EXPECT_EQ(verdict(text), "strict") << text;
  for (const std::string_view text : {"select country",
                                      "select all from the menu",
                                      "insert coin",
                                      "update me",
                                      "union jack",
                                      "order by size",
                                      "sort and order by 5 criteria",
                                      "having fun",
                                      "where a house stands",
                                      "limit 5",
                                      "1-1",
                                      "a=b",
                                      "1==",
                                      "@x",
                                      "@@tag",
                                      "0x3a3a3a3",
                                      "0x7fff5fbff8c0",
                                      "cast(a)",
                                      "\"a\"",
                                      "2=two"})
    EXPECT_EQ(verdict(text), "-") << text;
}

// A citation ends with a quote, too; what follows it ends as no query does.
TEST(Sqli, CitationsBetweenABacktickAndAQuote) {
  for (const std::string_view text :
       {"the `a' or `b' option is used here", "Apply the following `s' or `&' modifier once to each word."})
    EXPECT_FALSE(denied_at_balanced(verdict(text))) << text;
  for (const std::string_view text :
       {"`a' or 1=1-- ", "`a' or true-- ", "`a' or id is not null-- ", "`a' or name='admin",
        "`a' union select 1,2-- ", "`a' or user like 'a%"})
    EXPECT_TRUE(denied_at_balanced(verdict(text))) << text;
}

// What another dialect reads, or another reading of a quote leaves to it. Each was run by MariaDB, PostgreSQL
// or SQLite.
// [ "admin'-- " ]: an element of a list of JSON is a value though it has no name.
TEST(Sqli, ElementsOfAListAreValues) {
  FieldContext context;
  context.location = Location::kBody;
  EXPECT_FALSE(denied_at_balanced(verdict_in(analyzer_named("sqli"), "a\nb'#c", context)));
  context.decode_path = "json";
  EXPECT_TRUE(denied_at_balanced(verdict_in(analyzer_named("sqli"), "admin'-- ", context)));
}

TEST(Sqli, OtherReadingsLeaveNothingOut) {
  const std::string far(600, 'A');
  for (const std::string& text :
       std::vector<std::string>{"1--\rUNION SELECT password from users",
                                "1--\ror 1=1",
                                "x'--\ror'1'='1",
                                "1 union--\rselect 1,2",
                                "1/*/**/" + far + "-- */union select password from users",
                                "x'/*/**/" + far + "-- */or'1'='1",
                                "1 or name<>$a$" + far + "-- $a$",
                                "admin '-- -",
                                "admin '#",
                                "admin '/*",
                                "x '=0-- -",
                                "x '*1#",
                                "admin '-- '",
                                "admin '#'",
                                "x ' or id-- -",
                                "x ' or 1-- -",
                                "1 or ~id",
                                "1 or(id)",
                                "1 or id*1",
                                "1/**/or/**/1",
                                "1/**/or/**/id",
                                "1/**/<>/**/name",
                                "1 or id--",
                                "1 or id#",
                                "1 or '1'",
                                "1 or 1e0",
                                "1 or !0",
                                "1 is null or id",
                                "1 isnull or id",
                                "1 in (1) or id",
                                "1 like 1 or id",
                                "1<=length(name)",
                                "admin ' - name-- -",
                                "admin ' div id#",
                                "x ' or '1",
                                "7,is_admin=1",
                                "1 or -id",
                                "1 or id<<1",
                                "x ' or name like '%",
                                "7,role='admin'",
                                "ascii(substr(password,1,1))>64"})
    EXPECT_TRUE(denied_at_balanced(verdict(text))) << text;
  for (const std::string_view text : {"'-0-'", "'*'", "'-'"})
    EXPECT_TRUE(denied_at_balanced(verdict(text, "password"))) << text;
  for (const std::string_view text : {"he said 'no'; -- note",
                                      "1 or two",
                                      "1&&(",
                                      "1 or(",
                                      "2 and a half",
                                      "1 or (more)",
                                      "1 or x-large",
                                      "2 or km/h",
                                      "5 or R&D",
                                      "1 is not 2",
                                      "1 in 10",
                                      "1 in (10)",
                                      "src/**/test/*.js",
                                      "10 or 'more'",
                                      "1 or \"one\" more",
                                      "5 or more --",
                                      ".5 or .75",
                                      "1e5 or 1e6",
                                      "2 or 3*x",
                                      "1 or x%",
                                      "2 or A*",
                                      "5>=x#",
                                      "1 <= true",
                                      "2,axis='x'",
                                      "640,height='480'",
                                      "1 or x-large",
                                      "2 or km/h",
                                      "5 or R&D",
                                      "1,2",
                                      "1,a=2",
                                      "name",
                                      "price<5",
                                      "startswith(name,'a')",
                                      "rock ' n ' roll or name",
                                      "5 and -3",
                                      "--title 'x' --size",
                                      "=A1&\" or \"&B1",
                                      "aB'-8#k"})
    EXPECT_FALSE(denied_at_balanced(verdict(text, "password"))) << text;
}

// Blanks of a form are plus signs: an operator without its operand before the comment.
TEST(Sqli, CommentsBehindAnOperator) {
  EXPECT_EQ(verdict("interest.\"+[quoted+by]+The+introduction+of+it+--+as+usual"), "strict");
  for (const std::string_view text : {"x'-- a", "x'+1-- ", "x'*-- ", "x'+-- a", "x'+(select 1)-- "})
    EXPECT_TRUE(denied_at_balanced(verdict(text))) << text;
}

// SQLite takes strings in double quotes and, unlike MySQL, comments whose sign nothing follows.
TEST(Sqli, CommentsWithoutABlankBehindADoubleQuote) {
  for (const std::string_view text :
       {"x\" or 4242=4242--x", "x\") order by 1--x", "x\"/**/or/**/not/**/1=2--/**/x", "x` or 1=1--x"})
    EXPECT_TRUE(denied_at_balanced(verdict(text))) << text;
  for (const std::string_view text : {"start \"the service\" --user name --quiet",
                                      "see \"modify-db\": aws rds modify-db --cluster-name db-1 --wait",
                                      "git commit -m \"a\" --no-verify --amend"})
    EXPECT_FALSE(denied_at_balanced(verdict(text))) << text;
}

TEST(Sqli, NulEndsTheText) {
  EXPECT_TRUE(denied_at_balanced(verdict(std::string_view("x' or 1=1;\0", 11))));
  EXPECT_TRUE(denied_at_balanced(verdict(std::string_view("1 union\0select 1", 16))));
}

TEST(Sqli, SaysWhatWasUnderstood) {
  std::vector<Hit> hits;
  FieldContext context;
  context.location = Location::kQuery;
  analyzer_named("sqli").analyze("x' or 1=1-- ", context, hits);
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits[0].reason, "adds a condition whose outcome is known: or 1=1");
}

}  // namespace
// Filters of interfaces are lists of a name, an operator and a value.
TEST(Sqli, OperatorsThatAreMembers) {
  const Analyzer& sql = analyzer_named("sqli");
  FieldContext member;
  member.location = Location::kBody;
  member.name = "params[0][1]";
  member.decode_path = "json";
  for (const std::string_view text : {"ilike", "!=", "<>"}) {
    EXPECT_EQ(verdict_in(sql, text, member), "recorded") << text;
    EXPECT_EQ(verdict_of(sql, text), "strict") << text;
  }
  EXPECT_EQ(verdict_in(sql, "and 17=(", member), "balanced");
}

}  // namespace wafd::detect
