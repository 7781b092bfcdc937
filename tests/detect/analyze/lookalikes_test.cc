// What tells an attack from what only looks like it: each cause once, with what passes at balanced beside
// what does not.
#include <memory>

#include <gtest/gtest.h>

#include "detect/analyze/cmd_injection.h"
#include "detect/analyze/path_traversal.h"
#include "detect/analyze/php_injection.h"
#include "detect/analyze/script_code.h"
#include "detect/analyze/sqli.h"
#include "detect/analyze/ssrf.h"
#include "detect/analyze/ssti.h"
#include "detect/analyze/xpath.h"
#include "detect/analyze/xss.h"
#include "tests/detect/analyze/analyze_support.h"

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
    {"words are no script", make_xss_analyzer, kQuery, "q", "<script> tag placement", "strict"},
    {"", make_xss_analyzer, kQuery, "q", "<script>+tag+placement", "strict"},
    {"", make_xss_analyzer, kBody, "m", "put the <script> before </body>, or use defer", "strict"},
    {"", make_xss_analyzer, kBody, "m", "Escape <script> in comments (XSS), fixes #3", "strict"},
    {"", make_xss_analyzer, kQuery, "q", "<script>", "low"},
    {"", make_xss_analyzer, kQuery, "q", "<script>test</script>", "low"},
    {"", make_xss_analyzer, kQuery, "q", "<script> var a = b", "low"},
    {"", make_xss_analyzer, kQuery, "q", "<script>+a+alert(1)", "low"},
    {"", make_xss_analyzer, kQuery, "q", "<script src=//x> tag placement", "low"},
    {"", make_xss_analyzer, kQuery, "q", "<script> return alert(1)", "low"},
    {"behind a call stands no word", make_xss_analyzer, kQuery, "q", "alert() vs confirm()", "-"},
    {"", make_xss_analyzer, kQuery, "q", "alert() + confirm()", "balanced"},
    {"", make_xss_analyzer, kQuery, "q", "document.querySelector('.a') returns null", "-"},
    {"", make_xss_analyzer, kQuery, "q", "document.querySelector('.a') in x", "balanced"},
    {"", make_xss_analyzer, kQuery, "q", "document.querySelector('.a')\nreturns", "balanced"},
    {"lines of source in reports", make_xss_analyzer, kBody, "context_line",
     "el.innerHTML = '<b onclick=f()>'", "strict"},
    {"", make_xss_analyzer, kBody, "script-sample", "document.write('<script src=\"//cdn20", "strict"},
    {"", make_xss_analyzer, kBody, "sample", "document.write('<script src=\"//cdn20", "low"},
    {"a small page is a document", make_xss_analyzer, kBody, "content",
     "<!DOCTYPE html><html><head><script src=\"a.js\"></script></head></html>", "strict"},
    {"", make_xss_analyzer, kBody, "content", "<!DOCTYPE html><script src=\"//evil.example/a.js\"></script>",
     "low"},

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
    {"a string of the expression's own", make_xpath_analyzer, kBody, "v",
     "count(//item[@type='a' or @type='b']) = 3", "strict"},
    {"", make_xpath_analyzer, kQuery, "v", "a' or @type='b", "balanced"},
    {"", make_xpath_analyzer, kQuery, "v", "'] | //user[@a='b' or @c='d", "balanced"},

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
    {"filters of PowerShell", make_cmd_injection_analyzer, kBody, "m", "x | Where-Object Status -eq Running",
     "strict"},
    {"", make_cmd_injection_analyzer, kBody, "m", "x | Where-Object { iex $_ }", "balanced"},
    {"", make_cmd_injection_analyzer, kQuery, "q", "powershell get-content -tail", "strict"},
    {"", make_cmd_injection_analyzer, kQuery, "q", "powershell Get-Content -Path c:\\a.txt", "balanced"},
    {"a program that nobody knows", make_cmd_injection_analyzer, kBody, "v", "/usr/bin/shopd -d", "strict"},
    {"", make_cmd_injection_analyzer, kBody, "v", "/usr/bin/curl -d", "balanced"},
    {"", make_cmd_injection_analyzer, kBody, "v", "x;/usr/bin/shopd -d", "balanced"},
    {"what a process was started with", make_cmd_injection_analyzer, kBody, "cmdline",
     "/bin/sh -c /usr/sbin/cron -f", "strict"},
    {"", make_cmd_injection_analyzer, kBody, "cmd", "/bin/sh -c /usr/sbin/cron -f", "balanced"},
    {"", make_cmd_injection_analyzer, kQuery, "cmdline", "/bin/sh -c /usr/sbin/cron -f", "balanced"},
    {"", make_cmd_injection_analyzer, kBody, "cmdline", "/bin/sh -c 'cat /etc/passwd'", "balanced"},
    {"options that are asked about", make_cmd_injection_analyzer, kQuery, "q", "tar -xzf vs tar -xvf",
     "strict"},
    {"", make_cmd_injection_analyzer, kQuery, "q", "ssh -L port forwarding", "strict"},
    {"", make_cmd_injection_analyzer, kQuery, "q", "tar -xzf a.tgz -C /tmp", "balanced"},
    {"", make_cmd_injection_analyzer, kQuery, "q", "cat -n /etc/passwd vs", "balanced"},
    {"a command in a sentence", make_cmd_injection_analyzer, kBody, "m",
     "the folder had 80 GB; logrotate was broken", "strict"},
    {"", make_cmd_injection_analyzer, kBody, "m", "80; logrotate -f broken", "low"},
    {"what a command said", make_cmd_injection_analyzer, kBody, "m", "df -h: /dev/sda1 > 90%", "strict"},
    {"", make_cmd_injection_analyzer, kBody, "m", "df -h /dev/sda1", "balanced"},
    {"a frame of Python's", make_cmd_injection_analyzer, kQuery, "q",
     "File \"/usr/lib/python3/x.py\", line 3", "-"},
    {"", make_cmd_injection_analyzer, kQuery, "q", "file \"/usr/lib/python3/x.py\"", "balanced"},
    {"a line of cron's log", make_cmd_injection_analyzer, kBody, "m",
     "web CRON[123]: (root) CMD (/usr/bin/php /srv/cron.php > /dev/null 2>&1)", "strict"},
    {"", make_cmd_injection_analyzer, kBody, "m", "web CMD (/usr/bin/php /srv/cron.php > /dev/null 2>&1)",
     "low"},
    {"three lines of source", make_cmd_injection_analyzer, kBody, "m",
     "Get-ChildItem -Path C:\\Logs -Filter *.log |\n  Sort-Object Length |\n  Remove-Item -WhatIf", "strict"},
    {"", make_cmd_injection_analyzer, kBody, "m", "Get-ChildItem -Path C:\\Logs -Filter *.log |\nx\ny",
     "balanced"},
    {"", make_xss_analyzer, kBody, "m", "x<!--\nalert(1)\n-->", "balanced"},
    {"words around code in Markdown", make_cmd_injection_analyzer, kBody, "m",
     "Use `chmod 600 ~/.ssh/id_ed25519`. The file must be yours.", "strict"},
    {"", make_cmd_injection_analyzer, kBody, "m", "x `chmod 600 ~/.ssh/id_ed25519` y", "low"},

    {"signs of the text's own", make_sqli_analyzer, kBody, "m", ".a::before{content:\"<\"}.b>li{color:red}",
     "strict"},
    {"", make_sqli_analyzer, kQuery, "m", "admin\"<\"zz", "balanced"},
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
    {"", make_sqli_analyzer, kBody, "code", "SELECT 1;\nSELECT pg_sleep(9);", "low"},
    {"", make_sqli_analyzer, kBody, "code", "1\nunion select password\nfrom users", "low"},

    {"a machine of the own network", make_ssrf_analyzer, kQuery, "folder", "\\\\fileserver\\share$\\a",
     "strict"},
    {"", make_ssrf_analyzer, kQuery, "folder", "\\\\fileserver\\c$\\a", "balanced"},
    {"", make_ssrf_analyzer, kQuery, "folder", "\\\\evil.example\\share$\\a", "balanced"},
    {"parameters of a driver", make_ssrf_analyzer, kBody, "v",
     "jdbc:mysql://db.example:3306/shop?useSSL=false&serverTimezone=UTC", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:mysql://db.example/shop?allowLoadLocalInfile=true",
     "balanced"},
    {"settings of mail, messages and directories", make_ssrf_analyzer, kBody, "v", "smtp://mail.example:587",
     "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "amqp://guest:guest@rabbit:5672/", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://dc.example:389/ou=users,dc=corp,dc=example", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "smtp://127.0.0.1:25/_EHLO%20a", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "smtp://mail.example:25/%0d%0aQUIT", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://evil.example:1389/Exploit", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:postgresql://db.example/shop?socketFactory=a.B", "balanced"},

    {"a line of settings", make_path_traversal_analyzer, kBody, "content",
     "[program:a]\nstdout_logfile=/var/log/shop.log", "strict"},
    {"a folder of the host in a container", make_path_traversal_analyzer, kBody, "volumes",
     "/etc/nginx:/etc/nginx:ro", "strict"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/passwd:/etc/passwd", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/nginx/nginx.conf", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "content", "stdout_logfile=/var/log/shop.log", "balanced"},
};

TEST(LookAlikes, AreToldApart) {
  for (const Case& row : kCases)
    EXPECT_EQ(verdict_of(*row.make(), row.text, row.location, false, row.name), row.verdict) << row.text;
}

}  // namespace
}  // namespace wafd::detect
