// The prefilter announces what the analysers of query languages find: attacks, cut and spliced at random.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/detect/prefilter/prefilter_pieces.h"

namespace wafd::detect {
namespace {

constexpr const char* kPieces[] = {
    "\0022={`\xb5\x06\x01`2",
    "1 or 1=1",
    "' or 'a'='a",
    "\") and (\"1\"=\"1",
    "x' or 1=1-- ",
    "1 union select 1,2",
    "1 union values row(1,2)",
    "' union table a limit 1",
    "1^(ascii(substr(database(),1,1))=115)",
    "x'-(if(1=1,1,0))-'0",
    "2-0x1f*length(version())",
    "'-0-'",
    "1 rlike(if(1,1,''))",
    "a regexp(case when 1 then 1 else 0 end)",
    "1 and regexp_substring(a,b)",
    "1;do $$begin end$$",
    "1;call a.b('c')",
    "' union values (1)#",
    "1/*!50000union*/select 1",
    "0x1funion select 1",
    "1exec xp_cmdshell 'a'",
    "1waitfor delay '0:0:5'",
    "1drop table a",
    "a=1e1=1e1",
    "a=if(2=",
    "a=2   as b from",
    "1;drop table a",
    "'; exec xp_cmdshell 'a'--",
    ";insert into a values (1)",
    "; sleep(5)",
    "x' sleep(5) '",
    "1 and sleep(5)",
    "' and updatexml(1,2,3)--",
    "exp(~(select 1))",
    "into outfile 'a'",
    "load data infile 'a'",
    "copy t from program 'a'",
    "select * from a",
    "from information_schema.tables",
    "select top 1 a from b where c=1",
    "order by 7",
    "' group by a having 1=1--",
    "procedure analyse(1)",
    "case when 1=1 then 2 else 3 end",
    ") when 1 then",
    "admin'--",
    "admin'/*",
    "admin';",
    "x','y')--",
    "a' as b from",
    "1 as' from",
    ") as a from",
    "pg_sleep(",
    "values (",
    "values ('a')",
    ", find_in_set('1',a)",
    "and 1=(",
    "|| a ==",
    "&&(a=1)",
    "if(2=",
    "upper(a)::int",
    "7<>8",
    "'a'='b'",
    "in (1,2)",
    ") like (",
    "'msdasql'",
    "xp_cmdshell",
    "union select",
    "current_user(",
    "<=>",
    "regexp",
    "is null",
    "like not null",
    "execute a",
    "mysql.user",
    "tempdb",
    "v$version",
    "`a`",
    "'!`",
    "!@#$%^&*",
    "`>65",
    " `>65",
    "\\x27",
    "\\0xf00",
    "log&&(",
    "1.e.a",
    ";;a",
    "' = #",
    "' * from",
    "a=or 1=1",
    "name=1 or 2=2",
    "{\"$gt\":\"\"}",
    "user[$ne]",
    "$where",
    "' || this.a.match(/b/)",
    "'; return true; var x='",
    "\", $or: [",
    "' (function(){while(1){}})() '",
    "password__startswith",
    "this.a.match(/b/)",
    "' || Object.keys(this)[0]=='a",
    "'&&!tojson(this)",
    "1;do{c=new Date();}while(c-d<5000)",
    "1;db.a.drop()",
    "match (n:a) detach delete n",
    "call dbms.a.b()",
    "load csv with headers from 'a' as l",
    "eval \"redis.call('a')\" 0",
    "\r\nconfig set dir /a",
    "\nslaveof a 1",
    "\nmodule load /a",
    "\nmodule load/a",
    "\nflushall\n",
    "\nset a 1 2 3",
    "\n*3\n$3",
    "a*(|(cn=*",
    "a)((|(cn=*",
    ")(cn:1.2:=a",
    "1 or true()",
    "*)(uid=*",
    "*))(|(cn=*",
    "a)(!(b=c",
    "x)\0",
    "(&(uid=a)(b=c))",
    "x'] | //user",
    "' or count(/*)=1",
    "' and name()='a",
    "doc('http://a')",
    "/child::node()",
};

TEST(QueryPrefilter, AnnouncesNamesWithADollar) {
  const std::string texts[] = {"x from v$instance--", "x from v_$version--", "x from v$sql--"};
  EXPECT_GE(found_and_announced(texts, {"sqli"}), 6u);  // as values and as names
}

// Each has one need alone that wakes SQL: a prefixed string behind an operator, a comment behind a closed
// quote and a comma, a hexadecimal number in a comment.
TEST(QueryPrefilter, AnnouncesWhatOneNeedAloneWakes) {
  for (const std::string text : {"= b'a'", "a',b#", "#0x41"})
    EXPECT_GE(found_and_announced(std::span(&text, 1), {"sqli"}), 1u) << text;
}

TEST(QueryPrefilter, AnnouncesEveryAttackOfSql) {
  std::vector<std::string> texts;
  for (const char* name : {"attacks", "lookalikes"}) {
    std::ifstream file(std::string(WAFD_SOURCE_DIR) + "/tests/detect/analyze/sql/" + name + ".txt");
    for (std::string line; std::getline(file, line);) texts.push_back(line);
  }
  EXPECT_GE(found_and_announced(texts, {"sqli"}), 1200u);
  std::vector<const char*> pieces;
  for (const std::string& text : texts) pieces.push_back(text.c_str());
  EXPECT_GT(found_and_announced(spliced(pieces, 20000, 24), {"sqli"}), 20000u);
}

TEST(QueryPrefilter, AnnouncesWhatAnalysersFind) {
  EXPECT_GT(found_and_announced(spliced(kPieces, 20000, 23), {"sqli", "nosql", "ldap", "xpath"}), 20000u);
}

}  // namespace
}  // namespace wafd::detect
