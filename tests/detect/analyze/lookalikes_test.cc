// What tells an attack from what only looks like it: each cause once, with what passes at balanced beside
// what does not.
#include <memory>

#include <gtest/gtest.h>

#include "detect/analyze/php/php_injection.h"
#include "detect/analyze/script/script_code.h"
#include "detect/analyze/sql/sqli.h"
<<<<<<< HEAD
#include "detect/analyze/template/ssti.h"
=======
#include "detect/analyze/url/ssrf.h"
#include "detect/analyze/xml/xpath.h"
>>>>>>> code
#include "detect/analyze/xss/xss.h"
#include "tests/detect/analyze/analyze_support.h"
#include "tests/detect/analyze/judged_matchers.h"

namespace wafd::detect {
namespace {

using Make = std::unique_ptr<Analyzer> (*)();

struct Case {
  const char* cause;
  Make make;
  Location location;
  const char* name;  // of the parameter
  const char* text;
  const char* verdict;
};

constexpr Location kQuery = Location::kQuery;
constexpr Location kBody = Location::kBody;

constexpr Case kCases[] = {
    {"only the condition has a parenthesis", make_ssti_analyzer, kBody, "m", "<% if (user.vip) { %>",
     "strict"},
    {"", make_ssti_analyzer, kBody, "m", "<%= f(user) %>", "balanced"},
    {"", make_ssti_analyzer, kBody, "m", "<% if (exec('id')) { %>", "low"},

    {"a definition, in a form as it was sent", make_ssti_analyzer, kBody, "m",
     "class+A:\n++++def+__init__(self,+x):\n++++++++self.x+=+x\nif+__name__+==+'__main__':\n++++A(1)", "-"},
    {"", make_ssti_analyzer, kBody, "m", "''.__class__.__mro__", "low"},
    {"settings that are a module's source", make_script_code_analyzer, kBody, "m",
     "module.exports = { entry: './src/index.js' };", "strict"},
    {"", make_script_code_analyzer, kBody, "m", "module.exports = require('x')", "balanced"},

    {"a request variable between words", make_php_injection_analyzer, kQuery, "q",
     "php $_GET undefined index", "strict"},
    {"", make_php_injection_analyzer, kQuery, "q", "$_GET", "balanced"},
    {"", make_php_injection_analyzer, kQuery, "q", "print $_GET and more", "balanced"},
    {"a request variable in a post", make_php_injection_analyzer, kBody, "m",
     "In PHP this line is an error:\n$total = $_POST['total'] + $row['sum'];", "strict"},
    {"", make_php_injection_analyzer, kBody, "m", "In PHP this line is an error:\nsystem($_POST['total']);",
     "low"},
    {"", make_php_injection_analyzer, kQuery, "q", "In PHP this line is an error: $_POST['total']", "low"},

    {"a question about a call", make_php_injection_analyzer, kQuery, "q",
     "What is the meaning of @ in @fopen($file)?", "strict"},
    {"", make_php_injection_analyzer, kQuery, "q", "@fopen($file)?1:2", "balanced"},
    {"a warning that PHP prints", make_php_injection_analyzer, kBody, "m",
     "Warning: mysqli_connect(): (HY000/1045): Access denied", "strict"},
    {"", make_php_injection_analyzer, kBody, "m", "x ? mysqli_connect(): (1)", "balanced"},
    {"", make_xss_analyzer, kBody, "m", "';\nalert(document.cookie);\n1;\n//", "balanced"},
    {"", make_xss_analyzer, kBody, "m", "${\nalert(1)\n;\n}", "balanced"},
    {"", make_xss_analyzer, kBody, "m", "x<!--\nalert(1)\n-->", "balanced"},

    {"signs of the text's own", make_sqli_analyzer, kBody, "m", ".a::before{content:\"<\"}.b>li{color:red}",
     "strict"},
    {"", make_sqli_analyzer, kQuery, "m", "admin\"<\"zz", "balanced"},
    {"", make_sqli_analyzer, kQuery, "m", "('=')", "balanced"},
    {"", make_sqli_analyzer, kQuery, "m", "admin:'=',", "balanced"},
    {"clauses that are asked about", make_sqli_analyzer, kQuery, "q", "group by having count(*) > 1",
     "strict"},
    {"", make_sqli_analyzer, kQuery, "q", "1 group by a having count(*) > 1", "balanced"},
    {"a parameter for conditions", make_sqli_analyzer, kQuery, "where", "1=1", "strict"},
    {"", make_sqli_analyzer, kQuery, "where", "1' or 1=1--", "low"},
    {"", make_sqli_analyzer, kQuery, "id", "1=1", "balanced"},
    {"lines of statements in a field", make_sqli_analyzer, kBody, "code",
     "-- small or big\nCREATE VIEW v AS\nSELECT id, CASE WHEN total > 4 THEN 'big' ELSE 'small' END FROM a;",
     "strict"},
    {"", make_sqli_analyzer, kQuery, "code",
     "-- small or big\nCREATE VIEW v AS\nSELECT id, CASE WHEN total > 4 THEN 'big' ELSE 'small' END FROM a;",
     "balanced"},
    {"", make_sqli_analyzer, kBody, "code", "select a from b\n' union select password from users-- ", "low"},
    {"", make_sqli_analyzer, kBody, "code", "select a from b\n' or 1=1-- ", "low"},
    {"", make_sqli_analyzer, kBody, "code", "SELECT 1;\nSELECT pg_sleep(9);", "low"},
    {"", make_sqli_analyzer, kBody, "code", "1\nunion select password\nfrom users", "low"},


};

TEST(LookAlikes, AreToldApart) {
  for (const Case& row : kCases)
    EXPECT_EQ(verdict_of(*row.make(), row.text, row.location, false, row.name), row.verdict) << row.text;
}

}  // namespace
}  // namespace wafd::detect
