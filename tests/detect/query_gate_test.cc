// The gate announces what the analysers of query languages find: attacks, cut and spliced at random.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/detect/analyze/analyze_support.h"
#include "tests/fuzz/analyzer_gate.h"

namespace wafd::detect {
namespace {

constexpr const char* kPieces[] = {
    "1 or 1=1",
    "' or 'a'='a",
    "\") and (\"1\"=\"1",
    "x' or 1=1-- ",
    "1 union select 1,2",
    "' union values (1)#",
    "1/*!50000union*/select 1",
    "0x1funion select 1",
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

TEST(QueryGate, AnnouncesWhatAnalysersFind) {
  AnalyzerGate gate;
  std::size_t found = 0;
  std::vector<std::string> texts(std::begin(kPieces), std::end(kPieces));
  Dice dice(23);
  constexpr std::string_view kSigns = " \t\n\"'`/\\;()[]{}$<>=.+-%*#,|&!~^:@?\xa0x7";
  for (int made = 0; made < 20000; ++made) {
    std::string text = kPieces[dice.roll(std::size(kPieces))];
    if (dice.roll(3) == 0) text += kPieces[dice.roll(std::size(kPieces))];
    for (std::uint64_t edits = dice.roll(5); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = dice.roll(text.size());
      switch (dice.roll(5)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, kSigns[dice.roll(kSigns.size())]);
          break;
        case 2:
          text[at] = static_cast<char>(dice.roll(256));
          break;
        case 3:
          text.insert(at, dice.roll(2) == 0 ? "/**/" : "--\n");
          break;
        default:
          text = text.substr(at) + text.substr(0, at);
          break;
      }
    }
    texts.push_back(std::move(text));
  }
  for (const std::string& text : texts) {
    for (const char* name : {"sqli", "nosql", "ldap", "xpath"}) {
      for (const bool in_name : {false, true}) {
        if (!gate.announced(name, text, in_name, found))
          ADD_FAILURE() << name << " finds what the gate does not announce: " << text;
      }
    }
  }
  EXPECT_GT(found, 20000u);
}

}  // namespace
}  // namespace wafd::detect
