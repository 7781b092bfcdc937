// Addresses: taken apart as the most lenient clients do, hosts in every spelling, the evidence of those that
// lead inside or stand in place of files, and how much it weighs.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "detect/analyze/url/host.h"
#include "detect/analyze/url/inclusion_matcher.h"
#include "detect/analyze/url/share.h"
#include "detect/analyze/url/ssrf_matcher.h"
#include "detect/analyze/url/tables.h"
#include "detect/analyze/url/url_reader.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;
using url::HostKind;
using url::ParameterUse;

// "first scheme user @ host : port path ? query", and "+" if something stands behind it.
std::string parts(std::string_view text) {
  const auto url = url::read_url(text);
  if (!url) return "none";
  std::string out = std::string(url->first) + "|" + std::string(url->scheme) + "|" + std::string(url->user) +
                    "|" + std::string(url->host) + "|" + std::string(url->port) + "|" +
                    std::string(url->path);
  if (url->has_query) out += "?" + std::string(url->query);
  if (url->bracketed) out += " 6";
  if (url->backslash) out += " odd";
  if (!url->alone) out += " +";
  return out;
}

TEST(UrlReader, Table) {
  EXPECT_EQ(parts(""), "none");
  EXPECT_EQ(parts("no url"), "none");
  EXPECT_EQ(parts("/a/b"), "none");
  EXPECT_EQ(parts("12:30"), "none");
  EXPECT_EQ(parts("jar:HTTP://u:p@h.example:81/a/b?c#d"), "jar|HTTP|u:p|h.example|81|/a/b?c");
  EXPECT_EQ(parts(" \x01'http://h/a b"), "http|http||h||/a +");
  EXPECT_EQ(parts("//h.example/a"),
            "||"
            "|h.example||/a");
  EXPECT_EQ(parts("/\\h.example"),
            "||"
            "|h.example|| odd");
  EXPECT_EQ(parts("/\t/h.example"),
            "||"
            "|h.example|| odd");
  EXPECT_EQ(parts("http:h"), "http|http||h||");
  EXPECT_EQ(parts("http:///h/a"), "http|http||h||/a");
  EXPECT_EQ(parts("http://a.example &@b.example/x"), "http|http|a.example &|b.example||/x");
  EXPECT_EQ(parts("http://a>b@c"), "http|http|a>b|c||");
  EXPECT_EQ(parts("http://[::1%25lo]:80/"), "http|http||::1%25lo|80|/ 6");
  EXPECT_EQ(parts("http://::1/"), "http|http||::1||/ 6");
  EXPECT_EQ(parts("http://localhost:80 for the page"), "http|http||localhost|80| +");
  EXPECT_EQ(parts("data:text/plain,a b"), "data|data||||text/plain,a +");
  EXPECT_EQ(parts("file:/etc/x"), "file|file||||/etc/x");
  EXPECT_EQ(parts("url:jar:http://h/a!/b"), "url|http||h||/a!/b");
}

TEST(UrlHost, Kinds) {
  struct HostRow {
    const char* host;
    bool bracketed;
    HostKind kind;
  };
  constexpr HostRow kRows[] = {
      {"shop.example", false, HostKind::kName},
      {"8.8.8.8", false, HostKind::kPublic},
      {"127.0.0.1", false, HostKind::kLoopback},
      {"127.1", false, HostKind::kOdd},
      {"10.1.2.3", false, HostKind::kPrivate},
      {"172.20.0.1", false, HostKind::kPrivate},
      {"169.254.1.1", false, HostKind::kLinkLocal},
      {"169.254.169.254", false, HostKind::kMetadata},
      {"0251.0376.0251.0376", false, HostKind::kMetadata},
      {"2852039166", false, HostKind::kMetadata},
      {"2130706433", false, HostKind::kOdd},
      {"425.510.425.510", false, HostKind::kMetadata},
      {"0x7f.1", false, HostKind::kOdd},
      {"0", false, HostKind::kOdd},
      {"::1", true, HostKind::kLoopback},
      {"::ffff:127.0.0.1", true, HostKind::kOdd},
      {"::ffff:a9fe:a9fe", true, HostKind::kMetadata},
      {"::ffff:7f00:1", true, HostKind::kOdd},
      {"64:ff9b::a9fe:a9fe", true, HostKind::kMetadata},
      {"2002:a9fe:a9fe::1", true, HostKind::kMetadata},
      {"fd00:ec2::254", true, HostKind::kMetadata},
      {"fd20:ce::254", true, HostKind::kMetadata},
      {"100.100.100.200", false, HostKind::kMetadata},
      {"192.0.0.192", false, HostKind::kMetadata},
      {"169.254.170.2", false, HostKind::kMetadata},
      {"168.63.129.16", false, HostKind::kMetadata},
      {"fe80::1", true, HostKind::kLinkLocal},
      {"fe80::1%25eth0", true, HostKind::kLinkLocal},
      {"127.0.0.1.nip.io", false, HostKind::kOdd},
      {"a-7f000001.sslip.io", false, HostKind::kOdd},
      {"34.1.2.3.nip.io", false, HostKind::kPublic},
      {"a.nip.io", false, HostKind::kName},
      {"x.localtest.me", false, HostKind::kLoopback},
      {"localhost.", false, HostKind::kLoopback},
      {"Metadata.Google.Internal", false, HostKind::kMetadata},
      {"web.service.consul", false, HostKind::kPrivate},
      {"1::2::3", true, HostKind::kName},
      {"1:2:3:4:5:6:7:8:9", true, HostKind::kName},
      {"1:2:3:4:5:6:7:8", true, HostKind::kPublic},
      {"1::", true, HostKind::kPublic},
      {"fec0::1", true, HostKind::kPrivate},
      {"1:", true, HostKind::kName},
      {"::1.2.3", true, HostKind::kOdd},
      {"1.2.3.4.5", false, HostKind::kName},
      {"0xg", false, HostKind::kName},
      {"", false, HostKind::kName},
  };
  for (const HostRow& row : kRows) EXPECT_EQ(url::host_kind(row.host, row.bracketed), row.kind) << row.host;
}

TEST(UrlHost, Plain) {
  std::string out;
  EXPECT_FALSE(url::plain_host("loca%6chost", out));
  EXPECT_EQ(out, "localhost");
  EXPECT_TRUE(url::plain_host("169\u3002254", out));
  EXPECT_EQ(out, "169.254");
  EXPECT_TRUE(url::plain_host("\uff11\uff12", out));
  EXPECT_EQ(out, "12");
  EXPECT_FALSE(url::plain_host("m\u00fcnchen", out));
}

TEST(UrlTables, ParameterUse) {
  EXPECT_EQ(url::use_of("phpbb_root_path"), ParameterUse::kFile);
  EXPECT_EQ(url::use_of("mosConfig"), ParameterUse::kCode);
  EXPECT_EQ(url::use_of("BSX_LIBDIR"), ParameterUse::kCode);
  EXPECT_EQ(url::use_of("HomeDir"), ParameterUse::kCode);
  EXPECT_EQ(url::use_of("options[template]"), ParameterUse::kCode);
  EXPECT_EQ(url::use_of("pageHeaderFile"), ParameterUse::kFile);
  EXPECT_EQ(url::use_of("page_url"), ParameterUse::kAddress);
  EXPECT_EQ(url::use_of("homepage"), ParameterUse::kAddress);
  EXPECT_EQ(url::use_of("redirect_uri"), ParameterUse::kWayBack);
  EXPECT_EQ(url::use_of("profile"), ParameterUse::kOther);
  EXPECT_EQ(url::use_of("id"), ParameterUse::kOther);
  EXPECT_EQ(url::use_of(std::string(300, 'a')), ParameterUse::kOther);
}

TEST(UrlShare, Kinds) {
  using url::ShareKind;
  EXPECT_EQ(url::read_share("\\\\server\\docs\\a"), ShareKind::kNetwork);
  EXPECT_EQ(url::read_share("\\\\\\\\server\\\\docs"), ShareKind::kNetwork);
  EXPECT_EQ(url::read_share("\\\\203.0.113.9\\a"), ShareKind::kForeign);
  EXPECT_EQ(url::read_share("\\\\evil.example@SSL\\a\\b"), ShareKind::kForeign);
  EXPECT_EQ(url::read_share("\\\\nas\\c$\\b"), ShareKind::kForeign);
  EXPECT_EQ(url::read_share("\\\\.\\pipe\\x"), ShareKind::kDevice);
  for (const char* text : {"\\\\n", "\\\\d+\\.\\d+", "\\a\\b", "\\\\a b\\c", ""})
    EXPECT_EQ(url::read_share(text), ShareKind::kNone) << text;
}

TEST(SsrfMatcher, Evidence) {
  const auto matcher = make_ssrf_matcher();
  const auto found = [&](std::string_view text, std::string_view name = "v") {
    FieldContext context;
    context.name = name;
    return evidence_of(*matcher, text, context);
  };
  EXPECT_EQ(found("http://169.254.169.254/ x"), "metadata(likely) [http://169.254.169.254/]");
  EXPECT_EQ(found("at http://169.254.169.254/ x"), "metadata(possible) [//169.254.169.254]");
  EXPECT_EQ(found("http://a.example/?u=http://metadata/"), "metadata(possible) [//metadata]");
  EXPECT_EQ(found("http://0x7f.1/"), "odd_address(certain) [http://0x7f.1/]");
  EXPECT_EQ(found("http://10.0.0.1/a"), "inside(certain) [http://10.0.0.1/a]");
  EXPECT_EQ(found("http://localhost:3000/a"), "inside(certain) [http://localhost:3000/a]");
  EXPECT_EQ(found("http://localhost:3000/a", "image_url"), "own_machine(certain) [http://localhost:3000/a]");
  EXPECT_EQ(found("http://127.0.0.1/a", "callback"), "inside(certain) [http://127.0.0.1/a]");
  EXPECT_EQ(found("http://redis:6379/"), "foreign_service(certain) [http://redis:6379/]");
  EXPECT_EQ(found("http://es:9200/"), "interface(certain) [http://es:9200/]");
  EXPECT_EQ(found("gopher://a.example/_x y"), "protocol(certain) [gopher://a.example/_x]");
  EXPECT_EQ(found("smtp://mail.example:587"), "connection(certain) [smtp://mail.example:587]");
  EXPECT_EQ(found("unix:/run/a.sock"), "socket(likely) [unix:/run/a.sock]");
  EXPECT_EQ(found("unix:/run/docker.sock"), "socket(certain) [unix:/run/docker.sock]");
  for (const std::string_view text :
       {"http://a.example/b", "https://u@a.example/", "//cdn.example/x.js", "// a comment", "C:/Users/x",
        "mailto:a@b.example", "12:30", "127.0.0.1", "a: b//c"})
    EXPECT_EQ(found(text), "") << text;
}

struct Row {
  std::string_view text;
  const char* verdict;
};

constexpr Row kInclusion[] = {
    {"php://filter/convert.base64-encode/resource=index.php", "low"},
    {"PHP://input", "low"},
    {"expect://id", "low"},
    {"phar://a.jpg/x", "low"},
    {"zip://a.jpg#x", "low"},
    {"netdoc:///etc/passwd", "low"},
    {"data://text/plain;base64,PD9waHA=", "balanced"},
    {"data:text/plain,<?php", "balanced"},
    {"file:///etc/passwd", "balanced"},
    {"jar:http://evil.example/a.zip!/b", "balanced"},
    {"ftp://evil.example/a.txt", "balanced"},
    {"ftp://203.0.113.9/a.zip", "balanced"},
    {"ftp://evil.example/pub/a", "balanced"},
    {"ftp://ftp.shop.example/pub/a-1.2.tar.gz", "-"},
    {"http://203.0.113.9/c.php", "balanced"},
    {"http://evil.example/c.php?", "balanced"},
    {"http://evil.example/shell.txt?", "balanced"},
    {"http://shop.example/readme.txt", "balanced"},
    {"http://shop.example/readme.txt?v=2", "-"},
    {"https://2001:db8::29c8/c.php", "balanced"},
    {std::string_view("http://evil.example/a.txt\0", 26), "balanced"},
    {"local_file:///etc/passwd", "low"},
    {"smb://203.0.113.7/s", "balanced"},
    {"smb://files.evil.example/s", "balanced"},
    {"smb://nas/s/x.php", "balanced"},
    {"smb://nas/photos", "-"},
    {"file:///C:/Users/me/page.html", "strict"},
    {"http://evil.example/c?", "strict"},
    {"https://shop.example/return?a=b", "-"},
    {"https://shop.example/index.php?id=3", "-"},
    {"mailto:a@shop.example", "-"},
    {"data:image/png;base64,iVBORw0KGgo=", "-"},
    {"the file: a list", "-"},
    {"note: see //cdn.example/x.js", "-"},
};

constexpr Row kSsrf[] = {
    // Services inside a network, by the paths and ports that only they have.
    {"http://10.0.0.1/latest/user-data", "balanced"},
    {"http://192.168.0.1:8080/manager/html", "balanced"},
    {"//localhost/actuator/env", "balanced"},
    {"https://10.10.10.10:9200/", "balanced"},
    {"http://redis:6379/", "balanced"},
    {"http://unix:/var/run/docker.sock:/containers/json", "balanced"},
    {"//0x7f000001/latest/user-data", "balanced"},
    {"//127-0-0-1.sslip.io/a", "balanced"},
    {"http://foo@[::1]:80@shop.example/admin", "balanced"},
    {"git://127.0.0.1:9418/", "balanced"},
    {"gopher://10.0.0.3:25/_MAIL FROM:x", "balanced"},
    {"https://vault.service.consul:8080/manager/html", "balanced"},
    {"http://shop.example/actuator/env", "-"},
    {"http://10.0.0.1/shop", "strict"},
    {"http://api:8080/", "-"},
    {"jdbc:mysql://db:3306/app", "strict"},
    {"redis://localhost:6379/0", "strict"},
    {"redis://localhost:6379/", "balanced"},
    {"ws://localhost:9000/", "strict"},
    {"local_file://2852039166/", "low"},
    {"app://2852039167/", "-"},
    {"git://git.shop.example/a.git", "-"},
    {"http://169.254.169.254/latest/meta-data/", "low"},
    {"http://metadata.google.internal/computeMetadata/v1/", "low"},
    {"http://2852039166/", "low"},
    {"http://0xA9.0xFE.0xA9.0xFE/", "low"},
    {"http://2130706433/", "balanced"},
    {"http://0x7f.1/", "balanced"},
    {"http://0177.0.0.1/", "balanced"},
    {"http:0x7f000001", "balanced"},
    {"gopher://127.0.0.1:6379/_INFO", "balanced"},
    {"dict://shop.example:11211/stat", "balanced"},
    {"http://good.example@evil.example/", "balanced"},
    {"http://good.example%2f@evil.example/", "balanced"},
    {"http://localhost/admin", "strict"},
    {"http://10.0.0.1/", "strict"},
    {"http://[::1]/", "balanced"},
    {"http://[::ffff:169.254.169.254]/", "low"},
    {"http://[::ffff:127.0.0.1]/", "balanced"},
    {"http://100.100.100.200/latest/meta-data/", "low"},
    {"http://0251.254.0xa9.254/", "low"},
    {"http://127.1/", "balanced"},
    {"http://10.0.0.1.nip.io/", "balanced"},
    {"http://app-127-0-0-1.sslip.io/", "balanced"},
    {"http://169.254.169.254.nip.io/", "low"},
    {"http://v2.app.34.1.2.3.nip.io/", "-"},
    {"http://7f000001.c0a80001.rbndr.us/", "balanced"},
    {"http://a.localtest.me/", "balanced"},
    {"http://[0:0:0:0:0:ffff:a9fe:a9fe]/", "low"},
    {"http://[0:0:0:0:0:FFFF:7f00:1]/", "balanced"},
    {"http://[::a9fe:a9fe]/", "low"},
    {"http://[64:ff9b::a9fe:a9fe]/", "low"},
    {"http://[2002:a9fe:a9fe::1]/", "low"},
    {"http://[fd00:0ec2:0:0:0:0:0:254]/", "low"},
    {"http://[fe80::1%25eth0]/", "low"},
    {"http://[0000:0000:0000:0000:0000:0000:0000:0001]/", "balanced"},
    {"http://[2001:db8::29c8]/", "strict"},
    {"http://[1:2:3]/", "-"},
    {"http://good.example#@169.254.169.254/", "low"},
    {"http://good.example#@127.0.0.1/", "balanced"},
    {"http://good.example?@evil.example/", "balanced"},
    {"http://good.example\\@evil.example/", "balanced"},
    {"https://good.example/#@evil", "-"},
    {"https://good.example?mail=a@evil.example", "-"},
    {"//169.254.169.254/latest/user-data", "low"},
    {"\\/metadata.google.internal/x", "low"},
    {"//[::ffff:7f00:1]/", "balanced"},
    {"//127.0.0.1/x", "balanced"},
    {"//cdn.example/x.js", "-"},
    {"//10", "-"},
    {"//10.5", "-"},
    {"//127.0.0.1 is the machine itself", "-"},
    {"unix:/var/run/docker.sock", "balanced"},
    {"http+unix://%2Fvar%2Frun%2Fdocker.sock/info", "balanced"},
    {"npipe:////./pipe/docker_engine", "balanced"},
    {"unix: a and/or b", "-"},
    {"http://localhost:22/", "balanced"},
    {"http://a@127.0.0.1:6379/", "balanced"},
    {"http://[::1]:11211/", "balanced"},
    {"http://kubernetes.default.svc/", "balanced"},
    {"http://localhost:8080/", "strict"},
    {"ssh://git@shop.example:22/a/b.git", "strict"},
    {"ssh://git@10.0.0.1/a.git", "balanced"},
    {"postgres://app@db.example:5432/shop", "strict"},
    {"jdbc:mysql://db.example:3306/shop", "strict"},
    {"jdbc:mysql://db.example:3306/shop?autoDeserialize=true", "balanced"},
    {"mysql://db.example/shop", "balanced"},
    {"redis://a@db.example/", "balanced"},
    {"http://127.0.0.1/admin", "balanced"},
    {"http://127.0.0.1:5500/index.html", "strict"},
    {"https://localhost/index.html", "strict"},
    {"http://host.docker.internal:8080/", "strict"},
    {"http://host.docker.internal:2375/", "balanced"},
    {"http://host.docker.internal:6443/", "balanced"},
    {"http://kubernetes.docker.internal/", "balanced"},
    {"http://localhost.localdomain/", "balanced"},
    {"http:127.0.0.1/", "balanced"},
    {"http:///127.0.0.1:8080/", "balanced"},
    {"http:\\\\10.0.0.1\\", "balanced"},
    {"http://shop.example@127.0.0.1:8080/", "balanced"},
    {"http://127.0.0.1\0.shop.example/"sv, "balanced"},
    {"localhost/", "balanced"},
    {"lvh.me/admin", "balanced"},
    {"localhost:8080", "strict"},
    {"127.0.0.1/8", "-"},
    {"localhost", "-"},
    {"http://169\u3002254\u3002169\u3002254/", "low"},
    {"\\\\evil.example\\c$\\x", "balanced"},
    {"\\\\203.0.113.9\\share", "balanced"},
    {"\\\\evil.example@SSL\\x\\y", "balanced"},
    {"\\\\?\\UNC\\evil\\x", "balanced"},
    {"\\\\.\\pipe\\x", "balanced"},
    {"\\\\fileserver\\docs\\a.docx", "strict"},
    {"\\\\d+\\.\\d+", "-"},
    {"\\\\.\\d+", "-"},
    {"\\\\n", "-"},
    {"ldap://shop.example/o=x", "balanced"},
    {"http://shop.example/@evil.example/", "strict"},
    {"https://blog.example/@someone", "-"},
    {"https://shop.example/10.0.0.1/localhost", "-"},
    {"see http://localhost:8080 for the page", "-"},
    {"https://shop.example/a", "-"},
    {"https://user@shop.example/a", "-"},
    {"https://1.2.3.4/a", "-"},
    {"https://shop.example:8443/a?b=http://c.example", "-"},
};

// With words behind and in other spellings.
constexpr Row kMoreSsrf[] = {
    {"http://169.254.169.254/ x", "low"},
    {"http://169.254.\n169.254/", "low"},
    {"see http://169.254.169.254/ for it", "strict"},
    {"http://good.example/?u=http://169.254.169.254/", "strict"},
    {"http://1.1.1.1 &@2.2.2.2# @3.3.3.3/", "balanced"},
    {"http:XY>.7d8pZM@0xd8.3856078", "balanced"},
    {"http://loca%6chost/admin", "balanced"},
    {"http://\uff11\uff12\uff17.0.0.1/", "balanced"},
    {"/\\evil.example", "balanced"},
    {"/\t/evil.example", "balanced"},
    {"\\\\\\\\evil.example\\\\c$\\\\x", "balanced"},
    {"http://elasticsearch:9200/", "balanced"},
    {"http://prometheus:9090", "-"},
    {"https://first.last@git.example/x.git", "-"},
};

struct NamedRow {
  Location location;
  const char* name;  // of the parameter
  std::string_view text;
  const char* verdict;
};
constexpr Location kQuery = Location::kQuery;
constexpr Location kBody = Location::kBody;

// Names of shares as settings hold them, and texts that only look like one.
constexpr NamedRow kSettings[] = {
    {kQuery, "folder", "\\\\fileserver\\share$\\a", "strict"},
    {kQuery, "folder", "\\\\fileserver\\c$\\a", "balanced"},
    {kQuery, "folder", "\\\\evil.example\\share$\\a", "balanced"},
    {kBody, "v", "jdbc:mysql://db.example:3306/shop?useSSL=false&serverTimezone=UTC", "strict"},
    {kBody, "v", "jdbc:mysql://db.example/shop?allowLoadLocalInfile=true", "balanced"},
    {kBody, "v", "smtp://mail.example:587", "strict"},
    {kBody, "v", "amqp://guest:guest@rabbit:5672/", "strict"},
    {kBody, "v", "ldap://dc.example:389/ou=users,dc=corp,dc=example", "strict"},
    {kBody, "v", "smtp://127.0.0.1:25/_EHLO%20a", "balanced"},
    {kBody, "v", "smtp://mail.example:25/%0d%0aQUIT", "balanced"},
    {kBody, "v", "ldap://evil.example:1389/Exploit", "balanced"},
    {kBody, "v", "jdbc:postgresql://db.example/shop?socketFactory=a.B", "balanced"},
    {kBody, "v", "ldaps://dc.example:636/OU=users,DC=corp,DC=example", "strict"},
    {kBody, "v", "ldap://dc.example/dc=corp,dc=example", "strict"},
    {kBody, "v", "ldap://evil.example:1389/dc=Exploit", "balanced"},
    {kBody, "v", "ldap://evil.example:1389/ou=a,dc=Exploit", "balanced"},
    {kBody, "v", "ldap://evil.example/dc=Exploit", "balanced"},
    {kBody, "v", "ldap://internal/dc=a?x", "balanced"},
    {kBody, "v", "ldap://internal/ou=a,dc=b?x", "balanced"},
    {kBody, "v", "ldap://internal/ou=a,dc=b#x", "balanced"},
    {kBody, "v", "ldap://internal/dc=a,ou=b", "balanced"},
    {kBody, "v", "ldap://internal/ou=a,dc=", "balanced"},
    {kBody, "v", "ldap://internal/ou=a,,dc=b", "balanced"},
    {kBody, "v", "ldap://internal/ou=a,dc=b,", "balanced"},
    {kBody, "v", "ldap://internal/ou=a,dc=b/x", "balanced"},
    {kBody, "v", "ldap://internal/a,dc=b", "balanced"},
    {kBody, "v", "ldaps://evil.example/dc=a%0d%0ax", "balanced"},
    {kBody, "v", "ldaps://evil.example/ou=b,dc=a%0d%0ax", "balanced"},
    {kBody, "v", "ldap://127.0.0.1/ou=a,dc=b", "balanced"},
    {kQuery, "v", "ldap://dc.example:389/ou=users,dc=corp,dc=example", "balanced"},
    {kBody, "v", "imaps://mail.example:993", "strict"},
    {kBody, "v", "pop3://mail.example", "strict"},
    {kBody, "v", "amqps://shop:secret@rabbit:5671/shop", "strict"},
    {kBody, "v", "mqtt://broker.example:1883", "strict"},
    {kBody, "v", "smtp://mail.example:25?x=y", "balanced"},
    {kBody, "v", "smtp://mail.example:25?useSSL=true", "balanced"},
    {kBody, "v", "smtp://a%0d%0aQUIT@mail.example:25", "balanced"},
    {kBody, "v", "smtp://a@b@mail.example:25", "balanced"},
    {kBody, "v", "smtp://cache:6379", "balanced"},
    {kBody, "v", "amqp://guest:guest@rabbit:6379/", "balanced"},
    {kBody, "v", "mqtt://broker.example:25", "balanced"},
    {kBody, "v", "imap://mail.example:25x/", "balanced"},
    {kBody, "v", "pop3://mail%0d%0a.example/", "balanced"},
    {kBody, "v", "jdbc:postgresql://db.example/shop?sslmode=require&ApplicationName=shop-1&currentSchema=a_b",
     "strict"},
    {kBody, "v", "jdbc:mysql://db.example/shop?serverTimezone=Europe/Berlin&characterEncoding=UTF-8",
     "strict"},
    {kBody, "v", "mongodb://app:secret@db.example/shop?retryWrites=true&w=majority&authSource=admin",
     "strict"},
    {kBody, "v", "jdbc:mysql://db.example/shop?trustCertificateKeyStoreUrl=http://169.254.169.254/latest",
     "balanced"},
    {kBody, "v", "jdbc:mysql://db.example/shop?serverRSAPublicKeyFile=/etc/passwd", "balanced"},
    {kBody, "v", "jdbc:mysql://db.example/shop?clientInfoProvider=org.x.Y", "balanced"},
    {kBody, "v", "jdbc:mysql://db.example/shop?user=fileread_/etc/passwd", "balanced"},
    {kBody, "v", "jdbc:postgresql://db.example/shop?sslhostnameverifier=org.x.Y", "balanced"},
    {kBody, "v", "jdbc:postgresql://db.example/shop?useSSL=false&loggerFile=a.jsp", "balanced"},
    {kBody, "v", "jdbc:postgresql://db.example/shop?ApplicationName=/etc/passwd", "balanced"},
    {kBody, "v", "jdbc:postgresql://db.example/shop?ApplicationName=a%0ab", "balanced"},
    {kBody, "v", "jdbc:postgresql://db.example/shop?useSSL", "strict"},
    {kBody, "v", "jdbc:postgresql://db.example/shop#?socketFactory=a.B", "balanced"},
    {kBody, "v", "jdbc:mysql://(host=db.example,autoDeserialize=true)/shop", "balanced"},
    {kBody, "v", "postgres://app:a@db.m\u00fcnchen.example/shop", "strict"},
    {kBody, "v", "postgres://app:a@169\u3002254\u3002169\u3002254/shop", "low"},
    {kBody, "v", "http://host.docker.internal:3000/hook", "strict"},
    {kBody, "v", "https://host.docker.internal/", "strict"},
    {kBody, "v", "http://HOST.docker.internal:49152/", "strict"},
    {kBody, "v", "http://host.docker.internal:6443/", "balanced"},
    {kBody, "v", "http://host.docker.internal:81/", "balanced"},
    {kBody, "v", "http://host.docker.internal:08080/", "balanced"},
    {kBody, "v", "http://host.docker.internal:8080/admin", "balanced"},
    {kBody, "v", "http://host.docker.internal:8080/actuator/env", "balanced"},
    {kBody, "v", "http://host.docker.internal:8080/containers/json", "balanced"},
    {kBody, "v", "http://kubernetes.docker.internal:8080/", "balanced"},
    {kBody, "v", "http://kubernetes.docker.internal:6443/", "balanced"},
    {kBody, "v", "http://gateway.docker.internal/", "balanced"},
    {kBody, "v", "ldap://ldap.example.org", "strict"},
    {kBody, "v", "http://127.0.0.1/server-status?auto", "strict"},
    {kBody, "v", "http://elasticsearch:9200/", "strict"},
    {kBody, "v", "unix:/tmp/cgi.sock", "recorded"},
    {kBody, "v", "https://user:passwd@192.168.0.1:25060", "strict"},
    {kBody, "v", "ssh://git@localhost:3035/a/b.git", "strict"},
    {kBody, "u", "http://localhost:29320/", "balanced"},
};

TEST(SsrfMatcher, Verdicts) {
  const Analyzer& analyzer = analyzer_named("ssrf");
  for (const Row& row : kSsrf) EXPECT_EQ(verdict_of(analyzer, row.text), row.verdict) << row.text;
  for (const Row& row : kMoreSsrf)
    EXPECT_EQ(verdict_of(analyzer, row.text, kQuery, false, "v"), row.verdict) << row.text;
  for (const NamedRow& row : kSettings)
    EXPECT_EQ(verdict_of(analyzer, row.text, row.location, false, row.name), row.verdict) << row.text;
}

TEST(SsrfMatcher, WhereTheBrowserGoes) {
  const Analyzer& analyzer = analyzer_named("ssrf");
  FieldContext context;
  for (const std::string_view name : {"redirect_uri", "returnUrl", "callback", "referrer"}) {
    context.name = name;
    EXPECT_EQ(verdict_in(analyzer, "http://127.0.0.1/callback", context), "strict") << name;
  }
  context.name = "image";
  EXPECT_EQ(verdict_in(analyzer, "http://127.0.0.1/callback", context), "balanced");
  // Where the browser is: {"$current_url": …}, {"page": {"url": …}}
  for (const auto& [parent, name] : {std::pair("properties", "$current_url"), std::pair("page", "url")}) {
    context.parent = parent;
    context.name = name;
    EXPECT_EQ(verdict_in(analyzer, "http://localhost:3000/a?b=c", context), "strict") << name;
  }
  context.parent = "event";
  EXPECT_EQ(verdict_in(analyzer, "http://localhost:3000/a?b=c", context), "balanced");
  context.parent = {};
  // In a callback the path of a service is denied, in a header every local address.
  context.name = "callback";
  EXPECT_EQ(verdict_in(analyzer, "http://127.0.0.1/containers/json", context), "balanced");
  context.location = Location::kHeader;
  context.name = "X-Image";
  EXPECT_EQ(verdict_in(analyzer, "http://127.0.0.1/", context), "balanced");
}

TEST(InclusionMatcher, Evidence) {
  const auto matcher = make_inclusion_matcher();
  const auto found = [&](std::string_view text, std::string_view name = "v") {
    FieldContext context;
    context.name = name;
    return evidence_of(*matcher, text, context);
  };
  EXPECT_EQ(found("php://input"), "wrapper(certain) [php://input]");
  EXPECT_EQ(found("x=expect://id y"), "wrapper(likely) [expect://id]");
  EXPECT_EQ(found("see phar://x"), "wrapper(possible) [phar://x]");
  EXPECT_EQ(found("file:///etc/x"), "file_url(certain) [file:///etc/x]");
  EXPECT_EQ(found("file:///"), "file_url(possible) [file:///]");
  EXPECT_EQ(found("data:text/plain,a", "page"), "data(certain) [data:text/plain,a]");
  EXPECT_EQ(found("jar:http://h/a!/b"), "nested(certain) [jar:http://h/a!/b]");
  EXPECT_EQ(found("http://h.example/a.php", "lib_dir"), "remote_code(certain) [http://h.example/a.php]");
  EXPECT_EQ(found("http://h.example/a.txt/b", "page"), "remote_code(certain) [http://h.example/a.txt/b]");
  EXPECT_EQ(found("http://h.example/a.php?b=c", "page"), "remote_code(likely) [http://h.example/a.php?b=c]");
  EXPECT_EQ(found("http://h.example/a.php??"), "remote_code(certain) [http://h.example/a.php??]");
  EXPECT_EQ(found("http://h.example/?"), "remote_cut(certain) [http://h.example/?]");
  EXPECT_EQ(found("ftp://h.example/a.php", "file"), "transfer(certain) [ftp://h.example/a.php]");
  EXPECT_EQ(found("smb://h.example/a"), "fetch(certain) [smb://h.example/a]");
  for (const std::string_view text :
       {"https://a.example/", "mailto:a@b.example", "data:image/png;base64,iVBO", "a://b"})
    EXPECT_EQ(found(text), "") << text;
}

TEST(InclusionMatcher, Verdicts) {
  const Analyzer& analyzer = analyzer_named("inclusion");
  for (const Row& row : kInclusion) {
    EXPECT_EQ(verdict_of(analyzer, row.text, kQuery, false, "v"), row.verdict) << row.text;
  }
  const NamedRow rows[] = {
      {kQuery, "lang", "http://evil.example/shell.txt", "balanced"},
      {kQuery, "x", "http://evil.example/shell.txt", "balanced"},
      {kQuery, "q", "https://docs.example/rfc9110.txt", "strict"},
      {kQuery, "q", "http://evil.example/shell.txt?", "balanced"},
      {kQuery, "options.template", "https://evil.example/c.php", "balanced"},
      {kQuery, "inc", "https://shop.example/a.css", "-"},
      {kQuery, "inc", "https://evil.example/x", "strict"},
      {kQuery, "template", "http://evil.example/", "strict"},
      {kQuery, "page", "http://evil.example/", "-"},
      {kQuery, "template", "\\\\evil.example\\share\\x.php", "balanced"},
      {kQuery, "file", "//evil.example/share/x.php", "balanced"},
      {kBody, "page", "//10.0.0.9/x/r.inc", "balanced"},
      {kQuery, "lang", "\\\\evil.example\\r.txt", "balanced"},
      {kQuery, "file", "\\\\nas\\photos\\a.php", "-"},
      {kQuery, "file", "\\\\nas.example\\docs\\notes.txt", "-"},
      {kQuery, "file", "//var/www/x.php", "-"},
      {kQuery, "url", "//cdn.example/x.php", "-"},
      {kQuery, "page", "http://evil.example/shell.txt", "balanced"},
      {kQuery, "file", "https://evil.example/c.php", "balanced"},
      {kBody, "phpbb_root_path", "http://evil.example/shell.txt?cmd=id", "balanced"},
      {kQuery, "page", "https://shop.example/index.php?id=3", "strict"},
      {kQuery, "page", "https://shop.example/a.pdf", "-"},
      {kQuery, "body", "about.php", "-"},
      {kQuery, "body", "http://evil.example/c.php", "balanced"},
      {kBody, "body", "https://shop.example/index.php", "-"},
      {kBody, "message.content", "https://docs.example/LICENSE.txt", "-"},
      {kQuery, "url", "http://shop.example/robots.txt", "-"},
      {kQuery, "page_url", "http://shop.example/index.php", "-"},
      {kBody, "post", "ftp://ftp.example.org/pub", "-"},
      {kQuery, "x", "ftp://foo.bar", "balanced"},
      {kQuery, "post", "ftp://ftp.foo.bar/pub/README", "-"},
      {kQuery, "post", "ftp://u:p@ftp.foo.bar/pub/README", "balanced"},
      {kQuery, "page", "ftp://ftp.foo.bar/pub/README", "balanced"},
      {kQuery, "x", "ftp://ftp.foo.bar/a.php", "balanced"},
      {kQuery, "current_module_path", "http://foo.bar/shell.txt", "balanced"},
      {kQuery, "link", "ftp://foo.bar/a", "balanced"},
      {kBody, "avatar", "data:text/plain;base64,AAAA", "strict"},
      {kBody, "code", "<?php $x = file_get_contents('php://input'); echo $x; ?>", "low"},
      {kBody, "v", "you read it with php://input then", "recorded"},
      {kQuery, "q", "file:///", "recorded"},
      {kBody, "v", "saved as file:///C:/Users/a.txt by her", "recorded"},
  };
  for (const NamedRow& row : rows)
    EXPECT_EQ(verdict_of(analyzer, row.text, row.location, false, row.name), row.verdict) << row.text;
}

// Of a page that a server makes a picture of, elements load by themselves, links do not.
TEST(Ssrf, AddressesThatElementsLoad) {
  const Analyzer& analyzer = analyzer_named("ssrf");
  for (const std::string_view text :
       {"<iframe src=http://169.254.169.254/latest/>", "<p><img src=\"http://169.254.169.254/\"></p>"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kBody, false, "text"), "low") << text;
  for (const std::string_view text :
       {"<a href=\"http://169.254.169.254/\">x</a>", "see http://169.254.169.254/ = the metadata",
        "a < b =http://169.254.169.254/"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kBody, false, "text"), "recorded") << text;
}

// Browsers take the host of a/\b from what follows; a pattern has no host there.
TEST(Ssrf, BackslashesBehindASlash) {
  const Analyzer& analyzer = analyzer_named("ssrf");
  EXPECT_EQ(verdict_of(analyzer, R"(/\evil.example/a)", kQuery, false, "next"), "balanced");
  EXPECT_EQ(verdict_of(analyzer, R"(/\evil.example)", kQuery, false, "v"), "balanced");
  EXPECT_EQ(verdict_of(analyzer, R"(/\.(jpe?g|png|gif)$/i)", kQuery, false, "pattern"), "-");
  EXPECT_EQ(verdict_of(analyzer, R"(/\.min\.js$/)", kQuery, false, "pattern"), "-");
}

// A package's document says where its tests find the page that they run in, a message of SAML where it is
// sent to.
TEST(Ssrf, AddressesThatAreTheReadersOwn) {
  const auto denied = [](std::string_view parent, Location location, std::string_view name = "testURL") {
    FieldContext context;
    context.location = location;
    context.name = name;
    context.parent = parent;
    std::vector<Hit> hits;
    analyzer_named("ssrf").analyze("http://localhost/", context, hits);
    return std::any_of(hits.begin(), hits.end(), [](const Hit& hit) {
      return hit.denies_from && *hit.denies_from <= Sensitivity::kBalanced;
    });
  };
  EXPECT_FALSE(denied("jest", Location::kBody));
  EXPECT_TRUE(denied("", Location::kBody)) << "a parameter";
  EXPECT_TRUE(denied("hook", Location::kBody));
  EXPECT_TRUE(denied("jest", Location::kQuery));
  EXPECT_FALSE(denied("samlp:Response", Location::kBody, "Destination"));
  EXPECT_FALSE(denied("SubjectConfirmationData", Location::kBody, "Recipient"));
  EXPECT_TRUE(denied("samlp:Response", Location::kBody, "image_url"));
  EXPECT_TRUE(denied("fetch", Location::kBody, "Destination"));
  EXPECT_TRUE(denied("samlp:Response", Location::kQuery, "Destination"));
}

}  // namespace
}  // namespace wafd::detect
