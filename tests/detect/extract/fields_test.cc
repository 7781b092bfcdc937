// The fields of a request: every place an application may read from, as a list.
#include "detect/extract/fields.h"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/detect/extract/read_fields.h"

namespace wafd::detect {
namespace {

// Elements that may be XML or HTML are judged as both; what a long CDATA section holds is then there twice.
TEST_F(Fields, TheInsideOfALongSectionIsJudgedOnce) {
  const std::string much(2000, 'x');
  const std::string inside = "begin" + much + "middle" + much + "end";
  body("text/plain", "<r><a><![CDATA[" + inside + "]]></a><b c='d'/><e><![CDATA[short]]></e></r>");
  std::size_t whole = 0;
  for (std::size_t i = 0; i < fields_.size(); ++i) whole += fields_[i].raw == inside ? 1u : 0u;
  EXPECT_EQ(whole, 1u);
  const std::string_view raw = fields_[fields_.size() - 1].raw;
  EXPECT_EQ(raw.find("middle"), std::string_view::npos);
  EXPECT_TRUE(raw.starts_with("<r><a><![CDATA[beginxxx"));
  EXPECT_TRUE(raw.ends_with("xxxend]]></a><b c='d'/><e><![CDATA[short]]></e></r>"));
  // A CDATA mark inside of a comment begins no section; elements between two comments are judged as HTML.
  const std::string elements = "<i j='" + much + "'/>";
  const std::string comments =
      "<a><!-- <![CDATA[ -->" + elements + "<img onerror='f()'/>" + elements + "<!-- ]]> --></a>";
  body("text/plain", comments);
  EXPECT_EQ(fields_[fields_.size() - 1].raw, comments);
}

// Strings with escapes are unescaped elsewhere; where they stood is known all the same.
TEST_F(Fields, WhereAStringOfJsonStood) {
  const std::string pieces[] = {"a",     " ",         "some words",      R"(\\)",    R"(\")",   R"(\/)",
                                R"(\n)", R"(\u4f60)", R"(\ud83d\ude00)", "\xc3\xa4", R"(\\\")", ","};
  std::mt19937 random(5);
  const auto some = [&](std::size_t most) {
    std::string out;
    for (std::size_t i = 1 + random() % most; i > 0; --i) out += pieces[random() % std::size(pieces)];
    return out;
  };
  for (int round = 0; round < 500; ++round) {
    const std::string key = some(4);
    const std::string value = some(60);
    const std::string element = some(3);
    body("", "{\"" + key + "\" : \"" + value + "\",\"l\":[1,\"" + element + "\"]}");
    ASSERT_EQ(fields_.size(), 5u) << dump(fields_);
    EXPECT_EQ(fields_[1].outer, key);
    EXPECT_EQ(fields_[2].outer, value);
    EXPECT_EQ(fields_[3].outer, "l");
    EXPECT_EQ(fields_[4].outer, element);
  }
}

// Socket.IO by polling: packets that a separator parts, each an array of JSON behind a few digits.
TEST_F(Fields, PacketsOfEngineIo) {
  const std::string way = " {engine_io|json}\n";
  EXPECT_EQ(body_alone("text/plain;charset=UTF-8", R"(42["say","a b"])"),
            "body [0]=say" + way + "body [1]=a b" + way);
  EXPECT_EQ(
      body_alone("text/plain", "42/room,7[\"say\",{\"to\":\"x\"}]\x1e" + std::string("3\x1e") + "420[\"y\"]"),
      "body =/room {engine_io}\nbody [0]=say" + way + "body_name [1].to=to" + way + "body [1].to=x" + way +
          "body [0]=y" + way);
  EXPECT_EQ(body_alone("text/plain", "451-[\"f\"]\x1e" + std::string("bAQID")),
            "body [0]=f" + way + "body =AQID {engine_io}\n");
  // A body of which not every byte belongs to a packet is text.
  for (const std::string text :
       {"42/x&u=a b,[\"a\"]",
        "40\x1e"
        "b&user=1",
        "42[\"a\"; id]", "42[\"a\"] or 1=1", "42", "42 days", "47[\"a\"]", "42[\"a\"]\x1eid"})
    EXPECT_EQ(body_alone("text/plain", text).find("engine_io"), std::string::npos) << text;
  // Nor what an application may read as a form.
  for (const char* type : {"application/x-www-form-urlencoded", ""})
    EXPECT_EQ(body_alone(type, "42[\"a\"]").find("engine_io"), std::string::npos) << type;
}

// Documents of editors and notebooks are made of blocks, of which some show code.
TEST_F(Fields, TextsOfBlocksThatShowCode) {
  const auto shown = [this](const std::string& text) {
    body("application/json", text);
    std::string out;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].code) out += std::string(fields_[i].raw) + ";";
    }
    return out;
  };
  EXPECT_EQ(
      shown(R"({"cells":[{"cell_type":"code","source":["a\n","b"]},{"cell_type":"markdown","source":"c"}]})"),
      "a\n;b;");
  EXPECT_EQ(
      shown(R"({"blocks":[{"data":{"code":"a"},"type":"code"},{"type":"paragraph","data":{"text":"b"}}]})"),
      "a;");
  EXPECT_EQ(
      shown(
          R"({"type":"doc","content":[{"type":"codeBlock","content":[{"type":"text","text":"a"}]},{"text":"b"}]})"),
      "a;");
  EXPECT_EQ(shown(R"({"content":[{"type":"code","text":"a"}]})"), "");
  // A member of another name, an object that is no block, another type
  EXPECT_EQ(shown(R"({"blocks":[{"type":"code","command":"a","title":"b"}]})"), "");
  EXPECT_EQ(shown(R"({"type":"code","text":"a"})"), "");
  EXPECT_EQ(shown(R"({"items":[{"type":"code","text":"a"}]})"), "");
  EXPECT_EQ(shown(R"({"blocks":[{"type":"coder","text":"a"}]})"), "");
}

// The fields that every request of body() has before those of its body.
const std::string kHead = "urlpath =/\n";

TEST_F(Fields, Head) {
  struct Row {
    const char* head;
    const char* expected;
  };
  const Row rows[] = {
      {"GET /a/b.php HTTP/1.1\r\n\r\n", "urlpath =/a/b.php\n"},
      {"GET /a/1'x/b HTTP/1.1\r\n\r\n", "urlpath =/a/1'x/b\nurlpath =1'x\n"},
      {"GET /?a=1&b%5B%5D=c+d&=e&f&&g= HTTP/1.1\r\n\r\n",
       "urlpath =/\nquery_name a=a\nquery a=1\nquery_name b[]=b%5B%5D\nquery b[]=c+d\nquery =e\nquery_name "
       "f=f\n"
       "query_name g=g\n"},
      // A plain '&' inside of a value, and ';' as a separator.
      {"GET /?a=1&&sleep(5)&b=2 HTTP/1.1\r\n\r\n",
       "urlpath =/\nquery_name a=a\nquery a=1\nquery_name sleep(5)=sleep(5)\nquery a=1&&sleep(5)\nquery_name "
       "b=b\n"
       "query b=2\n"},
      {"GET /?q='%26&'1'='1 HTTP/1.1\r\n\r\n",
       "urlpath =/\nquery_name q=q\nquery q='%26\nquery_name '1'='1'\nquery '1'='1\nquery q='%26&'1'='1\n"},
      {"GET /?a=b&&c=d& HTTP/1.1\r\n\r\n",
       "urlpath =/\nquery_name a=a\nquery a=b\nquery_name c=c\nquery c=d\n"},
      {"GET /?a=1;b=%3Cx;c HTTP/1.1\r\n\r\n",
       "urlpath =/\nquery_name a=a\nquery a=1;b=%3Cx;c\nquery b=%3Cx\n"},
      {"GET /?a=b=c HTTP/1.1\r\n\r\n", "urlpath =/\nquery_name a=a\nquery a=b=c\n"},
      {"GET http://x.example/p?q=1 HTTP/1.1\r\n\r\n", "urlpath =/p\nquery_name q=q\nquery q=1\n"},
      // Framing and hosts are nothing to judge; an ordinary Accept neither.
      {"GET / HTTP/1.1\r\nHost: ' or 1=1\r\nConnection: close\r\nAccept: text/html, */*;q=0.8\r\n"
       "Accept-Language: de-DE,de;q=0.5\r\nOrigin: https://a.example:8\r\n\r\n",
       "urlpath =/\n"},
      {"GET / HTTP/1.1\r\nAccept: ../../x{{\r\nOrigin: <x>\r\nUser-Agent: ua\r\n\r\n",
       "urlpath =/\nheader Accept=../../x{{\nheader Origin=<x>\nheader User-Agent=ua\n"},
      {"GET / HTTP/1.1\r\nAccept: a; id\r\n\r\n", "urlpath =/\nheader Accept=a; id\n"},
      {"GET / HTTP/1.1\r\nCookie: a=1; b=\"c d\";e ;f=g=h\r\n\r\n",
       "urlpath =/\ncookie_name a=a\ncookie a=1\ncookie_name b=b\ncookie b=c d\ncookie_name e=e\ncookie_name "
       "f=f\n"
       "cookie f=g=h\n"},
      // Of a URL what is no host; of anything else all.
      {"GET / HTTP/1.1\r\nReferer: https://evil.host:8080/p/q?a=b+c&d\r\n\r\n",
       "urlpath =/\nheader Referer=/p/q\nheader_name a=a\nheader a=b+c\nheader_name d=d\n"},
      {"GET / HTTP/1.1\r\nReferer: HTTP://u'x:p@evil.host/p\r\n\r\n",
       "urlpath =/\nheader Referer=u'x:p\nheader Referer=/p\n"},
      {"GET / HTTP/1.1\r\nReferer: https://evil'host/p\r\n\r\n",
       "urlpath =/\nheader Referer=https://evil'host/p\n"},
      {"GET / HTTP/1.1\r\nReferer: ${jndi:ldap://x/a}\r\n\r\n",
       "urlpath =/\nheader Referer=${jndi:ldap://x/a}\n"},
      {"GET / HTTP/1.1\r\nReferer: <script src=http://x/a>\r\n\r\n",
       "urlpath =/\nheader Referer=<script src=http://x/a>\n"},
      {"GET / HTTP/1.1\r\nReferer: http://${jndi:ldap://x/a}@h/\r\n\r\n",
       "urlpath =/\nheader Referer=http://${jndi:ldap://x/a}@h/\n"},
      {"GET / HTTP/1.1\r\nReferer: android-app://a.b/\r\n\r\n",
       "urlpath =/\nheader Referer=android-app://a.b/\n"},
      {"GET / HTTP/1.1\r\nX-Original-URL: /a'b/c?d=e\r\nDestination: https://h/f\r\n\r\n",
       "urlpath =/\nheader X-Original-URL=/a'b/c\nheader X-Original-URL=a'b\nheader_name d=d\nheader d=e\n"
       "header Destination=/f\n"},
      {"GET / HTTP/1.1\r\nX-Forwarded-For: 1.2.3.4, ' or 1\r\nForwarded: for=\"[::1]\";proto=http, "
       "by=a'b\r\n\r\n",
       "urlpath =/\nheader X-Forwarded-For=1.2.3.4, ' or 1\nheader X-Forwarded-For=' or 1\nheader "
       "Forwarded=for="
       "\\\"[::1]\\\";proto=http, by=a'b\nheader Forwarded=\\\"[::1]\\\"\nheader Forwarded=a'b\n"},
      {"GET / HTTP/1.1\r\nX-Forwarded-For: 1.2.3.4, 5.6.7.8\r\n\r\n",
       "urlpath =/\nheader X-Forwarded-For=1.2.3.4, 5.6.7.8\n"},
      // Who asks: a user and a password, or a token.
      {"GET / HTTP/1.1\r\nAuthorization: Basic dSdzOnAnOnc=\r\n\r\n",
       "urlpath =/\nheader Authorization=Basic dSdzOnAnOnc=\n"
       "header Authorization.user=u's {base64}\nheader Authorization.password=p':w {base64}\n"},
      {"GET / HTTP/1.1\r\nAuthorization: Bearer a.b.c\r\n\r\n",
       "urlpath =/\nheader Authorization=Bearer a.b.c\nheader Authorization=a.b.c\n"},
      {"GET / HTTP/1.1\r\nAuthorization: ' or 1\r\n\r\n", "urlpath =/\nheader Authorization=' or 1\n"},
      // Cookies in quotes, as readers of RFC 2109 take them.
      {"GET / HTTP/1.1\r\nCookie: a=\"x;y\\073\\z\"; b=\"c\r\n\r\n",
       "urlpath =/\ncookie_name a=a\ncookie a=\\\"x\ncookie a=x;y;z {cookie}\ncookie_name "
       "y\\073\\z\"=y\\\\073"
       "\\\\z\\\"\ncookie_name b=b\ncookie b=\\\"c\n"},
      // Segments that stand for a text, with slashes of base64 or without.
      {"GET /a/JyBvciAxPTEgLS0g/b HTTP/1.1\r\n\r\n",
       "urlpath =/a/JyBvciAxPTEgLS0g/b\nurlpath =JyBvciAxPTEgLS0g\n"},
      {"GET /a/PD9waHAgPz8/Pz8+ HTTP/1.1\r\n\r\n",
       "urlpath =/a/PD9waHAgPz8/Pz8+\nurlpath =PD9waHAgPz8\nurlpath =PD9waHAgPz8/Pz8+\nurlpath =Pz8+\n"},
      {"GET /wordpress/administrator/0123456789abcdef HTTP/1.1\r\n\r\n",
       "urlpath =/wordpress/administrator/0123456789abcdef\n"},
      // Tabs are spaces for servers.
      {"GET\t/a?b=c\tHTTP/1.1\r\n\r\n", "urlpath =/a\nquery_name b=b\nquery b=c\n"},
      // A name that comes again.
      {"GET /?a=1/*&b=2&a=*/2 HTTP/1.1\r\n\r\n",
       "urlpath =/\nquery_name a=a\nquery a=1/*\nquery_name b=b\nquery b=2\nquery_name a=a\nquery a=*/2\n"
       "query a=1/*,*/2\n"},
      {"GET /?a=1&a=2&b[]='&b[]=' HTTP/1.1\r\n\r\n",
       "urlpath =/\nquery_name a=a\nquery a=1\nquery_name a=a\nquery a=2\nquery_name b[]=b[]\nquery b[]='\n"
       "query_name b[]=b[]\nquery b[]='\n"},
      {"PUT / HTTP/1.1\r\nContent-Disposition: attachment; filename=\"a.php\"\r\n\r\n",
       "urlpath =/\nfile_name Content-Disposition=a.php\nheader Content-Disposition=attachment; filename="
       "\\\"a.php\\\"\n"},
      {"GET / HTTP/1.1\r\nReferer: <script>\r\n\r\n", "urlpath =/\nheader Referer=<script>\n"},
      // The name of an upload in a header is a header and a file name.
      {"GET / HTTP/1.1\r\nX-File_Name: a\r\nX-File: b\r\n\r\n",
       "urlpath =/\nfile_name X-File_Name=a\nheader X-File_Name=a\nheader X-File=b\n"},
      {"GET / HTTP/1.1\r\nX<y: z\r\n\r\n", "urlpath =/\nheader_name X<y=X<y\nheader X<y=z\n"},
      {"GET / HTTP/1.1\r\nX: a\r\n b\r\nodd\r\n\r\n", "urlpath =/\nheader X=a\nheader =b\nheader =odd\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(read(row.head), row.expected) << row.head;
}

TEST_F(Fields, Body) {
  struct Row {
    const char* type;
    std::string body;
    std::string expected;
  };
  using namespace std::string_literals;
  const std::string ct_json = "header Content-Type=application/json\n";
  const std::string ct_form = "header Content-Type=application/x-www-form-urlencoded\n";
  const std::string ct_plain = "header Content-Type=text/plain\n";
  const std::string ct_xml = "header Content-Type=text/xml\n";
  const char* form = "application/x-www-form-urlencoded";
  const Row rows[] = {
      {"", "", ""},
      {form, "a=1&b=c%20d", ct_form + "body_name a=a\nbody a=1\nbody_name b=b\nbody b=c%20d\n"},
      // A form whose first name is none may be read as a whole.
      {form, "<?php x", ct_form + "body_name <?php x=<?php x\nbody =<?php x\n"},
      {"", "a=1", "body_name a=a\nbody a=1\n"},
      {"text/plain", "just words", ct_plain + "body =just words\n"},
      // JSON: every key and string, duplicates too; numbers carry nothing.
      {"application/json", R"({"a":"x","a":"y","n":1,"l":["p",2,{"q":"r"}]})",
       ct_json +
           "body_name a=a {json}\nbody a=x {json}\nbody_name a=a {json}\nbody a=y {json}\nbody_name n=n "
           "{json}\n"
           "body_name l=l {json}\nbody l[0]=p {json}\nbody_name l[2].q=q {json}\nbody l[2].q=r {json}\n"},
      {"application/json", R"("a\u003cb")", ct_json + "body =a<b {json}\n"},
      {form, R"({"a":"x"})", ct_form + "body_name a=a {json}\nbody a=x {json}\n"},
      {"text/plain", "{\"a\":\"x\"}\n{\"b\":\"y\"}\n",
       ct_plain + "body_name a=a {json}\nbody a=x {json}\nbody_name b=b {json}\nbody b=y {json}\n"},
      // Broken JSON: what was read, then the rest.
      {"application/json", R"({"a":"x","b":'1' or 1})",
       ct_json + "body_name a=a {json}\nbody a=x {json}\nbody_name b=b {json}\nbody =:'1' or 1} {json}\n"
                 "body =or 1 {json}\n"},
      {"application/json", "1 or 1=1", ct_json + "body =1 or 1=1 {json}\n"},
      {"application/json", "{alert(1)}", ct_json + "body =alert(1) {json}\nbody ={alert(1)}\n"},
      // As readers take it that know JSON5, comments, and more.
      {"application/json", "{'id': '1 or 2', /* a */ k: \"v\\\"w\", // b\n l: [yes or no, null, -1.5, `t`],}",
       ct_json +
           "body_name id=id {json}\nbody id=1 or 2 {json}\nbody_name k=k {json}\nbody k=v\\\\\\\"w {json}\n"
           "body_name l=l {json}\nbody l=yes or no {json}\nbody l=null {json}\nbody l=t {json}\nbody ={'id': "
           "'1 or 2', /* a */ k: "
           "\\\"v\\\\\\\"w\\\", // b\\u000a l: [yes or no, null, -1.5, `t`],}\n"},
      {"application/json-seq", "\x1e{\"a\":\"x\"}\n\x1e\"y\"\n",
       "header Content-Type=application/json-seq\nbody_name a=a {json}\nbody a=x {json}\nbody =y {json}\n"},
      // XML: text, attributes, comments; a DOCTYPE brings the whole.
      {"text/xml", "<a b='c'>d<e>f</e><!-- g --></a>",
       ct_xml + "body b=c {xml}\nbody a=d {xml}\nbody e=f {xml}\nbody #comment=g {xml}\n"},
      {"text/xml", "<java.util.X c='d'/>",
       ct_xml + "body_name java.util.X=java.util.X {xml}\nbody c=d {xml}\n"},
      {"text/xml", "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///y'>]><a>&x;</a>",
       ct_xml + "body =<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///y'>]><a>&x;</a> {xml}\n"},
      {"text/xml", "<a>b<c</a>", ct_xml + "body a=b {xml}\nbody =b<c</a> {xml}\n"},
      {"text/plain", "<a b='c'>d", ct_plain + "body =<a b='c'>d\n"},
      // XML that nobody announced may be HTML as well.
      {"text/plain", "<script>x</script>", ct_plain + "body script=x {xml}\nbody =<script>x</script>\n"},
      {form, "<a b='c'/>",
       ct_form + "body b=c {xml}\nbody_name <a b=<a b\nbody <a b='c'/>\nbody =<a b='c'/>\n"},
      // Bytes that are no text: whole, and the strings of a message.
      {"application/x-protobuf",
       "\x0a\x03"
       "abc"
       "\x12\x0b"
       "hello world"
       "\x00\x01\x02"s,
       "header Content-Type=application/x-protobuf\nbody [1]=abc {protobuf}\nbody [2]=hello world "
       "{protobuf}\n"
       "body =\\u000a\\u0003abc\\u0012\\u000bhello world\\u0000\\u0001\\u0002 (binary)\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(body(row.type, row.body), kHead + row.expected) << row.body;
}

TEST_F(Fields, Multipart) {
  const std::string type = "multipart/form-data; boundary=XX";
  const std::string head = kHead + "header Content-Type=" + type + "\n";
  EXPECT_EQ(
      body(type,
           "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--XX\r\nContent-Disposition: "
           "form-data; name=\"f\"; filename=\"x.php\"\r\nContent-Type: image/png\r\n\r\n<?php\r\n--XX--\r\n"),
      head + "body_name a=a\nbody a=b\nbody_name f=f\nfile_name f=x.php\nfile f=<?php (media)\n");
  // The name alone says it too.
  EXPECT_EQ(body(type, "--XX\nContent-Disposition: form-data; name=a; filename=b.PDF\n\nc\n--XX--\n"),
            head + "body_name a=a\nfile_name a=b.PDF\nfile a=c (media)\n");
  // Line ends of LF, a file name without quotes, an odd part header, bytes around the parts, no last
  // boundary.
  EXPECT_EQ(body(type, "pre\n--XX\nContent-Disposition: form-data; filename=../x; name=\"a\"\nX: ${y}\n\nb"),
            head + "body =pre\\u000a\nbody =${y}\nfile_name a=../x\nbody_name a=a\nfile a=b\n");
  // Another boundary than was announced, and none announced at all.
  EXPECT_EQ(body(type, "--YY\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--YY--\r\n"),
            head + "body_name a=a\nbody a=b\n");
  EXPECT_EQ(body("", "--YY\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--YY--\r\n"),
            kHead + "body_name a=a\nbody a=b\n");
  EXPECT_EQ(body(type, "no parts"), head + "body =no parts\n");
}

// By zlib's window bits: 31 gzip, 15 zlib, -15 raw deflate.
std::string compressed(const std::string& text, int bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string gzip(const std::string& text) { return compressed(text, 31); }

TEST_F(Fields, CompressedBodiesAreReadAsWhatTheyHold) {
  const std::string head = "POST / HTTP/1.1\r\nContent-Encoding: gzip\r\n\r\n";
  const std::string fields = kHead + "header Content-Encoding=gzip\n";
  EXPECT_EQ(read(head + gzip("a=b")), fields + "body_name a=a {gzip}\nbody a=b {gzip}\n");
  EXPECT_EQ(read(head + gzip(R"({"a":"b"})")), fields + "body_name a=a {gzip|json}\nbody a=b {gzip|json}\n");
  // Not what it says, and not said what it is.
  EXPECT_EQ(read(head + "a=b"), fields + "body_name a=a\nbody a=b\n");
  EXPECT_EQ(read("POST / HTTP/1.1\r\n\r\n" + gzip("a=b")), kHead + "body_name a=a {gzip}\nbody a=b {gzip}\n");
  // A bomb: what a limit leaves out is said.
  read(head + gzip(std::string(8 << 20, 'a')));
  EXPECT_TRUE(report_.truncated);
  EXPECT_TRUE(fields_.limit_reached);
}

// Each byte before or behind NULs.
std::string wide(std::string_view text, std::size_t width, bool big) {
  std::string out;
  for (const char c : text) {
    const std::string nuls(width - 1, '\0');
    out += big ? nuls + c : c + nuls;
  }
  return out;
}

TEST_F(Fields, LabelsOfCompressedBodiesAreMixedUp) {
  const std::string zlib(compressed("a=b", 15));
  const std::string raw(compressed("a=b", -15));
  const std::string both = "body_name a=a {deflate}\nbody a=b {deflate}\n";
  for (const char* coding : {"gzip", "deflate", "br"}) {
    const std::string head = "POST / HTTP/1.1\r\nContent-Encoding: " + std::string(coding) + "\r\n\r\n";
    const std::string fields = kHead + "header Content-Encoding=" + coding + "\n";
    EXPECT_EQ(read(head + zlib), fields + both);
    EXPECT_EQ(read(head + raw), fields + both);
    EXPECT_EQ(read(head + gzip("a=b")), fields + "body_name a=a {gzip}\nbody a=b {gzip}\n");
    EXPECT_EQ(read(head + "a=b"), fields + "body_name a=a\nbody a=b\n");
  }
}

TEST_F(Fields, ChunkedFramingLeftInTheBody) {
  struct Row {
    const char* body;
    const char* expected;
  };
  const Row rows[] = {
      {"3\r\na=b\r\n2;x=y\r\ncd\r\n0\r\n\r\n",
       "body "
       "=3\\u000d\\u000aa=b\\u000d\\u000a2;x=y\\u000d\\u000acd\\u000d\\u000a0\\u000d\\u000a\\u000d\\u000a\n"
       "body_name a=a {chunked}\nbody a=bcd {chunked}\n"},
      {"3\r\na=b\r\n2\r\nc",
       "body =3\\u000d\\u000aa=b\\u000d\\u000a2\\u000d\\u000ac\nbody_name a=a {chunked}\nbody a=bc "
       "{chunked}\n"},
      {"3\r\na=b\r\nX", "body =3\\u000d\\u000aa=b\\u000d\\u000aX\n"},
      {"3\r\na=", "body =3\\u000d\\u000aa=\n"},
      {"123456789\r\na", "body =123456789\\u000d\\u000aa\n"},
      {"12\r\n13\r\n14\r\n", "body =12\\u000d\\u000a13\\u000d\\u000a14\\u000d\\u000a\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(body("", row.body), kHead + row.expected) << row.body;
}

TEST_F(Fields, WideEncodingsAreDeclaredOrPlainToSee) {
  const std::string json = R"({"a":"b c"})";
  const std::string utf16 = "body_name a=a {utf16|json}\nbody a=b c {utf16|json}\n";
  const std::string utf32 = "body_name a=a {utf32|json}\nbody a=b c {utf32|json}\n";
  for (const bool big : {false, true}) {
    EXPECT_EQ(body_alone("", wide(json, 2, big)), utf16);
    EXPECT_EQ(body_alone("", (big ? "\xfe\xff" : "\xff\xfe") + wide(json, 2, big)), utf16);
    EXPECT_EQ(body_alone("", wide(json, 4, big)), utf32);
    const std::string type = std::string("application/json; charset=utf-16") + (big ? "be" : "LE");
    EXPECT_EQ(body_alone(type, wide(json, 2, big)), utf16);
  }
  const std::string form = "application/x-www-form-urlencoded; charset=utf-16le";
  EXPECT_TRUE(
      body_alone(form, wide("a=%27", 2, false)).ends_with("body_name a=a {utf16}\nbody a=%27 {utf16}\n"));
  // A reader that ignores what is declared reads these.
  EXPECT_NE(body_alone(form, "a=b").find("body a=b\n"), std::string::npos);
  // Not UTF-16: gRPC, MessagePack, a picture.
  EXPECT_EQ(body_alone("", std::string("\0\0\0\0\x05hello", 10)).find("utf"), std::string::npos);
}

TEST_F(Fields, Ebcdic) {
  // a=' and {"a":"[1]"} in code page 37; [ and ] are elsewhere in 500.
  EXPECT_EQ(body_alone("text/plain;charset=ibm037", "\x81\x7e\x7d"),
            "body_name a=a {ebcdic}\nbody a=' {ebcdic}\n");
  EXPECT_NE(body_alone("application/json; charset=\"cp037\"", "\xc0\x7f\x81\x7f\x7a\x7f\xba\xf1\xbb\x7f\xd0")
                .find("body a=[1] {ebcdic|json}\n"),
            std::string::npos);
  EXPECT_NE(body_alone("application/json; charset=IBM500", "\xc0\x7f\x81\x7f\x7a\x7f\x4a\xf1\x5a\x7f\xd0")
                .find("body a=[1] {ebcdic|json}\n"),
            std::string::npos);
  // Names and values of a form in %HH, the query's too.
  EXPECT_EQ(
      read("POST /?%81=%7D HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded; charset=ibm037\r\n"
           "\r\n%82=%4C%6E"),
      kHead +
          "query_name \x81"
          "=%81\nquery \x81"
          "=%7D\n"
          "header Content-Type=application/x-www-form-urlencoded; charset=ibm037\n"
          "query_name \x81"
          "=%81\nquery \x81"
          "=%7D\n"
          "body_name \x82"
          "=%82\nbody \x82"
          "=%4C%6E\n"
          "query_name \x81"
          "=a {percent|ebcdic}\nquery \x81"
          "=' {percent|ebcdic}\n"
          "body_name \x82"
          "=b {percent|ebcdic}\nbody \x82"
          "=<> {percent|ebcdic}\n");
  // "{j" and the bytes of an overlong U+0011.
  EXPECT_NE(body_alone("application/x-www-form-urlencoded; charset=ibm037", "a=%C0%91")
                .find("body a={j {percent|ebcdic}"),
            std::string::npos);
  // Nobody declares it, so it is none.
  EXPECT_EQ(body_alone("", "\x81\x7e\x7d"), "body =\\\\x81~}\n");
}

TEST_F(Fields, EncodingsOfParts) {
  const auto part = [this](const std::string& headers, const std::string& content) {
    const std::string all =
        body("multipart/form-data; boundary=B", "--B\r\n" + headers + "\r\n" + content + "\r\n--B--\r\n");
    return all.substr(all.find("body_name"));
  };
  const std::string name = "Content-Disposition: form-data; name=\"a\"\r\n";
  EXPECT_EQ(part(name + "Content-Transfer-Encoding: quoted-printable\r\n", "=3Cb=\r\n>=zz"),
            "body_name a=a\nbody a==3Cb=\\u000d\\u000a>=zz\nbody a=<b>=zz {quoted_printable}\n");
  EXPECT_EQ(part(name + "Content-Type: text/plain; charset=cp037\r\n", "\x4c\x6e"),
            "body_name a=a\nbody a=Ln\nbody a=<> {ebcdic}\n");
  EXPECT_NE(body("multipart/form-data; boundary=B",
                 "--B\r\nContent-Disposition: form-data; name=_charset_\r\n\r\nibm037\r\n"
                 "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n\x4c\x6e\r\n--B--\r\n")
                .find("body a=<> {ebcdic}\n"),
            std::string::npos);
  EXPECT_NE(body("multipart/mixed; boundary=B",
                 "--B\r\nContent-Type: multipart/alternative; boundary=C\r\n\r\n"
                 "--C\r\nContent-Transfer-Encoding: Quoted-Printable\r\n\r\n=3C\r\n--C--\r\n--B--\r\n")
                .find("body =< {quoted_printable}\n"),
            std::string::npos);
  EXPECT_NE(body("message/rfc822", "Subject: x\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=3C")
                .find("body =< {quoted_printable}\n"),
            std::string::npos);
  EXPECT_NE(
      body("application/x-www-form-urlencoded", "_charset_=ibm037&a=%4C").find("body a=< {percent|ebcdic}\n"),
      std::string::npos);
}

TEST_F(Fields, WhatANameStandsIn) {
  const auto parents = [this](const std::string& type, const std::string& text) {
    body(type, text);
    std::string out;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].location != Location::kBody || fields_[i].binary) continue;
      out += std::string(fields_[i].parent) + "/" + std::string(fields_[i].name) +
             (fields_[i].in_name ? " " : "=" + std::string(fields_[i].raw) + " ");
    }
    return out;
  };
  EXPECT_EQ(parents("application/json", R"({"a":{"$ne":"x","l":["y",{"k":"z"}]},"b":"w"})"),
            "/a a/$ne a/$ne=x a/l a/l=y l/k l/k=z /b /b=w ");
  std::string outermost;
  body("application/json", R"([{"a":{"b":{"c":"x"},"l":[{"d":"y"}]}},"z"])");
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].location == Location::kBody && !fields_[i].binary)
      outermost += std::string(fields_[i].name) + "<" + std::string(fields_[i].outermost) + " ";
  }
  EXPECT_EQ(outermost, "a<a b<a c<a c<a l<a d<a d<a < ");
  EXPECT_EQ(parents("text/xml", "<a p='q'><b r='s'>t<c/></b></a>"), "a/p=q b/r=s a/b=t ");
  // The names of a log-in; "p" is many a thing.
  const char* form = "application/x-www-form-urlencoded";
  EXPECT_EQ(parents(form, "u=a&p=b"), "/u /u=a /p log-in form/p=b ");
  EXPECT_EQ(parents(form, "p=b&x=a"), "/p /p=b /x /x=a ");
  EXPECT_EQ(parents(form, "u=a&p=b&p=c"), "/u /u=a /p /p=b /p /p=c ");
  // Bytes of any kind behind a text hide neither a form nor a text.
  using namespace std::string_literals;
  const std::string bytes =
      "\0\xff\xfe and more of it, so that it is hardly a control in a text of this length"s;
  EXPECT_EQ(parents("application/x-any", "a=1&b=2" + bytes).substr(0, 10), "/a /a=1 /b");
  EXPECT_EQ(parents("application/x-any", "some text" + bytes), "/=some text ");
  EXPECT_EQ(parents("application/msgpack",
                    "\x81\xa1"
                    "a\x81\xa1"
                    "b\xa1"
                    "c"),
            "/a a/b a/b=c ");
}

TEST_F(Fields, BeyondTheLimitTheRestIsOneField) {
  std::string query;
  for (std::size_t i = 0; i < kMaxFields; ++i) query += "a=b&";
  read("GET /?" + query + "z=last HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(fields_.limit_reached);
  EXPECT_LE(fields_.size(), kMaxFields + 2);
  EXPECT_TRUE(fields_[fields_.size() - 1].raw.ends_with("z=last"));
  std::string json(2 * kMaxJsonDepth, '[');
  json += "\"deep\"";
  body("application/json", json);
  EXPECT_TRUE(fields_.limit_reached);
  EXPECT_TRUE(fields_[fields_.size() - 1].raw.ends_with("\"deep\"")) << dump(fields_);
}

}  // namespace
}  // namespace wafd::detect
