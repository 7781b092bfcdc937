// What tells an attack from what only looks like it: each cause once, with what passes at balanced beside
// what does not.
#include <memory>

#include <gtest/gtest.h>

#include "detect/analyze/path/path_traversal.h"
#include "detect/analyze/php/php_injection.h"
#include "detect/analyze/script/script_code.h"
#include "detect/analyze/sql/sqli.h"
#include "detect/analyze/template/ssti.h"
#include "detect/analyze/url/ssrf.h"
#include "detect/analyze/xml/xpath.h"
#include "detect/analyze/xss/xss.h"
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
    {"", make_xss_analyzer, kQuery, "q", "<script>top +alert(1)</script>", "low"},
    {"", make_xss_analyzer, kQuery, "q", "<script>/* hello there friend", "low"},
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
    {"", make_xss_analyzer, kBody, "context_line", "<script src=//evil.example></script>", "low"},
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
    {"", make_ssrf_analyzer, kBody, "v", "ldaps://dc.example:636/OU=users,DC=corp,DC=example", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://dc.example/dc=corp,dc=example", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://evil.example:1389/dc=Exploit", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://evil.example:1389/ou=a,dc=Exploit", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://evil.example/dc=Exploit", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://internal/dc=a?x", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://internal/ou=a,dc=b?x", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://internal/ou=a,dc=b#x", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://internal/dc=a,ou=b", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://internal/ou=a,dc=", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://internal/ou=a,,dc=b", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://internal/ou=a,dc=b,", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://internal/ou=a,dc=b/x", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://internal/a,dc=b", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldaps://evil.example/dc=a%0d%0ax", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldaps://evil.example/ou=b,dc=a%0d%0ax", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "ldap://127.0.0.1/ou=a,dc=b", "balanced"},
    {"", make_ssrf_analyzer, kQuery, "v", "ldap://dc.example:389/ou=users,dc=corp,dc=example", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "imaps://mail.example:993", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "pop3://mail.example", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "amqps://shop:secret@rabbit:5671/shop", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "mqtt://broker.example:1883", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "smtp://mail.example:25?x=y", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "smtp://mail.example:25?useSSL=true", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "smtp://a%0d%0aQUIT@mail.example:25", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "smtp://a@b@mail.example:25", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "smtp://cache:6379", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "amqp://guest:guest@rabbit:6379/", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "mqtt://broker.example:25", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "imap://mail.example:25x/", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "pop3://mail%0d%0a.example/", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v",
     "jdbc:postgresql://db.example/shop?sslmode=require&ApplicationName=shop-1&currentSchema=a_b", "strict"},
    {"", make_ssrf_analyzer, kBody, "v",
     "jdbc:mysql://db.example/shop?serverTimezone=Europe/Berlin&characterEncoding=UTF-8", "strict"},
    {"", make_ssrf_analyzer, kBody, "v",
     "mongodb://app:secret@db.example/shop?retryWrites=true&w=majority&authSource=admin", "strict"},
    {"", make_ssrf_analyzer, kBody, "v",
     "jdbc:mysql://db.example/shop?trustCertificateKeyStoreUrl=http://169.254.169.254/latest", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:mysql://db.example/shop?serverRSAPublicKeyFile=/etc/passwd",
     "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:mysql://db.example/shop?clientInfoProvider=org.x.Y",
     "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:mysql://db.example/shop?user=fileread_/etc/passwd",
     "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:postgresql://db.example/shop?sslhostnameverifier=org.x.Y",
     "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:postgresql://db.example/shop?useSSL=false&loggerFile=a.jsp",
     "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:postgresql://db.example/shop?ApplicationName=/etc/passwd",
     "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:postgresql://db.example/shop?ApplicationName=a%0ab",
     "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:postgresql://db.example/shop?useSSL", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:postgresql://db.example/shop#?socketFactory=a.B", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "jdbc:mysql://(host=db.example,autoDeserialize=true)/shop",
     "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "postgres://app:a@db.m\u00fcnchen.example/shop", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "postgres://app:a@169\u3002254\u3002169\u3002254/shop", "balanced"},
    {"a machine of whoever develops", make_ssrf_analyzer, kBody, "v", "http://host.docker.internal:3000/hook",
     "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "https://host.docker.internal/", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "http://HOST.docker.internal:49152/", "strict"},
    {"", make_ssrf_analyzer, kBody, "v", "http://host.docker.internal:6443/", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "http://host.docker.internal:81/", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "http://host.docker.internal:08080/", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "http://host.docker.internal:8080/admin", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "http://host.docker.internal:8080/actuator/env", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "http://host.docker.internal:8080/containers/json", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "http://kubernetes.docker.internal:8080/", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "http://kubernetes.docker.internal:6443/", "balanced"},
    {"", make_ssrf_analyzer, kBody, "v", "http://gateway.docker.internal/", "balanced"},

    {"a line of settings", make_path_traversal_analyzer, kBody, "content",
     "[program:a]\nstdout_logfile=/var/log/shop.log", "strict"},
    {"", make_path_traversal_analyzer, kBody, "content", "a\nfile=/etc/shadow", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "content", "[a]\nfile=/etc//passwd", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "content", "[a]\nfile=/proc/self/environ", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "content", "[a]\nserver_conf=/etc/nginx/nginx.conf", "strict"},
    {"a folder of the host in a container", make_path_traversal_analyzer, kBody, "volumes",
     "/etc/nginx:/etc/nginx:ro", "strict"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/passwd:/etc/passwd", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/nginx/nginx.conf", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/nginx/conf.d:/srv/conf.d", "strict"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/nginx:/", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/nginx:/1", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/nginx:/x/../y", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/nginx/../nginx:/x", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/nginx:/x?a", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/proc/self/environ:/y", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/proc/1/environ:/y", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/proc/cpuinfo:/y", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/ssl/private/shop.pem:/y", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/ssl/private/shop.key:/y", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/shadow:/y", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "/etc/passwd:/x.pub", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "volumes", "//etc/nginx:/x", "balanced"},
    {"", make_path_traversal_analyzer, kQuery, "volumes", "/etc/nginx:/etc/nginx:ro", "balanced"},
    {"", make_path_traversal_analyzer, kBody, "content", "stdout_logfile=/var/log/shop.log", "balanced"},
};

TEST(LookAlikes, AreToldApart) {
  for (const Case& row : kCases)
    EXPECT_EQ(verdict_of(*row.make(), row.text, row.location, false, row.name), row.verdict) << row.text;
}

}  // namespace
}  // namespace wafd::detect
