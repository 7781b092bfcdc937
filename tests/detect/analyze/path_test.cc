// Paths as servers and file systems resolve them, the evidence of those that climb, name files of the system
// or ask a site for what it does not serve, and how much it weighs.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/path/hidden_path_matcher.h"
#include "detect/analyze/path/path_matcher.h"
#include "detect/analyze/path/path_reader.h"
#include "detect/analyze/path/secret_files.h"
#include "detect/analyze/path/secret_files.tsv.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;

// Each path as "ups/above/flags/target": rooted, disguised, cut, stream, url, file url.
std::string paths(std::string_view text) {
  std::string out;
  path::PathReader reader(text);
  for (path::Path path; reader.next(path);) {
    if (!out.empty()) out += " ";
    out += std::to_string(path.ups) + "/" + std::to_string(path.above) + "/";
    if (path.rooted) out += "r";
    if (path.disguised) out += "d";
    if (path.cut) out += "n";
    if (path.stream) out += "s";
    if (path.url) out += "u";
    if (path.file_url) out += "f";
    out += "/" + std::string(path.target);
  }
  return out;
}

TEST(PathReader, Table) {
  EXPECT_EQ(paths(""), "");
  EXPECT_EQ(paths("a/b/c"), "0/0//a/b/c");
  EXPECT_EQ(paths("/a/./b//c"), "0/0/r/a/b/c");
  EXPECT_EQ(paths("../a"), "1/1//a");
  EXPECT_EQ(paths("a/../../b"), "2/1//b");
  EXPECT_EQ(paths("a/b/../c"), "1/0//a/c");
  EXPECT_EQ(paths("..\\..\\Windows\\Win.ini"), "2/2//Windows/Win.ini");
  EXPECT_EQ(paths("..;/..;a=b/x"), "2/2/d/x");
  EXPECT_EQ(paths("a;b/..;c"), "0/0//a 0/0//b");
  EXPECT_EQ(paths("....//....//etc/passwd"), "2/2/d/etc/passwd");
  EXPECT_EQ(paths("..././..././x"), "2/2/d/x");
  EXPECT_EQ(paths("%2e%2e/x"), "1/1/d/x");
  EXPECT_EQ(paths("..%2f..%5Cx"), "2/2/d/x");
  EXPECT_EQ(paths(". ./x"), "1/1/d/x");
  EXPECT_EQ(paths(".\0./.. /x"sv), "2/2/d/x");
  EXPECT_EQ(paths(".../x/..../"), "1/0/d/");
  EXPECT_EQ(paths("a.b/c..d/..."), "0/0//a.b/c..d");
  EXPECT_EQ(paths("../etc/passwd\0.png"sv), "1/1/n/etc/passwd 0/0//.png");
  EXPECT_EQ(paths("c:\\boot.ini"), "0/0/r/boot.ini");
  EXPECT_EQ(paths("D:\\Program Files\\x y"), "0/0/r/Program Files/x y");
  EXPECT_EQ(paths("..0x5c..0x2fx"), "2/2/d/x");
  EXPECT_EQ(paths("..2f..2fetc2fpasswd"), "2/2/d/etc2fpasswd");
  EXPECT_EQ(paths("..%uF025x"), "1/1/d/x");
  EXPECT_EQ(paths("%\\..%\\..%\\x"), "2/2/d/x");
  EXPECT_EQ(paths("file:///etc/x http://h.example:80/../a"), "0/0//file 0/0/rf/etc/x 0/0//http 1/1/ru/a");
  EXPECT_EQ(paths("a.asp::$DATA x::$INDEX_ALLOCATION Foo::$DATAS"),
            "0/0/s/a.asp 0/0//$DATA 0/0/s/x 0/0//$INDEX_ALLOCATION 0/0//Foo 0/0//$DATAS");
}

// A path with more segments than the reader keeps is judged by its last ones.
TEST(PathReader, KeepsTheEndOfLongPaths) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "a/";
  EXPECT_TRUE(paths(text + "../etc/passwd").ends_with("/etc/passwd"));
  for (const std::size_t size : {1023, 1024, 1025, 3000})
    EXPECT_EQ(paths(std::string(size, 'b') + "/x"), "0/0//x") << size;
  EXPECT_EQ(paths("a/" + std::string(1024, 'b')), "0/0//" + std::string(1024, 'b'));
}

TEST(SecretFiles, RowsAreFound) {
  std::size_t rows = 0;
  for (const path::SecretFile& row : path::kSecretFiles.rows()) {
    if (row.anchor == path::Anchor::kConf) {
      EXPECT_EQ(path::below_root(std::string(row.text) + "/x.conf", false), &row) << row.text;
      EXPECT_EQ(path::below_root(std::string(row.text) + "/x", false), nullptr) << row.text;
      continue;
    }
    if (row.anchor == path::Anchor::kBegin) {
      EXPECT_EQ(path::by_tail("x/" + std::string(row.text) + "y"), &row) << row.text;
      EXPECT_EQ(path::by_tail("x/" + std::string(row.text) + "y.z"), nullptr) << row.text;
      continue;
    }
    const bool rooted = row.anchor <= path::Anchor::kDrive;
    EXPECT_EQ(rooted ? path::below_root(row.text, true) : path::by_tail(row.text), &row) << row.text;
    if (row.anchor == path::Anchor::kTree || row.anchor == path::Anchor::kDrive) {
      EXPECT_NE(path::below_root(std::string(row.text) + "/x", true), nullptr) << row.text;
    }
    if (!rooted) {
      EXPECT_NE(path::by_tail("x/" + std::string(row.text)), nullptr) << row.text;
    }
    ++rows;
  }
  EXPECT_GT(rows, 900u);
  EXPECT_EQ(path::below_root("etc", true), nullptr);
  EXPECT_EQ(path::by_tail("x/passwd"), nullptr);
}

TEST(PathMatcher, Evidence) {
  const auto matcher = make_path_matcher();
  const auto found = [&](std::string_view text, Location location = Location::kQuery) {
    FieldContext context;
    context.location = location;
    return evidence_of(*matcher, text, context);
  };
  EXPECT_EQ(found("../../etc/passwd"), "climb_to_file(certain) [../../etc/passwd]");
  EXPECT_EQ(found("see ../../etc/passwd"), "climb_to_file(likely) [../../etc/passwd]");
  EXPECT_EQ(found("../../config.php"),
            "climb_to_file(possible) [../../config.php]; climb(certain) [../../config.php]");
  EXPECT_EQ(found("../x"), "climb(likely) [../x]");
  EXPECT_EQ(found("../../lib/a.js"), "climb(possible) [../../lib/a.js]");
  EXPECT_EQ(found("/a/../../b"), "climb(certain) [/a/../../b]");
  EXPECT_EQ(found("..;/x"), "disguised_climb(certain) [..;/x]");
  // a separator that one decoder alone knows
  EXPECT_EQ(found("..%n7..%n7etc%n7passwd"), "climb_to_file(certain) [..%n7..%n7etc%n7passwd]");
  EXPECT_EQ(found("..\xc1%p..\xc1%pa"), "disguised_climb(certain) [..\xc1%p..\xc1%pa]");
  EXPECT_EQ(found("..%n7..%n8a"), "");
  EXPECT_EQ(found("..\xc3\xa4..\xc3\xa4"), "");
  EXPECT_EQ(found("/etc/hosts"), "system_file(certain) [/etc/hosts]");
  EXPECT_EQ(found("/etc/nginx"), "system_file(possible) [/etc/nginx]");
  EXPECT_EQ(found("/etc/nginx/sites-enabled/a"), "system_file(likely) [/etc/nginx/sites-enabled/a]");
  EXPECT_EQ(found("/var/log/auth.log"), "log_file(certain) [/var/log/auth.log]");
  EXPECT_EQ(found("x=/home/a/.ssh/id_rsa"), "secret_file(certain) [/home/a/.ssh/id_rsa]");
  EXPECT_EQ(found("the /etc/shadow of it"), "secret_file(possible) [/etc/shadow]");
  EXPECT_EQ(found(".env"), "named_file(possible) [.env]");
  EXPECT_EQ(found("/tmp/sess_a1b2c3"), "system_file(certain) [/tmp/sess_a1b2c3]");
  EXPECT_EQ(found("/var/lib/php5/session/sess_x"), "system_file(certain) [/var/lib/php5/session/sess_x]");
  EXPECT_EQ(found("/photos/sess_1.jpg"), "");
  EXPECT_EQ(found("sess_a1b2c3"), "");
  EXPECT_EQ(found("/a/session_x"), "");
  EXPECT_EQ(found("../../config.yml"),
            "climb_to_file(possible) [../../config.yml]; climb_to_data(likely) [../../config.yml]");
  EXPECT_EQ(found("use ../../config.yml, not it"), "climb(possible) [../../config.yml]");
  EXPECT_EQ(found("a.php\0.gif"sv), "nul_cut(certain) [a.php]");
  EXPECT_EQ(found("a\0.jpg"sv), "nul_cut(certain) [a\0.jpg]"sv);
  EXPECT_EQ(found("0x2e0x2e/x"), "disguised_climb(certain) [0x2e0x2e/x]");
  EXPECT_EQ(found("a/..0x5Cx"), "disguised_climb(certain) [..0x5Cx]");
  EXPECT_EQ(found("/.../.../x"), "climb(possible) [/.../.../x]");
  EXPECT_EQ(found("././././././././././././a").substr(0, 17), "padding(certain) ");
  EXPECT_EQ(found("/a/../b", Location::kUrlPath), "inside_climb(certain) [/a/../b]");
  EXPECT_EQ(found("/a/../b.png", Location::kUrlPath), "inside_climb(possible) [/a/../b.png]");
  EXPECT_EQ(found("/static../settings.py", Location::kUrlPath),
            "disguised_climb(certain) [/static../settings.py]");
  EXPECT_EQ(found("/app/WEB-INF/web.xml", Location::kUrlPath),
            "private_folder(certain) [/app/WEB-INF/web.xml]");
  EXPECT_EQ(found("/r/maven/a/META-INF/x", Location::kUrlPath),
            "private_folder(possible) [/r/maven/a/META-INF/x]");
  EXPECT_EQ(found("/PROGRA~1/x", Location::kUrlPath), "short_name(likely) [/PROGRA~1/x]");
  for (const std::string_view text :
       {"..a/b", "a/b", "1.../2", "and so on.../x", "v1..v2", "HEAD~1", "0x2e7f", "a0x2e0x2e", "0x2f",
        "The dot is 0x2e. It ends", "0x2e..0x3f", "port 0x2e/0x2f", "0x5c.", "/etc", "C:\\Users\\x"})
    EXPECT_EQ(found(text), "") << text;
}

struct Row {
  std::string_view text;
  const char* verdict;             // in a query
  const char* in_field = nullptr;  // of a body; null: the same
};

constexpr Row kRows[] = {
    {"../../../etc/passwd", "low"},
    {"..\\..\\..\\windows\\win.ini", "low"},
    {"....//....//....//etc/shadow", "low"},
    {"....\\/....\\/boot.ini", "low"},
    {"..;/..;/etc/hosts", "low"},
    {"x/../../../proc/self/environ", "low"},
    {"file=../../../etc/passwd", "low"},
    {"../../../etc/passwd\0.png"sv, "low"},
    {"/%5c../%5c../%5c../etc/passwd", "low"},
    {"php://filter/resource=../../../etc/passwd", "low"},
    {"/.../.../.../windows/win.ini", "low"},
    {"before it ../../../../etc/passwd behind it", "low"},
    {"include('/etc/passwd');", "balanced"},
    {"{fetch file='/etc/passwd'}", "balanced"},
    {"{% include '/etc/passwd' %}", "balanced"},
    {"new File(\"/etc/shadow\").text", "balanced"},
    {"/var/www/html/config.php", "balanced"},
    {"../../secret.txt", "balanced"},
    {"../../../../a.js", "balanced"},
    {"..;x=y/..;x=y/secret", "balanced"},
    {".%2e%2f.%2e%2fa", "balanced"},
    {"/etc/passwd", "balanced"},
    {"uploads/../etc/passwd", "low"},
    {"docs/../img/a.png", "-"},
    {"/etc/init.d/../passwd", "balanced"},
    {"/var/lib/../../etc/shadow", "balanced"},
    {"c:\\windows\\win.ini", "balanced"},
    {"C:\\boot.ini", "balanced"},
    {"/var/log/auth.log", "balanced", "recorded"},
    {"/home/x/.ssh/id_rsa", "balanced"},
    {"file:///etc/passwd", "balanced"},
    {"report.php\0.jpg"sv, "balanced"},
    {"/var/db/x", "balanced", "strict"},
    {"/usr/local/etc/x.conf", "balanced"},
    {"c:/inetpub/x", "balanced", "strict"},
    {"conf/.htpasswd", "balanced"},
    {"/static/../../app.py", "balanced"},
    {"/a/../../b", "balanced"},
    {"web.config::$DATA", "balanced"},
    {"/admin/page.asp::$data", "balanced"},
    {"/secret::$INDEX_ALLOCATION/x.txt", "balanced"},
    {"/secret:$i30:$INDEX_ALLOCATION/x.txt", "balanced"},
    {"/proc/1/environ:/y", "balanced"},
    {"/etc/passwd:/x.pub", "balanced"},
    {"/etc/nginx/nginx.conf", "balanced"},
    {"../", "strict"},
    {".bashrc", "strict", "recorded"},
    {".env", "strict", "recorded"},
    {"../config", "strict"},
    // what only looks so
    {"Why does open('/etc/passwd') fail for me?", "strict", "recorded"},
    {"the file '/etc/passwd' of the system", "strict", "recorded"},
    {"../../lib/util.js", "strict", "recorded"},
    {"..\\..\\assets\\a.css", "strict", "recorded"},
    {"See ../../docs/README.md and ./src/index.ts for more of this", "strict", "recorded"},
    {"/etc/nginx:/etc/nginx:ro", "strict", "recorded"},
    {"[program:a]\nstdout_logfile=/var/log/shop.log", "strict", "recorded"},
    {"[a]\nserver_conf=/etc/nginx/nginx.conf", "strict", "recorded"},
    {"..", "strict", "recorded"},
    {"/var/www/shop/public", "-"},
    {"/var/www/html/index.html", "-"},
    {"/docs/a/../etc.html", "-"},
    {"/usr/lib/app/../style.css", "-"},
    {"at load (/usr/lib/app/../loader.js:12:5)", "-"},
    {"https://shop.example/a/../b", "-"},
    {"wait... what?", "-"},
    {"1...2 and 3..4", "-"},
    {"C:\\Users\\tom\\Documents\\file.txt", "-"},
    {"see a/b or c", "-"},
    {"<img src=\"../img/a.png\">", "strict", "recorded"},
    {"import x from '../lib/y'", "strict", "recorded"},
    {"and/or", "-"},
    {"/etc", "-"},
    {"/home/profile", "-"},
    {"docs/proc/list", "-"},
    {"self::$data", "-"},
    {"Foo::$DATA['x']", "-"},
    {"\\\\n\\n", "-"},
    {"\\alpha \\\\ \\beta", "-"},
    {"the folder \\\\server\\docs has it", "-"},
    {"/a/b/../../c", "-"},
    {".../", "-"},
    {".../foo", "-"},
};

TEST(PathMatcher, Verdicts) {
  const Analyzer& analyzer = analyzer_named("path");
  for (const Row& row : kRows) {
    EXPECT_EQ(verdict_of(analyzer, row.text, Location::kQuery, false, "v"), row.verdict) << row.text;
    EXPECT_EQ(verdict_of(analyzer, row.text, Location::kBody, false, "v"),
              row.in_field ? row.in_field : row.verdict)
        << row.text;
  }
  EXPECT_EQ(analyzer.reads_places() & place_bit(Location::kFile, false), 0u);
  // People look for files, and find out about them.
  EXPECT_EQ(verdict_of(analyzer, "/etc/hosts"), "recorded");
  EXPECT_EQ(verdict_of(analyzer, "../"), "recorded");
  EXPECT_EQ(verdict_of(analyzer, "/etc/shadow"), "balanced");
  // One level up to what no page refers to
  // Several, to an application's code and settings
  for (const char* text : {"../../../app/config.js", "../../../package.json", "../../settings.yml"}) {
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "balanced") << text;
    EXPECT_EQ(verdict_of(analyzer, text, Location::kBody, false, "v"), "strict") << text;
  }
  for (const char* text : {"import a from '../../lib/a.js'", "../../css/page.css", "../../images/a.png"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kQuery, false, "v"))) << text;
  for (const char* text : {"../app.py", "../secret.txt", "../db.sqlite3", "../private/some.pem"}) {
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "balanced") << text;
    EXPECT_EQ(verdict_of(analyzer, text, Location::kBody, false, "v"), "strict") << text;
    EXPECT_EQ(verdict_of(analyzer, text), "recorded") << text;
  }
  for (const char* text : {"../index.php", "../images/a.png", "../list.html", "../next", "../a.js"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "strict") << text;
  for (const char* text : {"/dev/stdin", "/dev/urandom", "/usr/local/lib/php/pearcmd.php"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "balanced") << text;
  EXPECT_EQ(verdict_of(analyzer, "/dev/stdout", Location::kBody, false, "v"), "-");
  EXPECT_EQ(verdict_of(analyzer, "../x", Location::kFile, true, "file"), "balanced");
  EXPECT_EQ(verdict_of(analyzer, "../x", Location::kCookie, false, "lang"), "balanced");
}

TEST(PathMatcher, RequestTargets) {
  const Analyzer& analyzer = analyzer_named("path");
  const Row rows[] = {
      {"/static/../../../etc/passwd", "low"},
      {"/umweb/../etc/passwd", "low"},
      {"/a/..;/manager/html", "balanced"},
      {"/res/../admin/diagnostic.jsp", "balanced"},
      {"/WEB-INF/web.xml", "balanced"},
      {"/files/etc/passwd", "balanced"},
      {"/static../settings.py", "balanced"},
      {"/a/b/../c.html", "strict"},
      {"/WEB~1.CON", "strict"},
      {"/aem/etc/clientlibs/raven.min.js", "-"},
      {"/a/compare/HEAD~1", "-"},
      {"/wiki/Dots...", "-"},
      {"/blog/wait.../more", "-"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(verdict_of(analyzer, row.text, Location::kUrlPath), row.verdict) << row.text;
}

TEST(PathMatcher, Variations) {
  const Analyzer& analyzer = analyzer_named("path");
  std::size_t made = 0;
  for (const char* up :
       {"../", "..\\", "..//", "..;/", "..../", "..././", ".././", "%2e%2e/", ".%2e/", "..%2f", "..%5c"}) {
    for (int count = 3; count <= 8; ++count) {
      for (const char* file :
           {"etc/passwd", "etc/shadow", "ETC/PASSWD", "windows/win.ini", "proc/self/environ", "boot.ini"}) {
        for (const char* prefix : {"", "/", "a/", "./", "img=", "file://", "text before it "}) {
          std::string text = prefix;
          for (int i = 0; i < count; ++i) text += up;
          text += file;
          EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text))) << text;
          ++made;
        }
      }
    }
  }
  EXPECT_EQ(made, 11u * 6 * 6 * 7);
}

TEST(HiddenPathMatcher, Evidence) {
  const auto matcher = make_hidden_path_matcher();
  FieldContext context;
  context.location = Location::kUrlPath;
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text, context); };
  EXPECT_EQ(found("/.git/config"), "secret(certain) [.git]");
  EXPECT_EQ(found("/a/b/c/.git/config"), "secret(likely) [.git]");
  EXPECT_EQ(found("/o/r/blob/main/.env"), "secret(possible) [.env]");
  EXPECT_EQ(found("/.env.any"), "secret(certain) [.env.any]");
  EXPECT_EQ(found("/.vscode/settings.json"), "tool(certain) [.vscode]");
  EXPECT_EQ(found("/.secretive/x"), "unknown(certain) [.secretive]");
  EXPECT_EQ(found("/.secretive/x.json"), "settings(certain) [.secretive]");
  EXPECT_EQ(found("/a/.secretiverc"), "settings(certain) [.secretiverc]");
  EXPECT_EQ(found("/a/b/c/.secretive.yml"), "settings(likely) [.secretive.yml]");
  EXPECT_EQ(found("/x/web.config"), "secret(certain) [web.config]");
  EXPECT_EQ(found("/Dockerfile"), "build(certain) [Dockerfile]");
  EXPECT_EQ(found("/a.php.bak"), "copy(certain) [a.php.bak]");
  EXPECT_EQ(found("/server.pem/"), "secret(certain) [server.pem]");
  EXPECT_EQ(found("/a/my.pem"), "kept(certain) [my.pem]");
  EXPECT_EQ(found("/actuator/heapdump"), "secret(certain) [heapdump]");
  for (const std::string_view text :
       {"/", "/.", "/..", "/...", "/.well-known/x", "/a.min.js", "/v1.0", "/.a.", "x/.git", "/a~b"})
    EXPECT_EQ(found(text), text == "/.a." ? "unknown(certain) [.a.]" : "") << text;
}

TEST(HiddenPathMatcher, Verdicts) {
  const Row rows[] = {
      {"/.git/config", "balanced"},
      {"/.env", "balanced"},
      {"/app/.env", "balanced"},
      {"/a/b/c/d/.git/HEAD", "balanced"},
      {"/src/.env", "balanced"},
      {"/.secret/config.json", "balanced"},
      {"/.claude/settings.json", "balanced"},
      {"/index.php~", "balanced"},
      {"/config.php.bak", "balanced"},
      {"/wp-content/plugins/x/config.php.1", "balanced"},
      {"/.index.php.swp", "balanced"},
      {"/get/backup.sql.zip", "balanced"},
      {"/phpinfo.php", "balanced"},
      {"/web.config", "balanced"},
      {"/backup.sql", "balanced"},
      {"/backup.zip", "strict"},
      {"/server-status", "strict"},
      {"/Dockerfile", "strict"},
      {"/a/my.pem", "strict"},
      {"/a/b/c/.htaccess", "strict"},
      {"/.kibana/_search", "strict"},
      {"/a/b/.ds-logs-1", "recorded"},
      {"/user/project/tree/main/.github/workflows", "recorded"},
      {"/org/repo/-/raw/main/.npmrc", "recorded"},
      {"/org/repo/blob/main/Dockerfile", "recorded"},
      {"/.api/completions/stream", "-"},
      {"/.auth/me", "-"},
      {"/.well-known/acme-challenge/x", "-"},
      {"/repo.git/info/refs", "-"},
      {"/a/b.min.js", "-"},
      {"/releases/v1.0", "-"},
      {"/sitemap.xml.gz", "-"},
      {"/actuator/health", "-"},
      {"/", "-"},
  };
  const Analyzer& analyzer = analyzer_named("leak");
  for (const Row& row : rows)
    EXPECT_EQ(verdict_of(analyzer, row.text, Location::kUrlPath), row.verdict) << row.text;
}

}  // namespace
}  // namespace wafd::detect
