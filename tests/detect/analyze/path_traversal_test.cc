#include "detect/analyze/path/path_traversal.h"

#include <gtest/gtest.h>

#include "detect/analyze/path/path_reader.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;

struct PathRow {
  std::string_view path;
  const char* dump;  // ups/escape/flags/target
};

constexpr PathRow kPaths[] = {
    {"a/b/c", "0/0//a/b/c"},
    {"/a/./b//c",
     "0/0//\x2f"
     "a/b/c"},
    {"../a", "1/1//a"},
    {"a/../../b", "2/1//b"},
    {"a/b/../c", "1/0//a/c"},
    {"..\\..\\Windows\\Win.ini", "2/2/b/windows/win.ini"},
    {"..;/..;/x", "2/2/d/x"},
    {"....//....//etc/passwd", "2/2/d/etc/passwd"},
    {"%2e%2e/x", "1/1/d/x"},
    {". ./x", "1/1/d/x"},
    {"../etc/passwd\0.png"sv, "1/1/n/etc/passwd"},
    {"a.b/c..d", "0/0//a.b/c..d"},
};

TEST(PathReader, ResolvesAsServersDo) {
  for (const PathRow& row : kPaths) {
    const PathReading reading = read_path(row.path);
    std::string dump = std::to_string(reading.ups) + "/" + std::to_string(reading.escape) + "/";
    if (reading.backslash) dump += "b";
    if (reading.disguised) dump += "d";
    if (reading.nul_suffix) dump += "n";
    dump += (reading.target.starts_with('/') ? "" : "/") + reading.target;
    if (reading.target.starts_with('/')) dump.insert(dump.size() - reading.target.size(), "/");
    EXPECT_EQ(dump, row.dump) << row.path;
  }
}

struct Row {
  std::string_view text;
  const char* verdict;
};

constexpr Row kAttacks[] = {
    {"../../../etc/passwd", "low"},
    {"include('/etc/passwd');", "balanced"},
    {"/var/www/html/config.php", "balanced"},
    {"{fetch file='/etc/passwd'}", "balanced"},
    {"{% include '/etc/passwd' %}", "balanced"},
    {"new File(\"/etc/shadow\").text", "balanced"},
    {"..\\..\\..\\windows\\win.ini", "low"},
    {"....//....//....//etc/shadow", "low"},
    {"..;/..;/etc/hosts", "low"},
    {"x/../../../proc/self/environ", "low"},
    {"file=../../../etc/passwd", "low"},
    {"../../secret.txt", "balanced"},
    {"../../../../a.js", "balanced"},
    {"/var/www/html/config.php", "balanced"},
    {"../../../etc/passwd\0.png"sv, "low"},
    {"/etc/passwd", "balanced"},
    {"/etc/init.d/../passwd", "balanced"},
    {"/var/lib/../../etc/shadow", "balanced"},
    {"c:\\windows\\win.ini", "balanced"},
    {"/var/log/auth.log", "balanced"},
    {"/home/x/.ssh/id_rsa", "balanced"},
    {"file:///etc/passwd", "balanced"},
    {"report.php\0.jpg"sv, "balanced"},
    {"/etc/gshadow", "balanced"},
    {"/var/db/x", "balanced"},
    {"/usr/local/etc/x.conf", "balanced"},
    {"c:/inetpub/x", "balanced"},
    {"conf/.htpasswd", "balanced"},
    {"/static/../../app.py", "balanced"},
    {"/a/../../b", "balanced"},
    {"web.config::$DATA", "balanced"},
    {"/admin/page.asp::$data", "balanced"},
    {"/secret::$INDEX_ALLOCATION/x.txt", "balanced"},
    {"/secret:$i30:$INDEX_ALLOCATION/x.txt", "balanced"},
    {"../", "strict"},
    {".bashrc", "strict"},
    {".env", "strict"},
    {"../config", "strict"},
};

constexpr Row kBenign[] = {
    {"Why does open('/etc/passwd') fail for me?", "strict"},
    {"the file '/etc/passwd' of the system", "strict"},
    {"/var/www/shop/public", "strict"},
    {"../../lib/util.js", "strict"},
    {"..\\..\\assets\\a.css", "strict"},
    {"/var/www/html/index.html", "strict"},
    {"/docs/a/../etc.html", "-"},
    {"/usr/lib/app/../style.css", "-"},
    {"at load (/usr/lib/app/../loader.js:12:5)", "-"},
    {"https://shop.example/a/../b", "-"},
    {"wait... what?", "-"},
    {"1...2 and 3..4", "-"},
    {"C:\\Users\\tom\\Documents\\file.txt", "-"},
    {"/products/shoes/red", "-"},
    {"see a/b or c", "-"},
    {"<img src=\"../img/a.png\">", "-"},
    {"import x from '../lib/y'", "-"},
    {"text/html, image/png", "-"},
    {"v1.2.3/4.5", "-"},
    {"and/or", "-"},
    {"/etc", "-"},
    {"/home/profile", "-"},
    {"/users/5/var", "-"},
    {"docs/proc/list", "-"},
    {"src/.vimrc in the text", "-"},
    {"environment", "-"},
    {"See ../../docs/README.md and ./src/index.ts for more of this", "-"},
    {"self::$data", "-"},
    {"Foo::$DATA['x']", "-"},
    {"costs:$5", "-"},
    {"\\\\n\\n", "-"},
    {"\\alpha \\\\ \\beta", "-"},
    {"the folder \\\\server\\docs has it", "-"},
    {"/a/b/../../c", "-"},
    {"..", "-"},
};

TEST(PathTraversal, Attacks) {
  const auto analyzer = make_path_traversal_analyzer();
  for (const Row& row : kAttacks) EXPECT_EQ(verdict_of(*analyzer, row.text), row.verdict) << row.text;
}

TEST(PathTraversal, BenignTextPassesAtBalanced) {
  const auto analyzer = make_path_traversal_analyzer();
  for (const Row& row : kBenign) {
    EXPECT_FALSE(denied_at_balanced(verdict_of(*analyzer, row.text))) << row.text;
    EXPECT_FALSE(denied_at_balanced(verdict_of(*analyzer, row.text, Location::kBody))) << row.text;
  }
}

TEST(PathTraversal, RequestPaths) {
  const auto analyzer = make_path_traversal_analyzer();
  EXPECT_EQ(verdict_of(*analyzer, "/static/../../../etc/passwd", Location::kUrlPath), "low");
  EXPECT_EQ(verdict_of(*analyzer, "/a/..;/manager/html", Location::kUrlPath), "balanced");
  EXPECT_EQ(verdict_of(*analyzer, "/WEB-INF/web.xml", Location::kUrlPath), "balanced");
  EXPECT_EQ(verdict_of(*analyzer, "/files/etc/passwd", Location::kUrlPath), "balanced");
  EXPECT_EQ(verdict_of(*analyzer, "/a/b/../c.html", Location::kUrlPath), "-");
  EXPECT_EQ(verdict_of(*analyzer, "/aem/etc/clientlibs/raven.min.js", Location::kUrlPath), "-");
}

TEST(PathTraversal, Variations) {
  const auto analyzer = make_path_traversal_analyzer();
  std::size_t made = 0;
  for (const char* up : {"../", "..\\", "..//", "..;/", "..../", "..././", ".././", "%2e%2e/", ".%2e/"}) {
    for (int count = 3; count <= 8; ++count) {
      for (const char* file :
           {"etc/passwd", "etc/shadow", "ETC/PASSWD", "windows/win.ini", "proc/self/environ", "boot.ini"}) {
        for (const char* prefix : {"", "/", "a/", "./", "img=", "file://"}) {
          std::string text = prefix;
          for (int i = 0; i < count; ++i) text += up;
          text += file;
          EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, text))) << text;
          ++made;
        }
      }
    }
  }
  EXPECT_EQ(made, 9u * 6 * 6 * 6);
}

}  // namespace
}  // namespace wafd::detect
