// How bodies are read: by the declared type and by their content; codings and character sets undone, bytes
// that are no text left alone.
#include "detect/extract/body.h"

#include <string>

#include <bzlib.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/detect/extract/read_fields.h"

namespace wafd::detect {
namespace {

using namespace std::string_literals;

class Body : public Fields {
 protected:
  // Fields of the body, the head's left out.
  std::string of(const std::string& type, const std::string& text, const std::string& headers = "") {
    const std::string all =
        read("POST / HTTP/1.1\r\n" + (type.empty() ? "" : "Content-Type: " + type + "\r\n") + headers +
             "\r\n" + text);
    std::string out;
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = all.find('\n', at) + 1;
      if (all.compare(at, 4, "body") == 0) out += all.substr(at, end - at);
      at = end;
    }
    return out;
  }
};

const std::string kFormType = "application/x-www-form-urlencoded";

TEST_F(Body, ContentLines) {
  const std::string event =
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY;LANGUAGE=en:plum cake\\, or\r\n  not\r\n"
      "DESCRIPTION:one\\ntwo\\;\r\n\tthree\r\nATTENDEE;CN=\"O'Brien; P\":mailto:a@b.example\r\n"
      "RRULE:FREQ=YEARLY;BYMONTH=3\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
  const std::string fields =
      "body BEGIN=VCALENDAR {content_line}\nbody BEGIN=VEVENT {content_line}\n"
      "body LANGUAGE=en {content_line}\nbody SUMMARY=plum cake, or not {content_line}\n"
      "body DESCRIPTION=one\\u000atwo;three {content_line}\n"
      "body CN=O'Brien; P {content_line}\nbody ATTENDEE=mailto:a@b.example {content_line}\n"
      "body RRULE=FREQ=YEARLY {content_line}\nbody RRULE=BYMONTH=3 {content_line}\n"
      "body END=VEVENT {content_line}\nbody END=VCALENDAR {content_line}\n";
  EXPECT_EQ(of("text/calendar; charset=utf-8", event), fields);
  EXPECT_EQ(of("", event), fields) << "a wrong type is corrected";
  EXPECT_EQ(of("text/vcard", "BEGIN:VCARD\nitem1.ADR;type=HOME:;;12\\, rue\\;x;Dublin\nEND:VCARD"),
            "body BEGIN=VCARD {content_line}\nbody type=HOME {content_line}\n"
            "body ADR=12, rue;x {content_line}\nbody ADR=Dublin {content_line}\n"
            "body END=VCARD {content_line}\n");
  // vCard 2.1
  EXPECT_NE(of("text/x-vcard", "BEGIN:VCARD\nNOTE;ENCODING=QUOTED-PRINTABLE:a=3Cb=\n c=3E\nEND:VCARD")
                .find("body NOTE=a<b c> {content_line}\n"),
            std::string::npos);
  // A line that is none: the body is judged as it stands.
  for (const std::string text :
       {"x';drop table t", "BEGIN:VCARD\nNOTE:x\n<script>", "DESCRIPTION", ";a:b", "A;b=\"c:d"})
    EXPECT_EQ(of("text/calendar", text).find("content_line"), std::string::npos) << text;
}

// A document that was cut in a string: that is a value, and is not read once more with the quote before it.
TEST_F(Body, DocumentsThatWereCut) {
  const std::string json = "application/json";
  EXPECT_EQ(of(json, R"({"a":"b","c": "d e)"),
            "body_name a=a {json}\nbody a=b {json}\nbody_name c=c {json}\nbody =d e {json}\n");
  EXPECT_EQ(of(json, R"({"a":["b", "c)"), "body_name a=a {json}\nbody a[0]=b {json}\nbody =c {json}\n");
  // Values other than a single string stay as they are.
  EXPECT_EQ(
      of(json, R"({"a":"b" 'c' "d)"),
      "body_name a=a {json}\nbody a=b {json}\nbody = 'c' \\\"d {json}\nbody =c {json}\nbody =d {json}\n");
}

TEST_F(Body, BytesThatAreNoTextAreOneField) {
  const std::string png = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR' union select 1\0\0\1\2\3\4\5\6"s;
  const std::string pdf = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + std::string(200, 'a') + "\1";
  for (const char* type :
       {"", "image/png", "application/octet-stream", "text/plain", "application/json", "text/xml"}) {
    EXPECT_TRUE(of(type, png).ends_with("(binary)\n")) << type;
    EXPECT_EQ(of(type, png).find("\nbody"), std::string::npos) << type;
    EXPECT_TRUE(of(type, pdf).ends_with("(binary)\n")) << type;
  }
  // A pack of git begins with lines of text.
  const std::string pack =
      "0032 " + std::string(120, 'a') + "0000PACK\0\0\0\2\0\0\0\1\x95\x0b\x78\x9c"s + std::string(400, 'b');
  EXPECT_TRUE(of("application/x-git-receive-pack-request", pack).ends_with("(binary)\n"));
  EXPECT_FALSE(of("text/plain", pack).ends_with("(binary)\n"));
  // A form is one, whatever is in it.
  EXPECT_EQ(of(kFormType, "\1\2\3=\1\2\3&a=1"),
            "body_name \1\2\3=\\u0001\\u0002\\u0003\nbody "
            "\1\2\3=\\u0001\\u0002\\u0003\nbody_name a=a\nbody a=1\n"
            "body =\\u0001\\u0002\\u0003=\\u0001\\u0002\\u0003&a=1\n");
  EXPECT_NE(of(kFormType, "\0\0\0\0&a=1"s).find("body a=1\n"), std::string::npos);
  EXPECT_NE(of(kFormType, "{\"x\":\"&a=1&b=\"}").find("body a=1\n"), std::string::npos);
  EXPECT_NE(of(kFormType, "--X\r\nContent-Disposition: form-data&a=1").find("body a=1\n"), std::string::npos);
  EXPECT_NE(of(kFormType, "<a/>&a=1").find("body a=1\n"), std::string::npos);
  // Text is text with a mark, a NUL, and in other encodings.
  EXPECT_EQ(of("application/json", "\xef\xbb\xbf{\"a\":\"x\"}"), "body_name a=a {json}\nbody a=x {json}\n");
  EXPECT_EQ(of("text/plain", "some words, of which one ends with a NUL\0"s),
            "body =some words, of which one ends with a NUL\\u0000\n");
  EXPECT_EQ(of("text/plain", "\xb1\xe2 \xbf\xc0"), "body =\\\\xb1\\\\xe2 \\\\xbf\\\\xc0\n");
  EXPECT_EQ(of("text/plain", "GIF89a; a word"), "body =GIF89a; a word\n");
  // Types that contradict each other.
  EXPECT_NE(of("application/json", "a=1&b=2", "Content-Type: " + kFormType + "\r\n").find("body b=2\n"),
            std::string::npos);
}

// A body that PUT stores at a path with a file's name is judged as a file's content, unless it may be a
// value, a form, a document or a program.
TEST_F(Body, FilesPutAtTheirPath) {
  const auto stored = [&](const std::string& target, const std::string& type, const std::string& text) {
    read(target + " HTTP/1.1\r\n" + (type.empty() ? "" : "Content-Type: " + type + "\r\n") + "\r\n" + text);
    return fields_[fields_.size() - 1].stored;
  };
  const std::string plain = "text/plain";
  for (const char* path : {"/dav/notes.txt", "/files/run.sh", "/a/README.md", "/b/index.HTML"})
    EXPECT_TRUE(stored("PUT " + std::string(path), plain, "a\nb\n")) << path;
  EXPECT_TRUE(stored("PUT /dav/settings.env", plain, "A=1\nB=2\n"));
  EXPECT_TRUE(stored("PUT /dav/a.html", "", "<!DOCTYPE html>\n<p>a<br>b"));
  EXPECT_TRUE(stored("PUT /dav/a.html", "text/html", "<html>\n<p>a</p></html>"));
  for (const char* path :
       {"/items/5", "/items/5.a", "/devices/10.0.0.5", "/hosts/web1.example.com", "/items/.txt",
        "/items/5;a=b.txt", "/index.php/a.txt", "/cgi-bin/run.sh", "/x.php", "/x.jsp", "/a.do"})
    EXPECT_FALSE(stored("PUT " + std::string(path), plain, "a\nb\n")) << path;
  EXPECT_FALSE(stored("POST /dav/notes.txt", plain, "a\nb\n"));
  for (const std::string& text : {std::string("a;id"), std::string("a;id\n"), std::string("\n\na;id\r\n"),
                                  "a;id #" + std::string(300, 'a'), std::string("a=b;id&x=\nc")})
    EXPECT_FALSE(stored("PUT /dav/notes.txt", plain, text)) << text;
  EXPECT_FALSE(stored("PUT /dav/notes.txt", kFormType, "a=b\nc"));
  EXPECT_FALSE(stored("PUT /dav/notes.txt", "", "a=b\nc"));
  EXPECT_FALSE(stored("PUT /dav/a.js", "application/json", "{\"a\":\n\"b\"}"));
}

TEST_F(Body, BinaryMessages) {
  const std::string strings = "body_name id=id {X}\nbody id=1 or 2 {X}\n";
  const auto with = [&](const std::string& name) {
    std::string out = strings;
    for (std::size_t at = out.find('X'); at != std::string::npos; at = out.find('X'))
      out.replace(at, 1, name);
    return out;
  };
  // {"id": "1 or 2", "n": [1, -1, 2.5, null, b"\x00"]}
  const std::string msgpack =
      "\x82\xa2id\xa6"s + "1 or 2" + "\xa1n\x95\x01\xff\xcb\x40\x04\0\0\0\0\0\0\xc0\xc4\x01\0"s;
  const std::string cbor =
      "\xa2\x62id\x66"s + "1 or 2" + "\x61n\x85\x01\x20\xfb\x40\x04\0\0\0\0\0\0\xf6\x41\0"s;
  for (const char* type : {"application/msgpack", "application/x-msgpack", "application/octet-stream", ""})
    EXPECT_TRUE(of(type, msgpack).starts_with(with("msgpack"))) << type << of(type, msgpack);
  for (const char* type : {"application/cbor", "application/x+cbor", "application/octet-stream"})
    EXPECT_TRUE(of(type, cbor).starts_with(with("cbor"))) << type << of(type, cbor);
  // A string in pieces, in a map without a length, behind a tag.
  EXPECT_TRUE(of("application/cbor",
                 "\xd9\xd9\xf7\xbf\x62id\x7f\x63"
                 "1 o\x63r 2\xff\xff"s)
                  .starts_with(with("cbor")));
  EXPECT_NE(of("application/msgpack", "\xdc\0\x02\xd9\x03one\x81\xa1k\x91\xa3two"s).find("body [1].k[0]=two"),
            std::string::npos);
  // {1: "1 or 2", 2: {3: "x"}, 4: 150, 5: 0.0f}
  const std::string proto =
      "\x0a\x06"
      "1 or 2\x12\x05\x1a\x03"
      "abc\x20\x96\x01\x2d\0\0\0\0"s;
  const std::string fields = "body [1]=1 or 2 {X}\nbody [2][3]=abc {X}\n";
  const auto proto_fields = [&](const std::string& name) {
    std::string out = fields;
    for (std::size_t at = out.find('X'); at != std::string::npos; at = out.find('X'))
      out.replace(at, 1, name);
    return out;
  };
  for (const char* type :
       {"application/x-protobuf", "application/vnd.google.protobuf", "application/octet-stream", ""})
    EXPECT_TRUE(of(type, proto).starts_with(proto_fields("protobuf"))) << type << of(type, proto);
  const auto frame = [](const std::string& message) {
    return std::string("\0\0\0\0", 4) + static_cast<char>(message.size()) + message;
  };
  EXPECT_TRUE(of("application/grpc", frame(proto)).starts_with(proto_fields("grpc")));
  EXPECT_TRUE(
      of("application/grpc-web+proto", frame(proto) + frame(proto)).starts_with(proto_fields("grpc")));
  EXPECT_TRUE(of("application/grpc-web-text", "AAAAAAgKBjEgb3IgMg==AAAAAAA=")
                  .starts_with("body [1]=1 or 2 {grpc}\n"));
  // Neither broken ones nor others lose what was there before the error, or end in endless depth.
  EXPECT_TRUE(of("application/msgpack",
                 "\x82\xa2id\xa6"
                 "1 or 2\xa1")
                  .starts_with(with("msgpack")));
  EXPECT_EQ(of("application/msgpack", std::string(5000, '\x91')).find("body ["), std::string::npos);
  of("application/x-protobuf", std::string(5000, '\x0a'));
  // A message of one string is no text: its tag is no line end.
  EXPECT_EQ(of("application/x-protobuf",
               "\x0a\x0f\x0a\x0d"
               "/usr/bin/node")
                .find("body [1]="),
            std::string::npos);
  // Text that would be a message is text too.
  const std::string both = "\n'" + std::string(39, 'v');
  EXPECT_TRUE(of("application/x-protobuf", "\x0a" + std::string(1, static_cast<char>(both.size())) + both)
                  .starts_with("body [1][1]=" + std::string(39, 'v') + " {protobuf}\nbody [1]=\\u000a'vvv"));
}

// The name of an attribute is the parent of its value (OTLP 1.0), in JSON and in Protocol Buffers.
TEST_F(Body, AttributesOfTelemetry) {
  const auto parent_of = [&](std::string_view value) {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (!fields_[i].in_name && fields_[i].raw == value) return std::string(fields_[i].parent);
    return std::string("no such field");
  };
  body("application/json",
       R"({"attributes":[{"key":"process.args","value":{"arrayValue":{"values":[)"
       R"({"stringValue":"-c"}]}}},{"key":"b","value":{"stringValue":"x y","text":"t"}}],)"
       R"("c":{"stringValue":"z"}})");
  EXPECT_EQ(parent_of("-c"), "process.args");
  EXPECT_EQ(parent_of("x y"), "b");
  EXPECT_EQ(parent_of("t"), "value");
  EXPECT_EQ(parent_of("z"), "");
  // {1: {1: "a.b", 2: {1: "x y"}}, 2: {1: "z z"}}
  body("application/x-protobuf",
       "\x0a\x0c\x0a\x03"
       "a.b\x12\x05\x0a\x03"
       "x y\x12\x05\x0a\x03"
       "z z");
  EXPECT_EQ(parent_of("x y"), "a.b");
  EXPECT_EQ(parent_of("z z"), "");
}

std::string packed(const std::string& text, int bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
std::string gzip(const std::string& text) { return packed(text, 31); }
std::string bzip2(const std::string& text) {
  std::string out(text.size() + 1000, '\0');
  auto size = static_cast<unsigned>(out.size());
  BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()),
                           static_cast<unsigned>(text.size()), 9, 0, 0);
  out.resize(size);
  return out;
}

// Prometheus writes to another so (remote write 1.0): a message of protocol buffers. Whoever does not know
// the coding reads what stands there, so text stays text.
TEST_F(Body, Snappy) {
  const auto coded = [&](const std::string& body) {
    return of("application/x-protobuf", body, "Content-Encoding: snappy\r\n");
  };
  const std::string message("\x0a\x10\x12\x0e\x31\x27 or 1=1 -- x", 18);
  const std::string stream = std::string("\x12\x44", 2) + message;
  EXPECT_NE(coded(stream).find("1' or 1=1 -- x {snappy"), std::string::npos);
  EXPECT_FALSE(fields_.uninspected);
  EXPECT_EQ(of(kFormType, "a=b", "Content-Encoding: snappy\r\n"), "body_name a=a\nbody a=b\n");
  EXPECT_FALSE(fields_.uninspected);
  coded(std::string("\xff\x06\0\0sNaPpY\x01\x07\0\0\xff\xfe\x80", 17));
  EXPECT_TRUE(fields_.uninspected) << "the framed format";
}

// An entry of a ZIP archive (APPNOTE.TXT 4.3.7); sizes may stand behind the data, so nobody reads them.
std::string zip_entry(const std::string& name, const std::string& text, bool deflated) {
  std::string head("PK\3\4\x14\0\x08\0", 8);
  head += std::string(deflated ? "\x08\0" : "\0\0", 2) + std::string(16, '\0');
  head += {static_cast<char>(name.size()), '\0', '\0', '\0'};
  return head + name + (deflated ? packed(text, -15) : text);
}

// Office documents: who opens one has its entries parsed, with the entities that they declare.
TEST_F(Body, DocumentsInArchives) {
  const std::string attack = "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///c'>]><a>&b;</a>";
  const auto zipped = [&](const std::string& entries) { return of("application/zip", entries); };
  for (const bool deflated : {false, true}) {
    const auto zip = [&](const std::string& text) {
      return zipped(zip_entry("[Content_Types].xml", "<Types/>", deflated) +
                    zip_entry("word/document.xml", text, deflated));
    };
    const std::string prolog = "<?xml version='1.0'?>\n<!-- " + std::string(600, 'x') + " -->\n";
    for (const std::string& text : {attack, prolog + attack, "\xef\xbb\xbf" + attack})
      EXPECT_NE(zip(text).find("ENTITY b SYSTEM"), std::string::npos) << deflated << text;
    EXPECT_EQ(zip("<a>&b;</a>" + attack).find("{zip"), std::string::npos) << deflated;
    EXPECT_EQ(zip("no XML " + attack).find("{zip"), std::string::npos) << deflated;
  }
  std::string wide("\xff\xfe", 2);
  for (const char c : attack) wide += {c, '\0'};
  EXPECT_NE(zipped(zip_entry("a", wide, true)).find("ENTITY b SYSTEM"), std::string::npos);
  EXPECT_EQ(zipped(zip_entry("a", attack, true).substr(0, 20)).find("{zip"), std::string::npos) << "cut off";
}

TEST_F(Body, ContentCodings) {
  const auto coded = [&](const std::string& coding, const std::string& text) {
    return of(kFormType, text, "Content-Encoding: " + coding + "\r\n");
  };
  EXPECT_EQ(coded("bzip2", bzip2("a=b")), "body_name a=a {bzip2}\nbody a=b {bzip2}\n");
  EXPECT_EQ(coded("deflate", packed("a=b", -15)), "body_name a=a {deflate}\nbody a=b {deflate}\n");
  EXPECT_EQ(coded("gzip, gzip, gzip", gzip(gzip(gzip("a=b")))),
            "body_name a=a {gzip|gzip|gzip}\nbody a=b {gzip|gzip|gzip}\n");
  EXPECT_EQ(coded("deflate, gzip", gzip(packed("a=b", 15))),
            "body_name a=a {gzip|deflate}\nbody a=b {gzip|deflate}\n");
  EXPECT_EQ(of(kFormType, gzip(packed("a=b", 15)), "Content-Encoding: deflate\r\nContent-Encoding: gzip\r\n"),
            "body_name a=a {gzip|deflate}\nbody a=b {gzip|deflate}\n");
  EXPECT_FALSE(fields_.uninspected);
  // Text behind a long run of zeros is found, and a decompression bomb stops.
  const std::string far = gzip("a=" + std::string(66'000, '0') + "&b=c");
  EXPECT_LT(far.size(), 300u);
  EXPECT_NE(coded("gzip", far).find("body b=c {gzip}\n"), std::string::npos);
  EXPECT_FALSE(fields_.limit_reached);
  const std::string bomb = gzip("a=" + std::string(3u << 20, '0') + "&b=c");
  coded("gzip", bomb);
  EXPECT_TRUE(fields_.limit_reached);
  reader_ = BodyReader(4u << 20);  // of listeners that take so much
  EXPECT_NE(coded("gzip", bomb).find("body b=c {gzip}\n"), std::string::npos);
  EXPECT_FALSE(fields_.limit_reached);
  // Sums are no reason to look away.
  std::string sum = gzip("a=b");
  sum[sum.size() - 6] ^= 1;
  EXPECT_EQ(coded("gzip", sum), "body_name a=a {gzip}\nbody a=b {gzip}\n");
  EXPECT_EQ(coded("gzip", gzip("a=b") + "\x1f\x8b\x08junk, much of it"),
            "body_name a=a {gzip}\nbody a=b {gzip}\n");
  // Codings that nobody here undoes: said where it is not text.
  const std::string zstd = "\x28\xb5\x2f\xfd\x04\0\x19\0\0"s + "a=b\1\2\3\4";
  coded("zstd", zstd);
  EXPECT_TRUE(fields_.uninspected);
  for (const char* coding : {"identity", "aws-chunked", "utf-8", "zstd"}) {
    EXPECT_EQ(coded(coding, "a=b"), "body_name a=a\nbody a=b\n");
    EXPECT_FALSE(fields_.uninspected);
  }
  coded("gzip, gzip, gzip, gzip", gzip(gzip(gzip(gzip("a=b")))));
  EXPECT_TRUE(fields_.uninspected);
}

std::string in_charset(const std::string& text, const char* name) {
  std::string out;
  const Charset charset = charset_named(name);
  for (const char c : text) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string one;
      if (charset_decode(std::string(1, static_cast<char>(byte)), charset, one) && one == std::string(1, c)) {
        out.push_back(static_cast<char>(byte));
        break;
      }
    }
  }
  return out;
}

TEST_F(Body, CharacterSetsOfDocuments) {
  for (const char* page : {"IBM037", "cp500", "cp875", "cp424", "cp1026", "IBM1047"}) {
    const std::string xml = "<?xml version=\"1.0\" encoding=\"" + std::string(page) + "\"?><a>1 or 2</a>";
    EXPECT_EQ(of("text/xml", in_charset(xml, page)), "body a=1 or 2 {ebcdic|xml}\n") << page;
    EXPECT_EQ(of("", in_charset(xml, page)), "body a=1 or 2 {ebcdic|xml}\n") << page;
    EXPECT_EQ(of("text/xml; charset=" + std::string(page), in_charset("<a>1 or 2</a>", page)),
              "body a=1 or 2 {ebcdic|xml}\n")
        << page;
    EXPECT_EQ(of(kFormType + "; charset=" + page, in_charset("a=1 or 2", page)),
              "body_name a=a {ebcdic}\nbody a=1 or 2 {ebcdic}\n")
        << page;
  }
  EXPECT_NE(of("text/xml", "<?xml version='1.0' encoding='utf-7'?>+ADw-a+AD4-1 or 2+ADw-/a+AD4-")
                .find("body a=1 or 2 {utf7|xml}\n"),
            std::string::npos);
  // Those that hold ASCII, known to expat or not.
  for (const char* name : {"utf-8", "iso-8859-1", "windows-1251", "gb2312", "utf-16"})
    EXPECT_EQ(
        of("text/xml", "<?xml version='1.0' encoding='" + std::string(name) + "'?><a>\xc3\xa4 or 2</a>"),
        "body a=\xc3\xa4 or 2 {xml}\n")
        << name;
  EXPECT_EQ(of("text/xml", "<?xml version='1.0' encoding='windows-1252'?><a>\xe4 or 2</a>"),
            "body a=\xc3\xa4 or 2 {xml}\n");
  // A body that is not in the declared character set is read as it stands.
  for (const char* name : {"utf-16", "utf-16le", "utf-32", "ibm037"})
    EXPECT_NE(of(kFormType + "; charset=" + name, "x=\xff&a=1' or 2").find("body a=1' or 2\n"),
              std::string::npos)
        << name;
  EXPECT_NE(of(kFormType, "\xff\xfe&a=1' or 2").find("body a=1' or 2\n"), std::string::npos);
  EXPECT_FALSE(fields_.uninspected);
  for (const char* type :
       {"text/plain; charset=unicode_escape", "text/plain; charset=utf-8; charset=klingon"}) {
    of(type, "a b");
    EXPECT_TRUE(fields_.uninspected) << type;
  }
  of(kFormType, "_charset_=klingon&a=b");
  EXPECT_TRUE(fields_.uninspected);
}

TEST_F(Body, TextsOfXml) {
  struct Row {
    std::string xml;
    std::string expected;
  };
  const Row rows[] = {
      {"<a>SEL<!-- x -->ECT</a>", "body #comment=x {xml}\nbody a=SELECT {xml}\n"},
      {"<a>SEL<?x y?>ECT</a>", "body x=y {xml}\nbody a=SELECT {xml}\n"},
      {"<a>SEL<![CDATA[ECT]]></a>", "body a=SELECT {xml}\n"},
      {"<a>SEL<b/>ECT</a>", "body a=SEL {xml}\nbody a=ECT {xml}\nbody a=SELECT {xml}\n"},
      {"<a>x<b>y</b> <c/></a>", "body a=x {xml}\nbody b=y {xml}\n"},
      {"<!DOCTYPE a [<!ENTITY x \"un&#105;on\">]><a>&x; select</a>",
       "body a=union select {xml}\nbody =<!DOCTYPE a [<!ENTITY x \\\"un&#105;on\\\">]><a>&x; select</a> "
       "{xml}\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(of("text/xml", row.xml), row.expected) << row.xml;
  std::string deep = "id=\"x\"";
  for (int i = 0; i < 5000; ++i) deep = (i == 0 ? "<e " : "<e>") + deep + (i == 0 ? "/>" : "</e>");
  EXPECT_NE(of("text/xml", deep).find("body id=x {xml}\n"), std::string::npos);
  EXPECT_FALSE(fields_.limit_reached);
  std::string laughs = "<!DOCTYPE a [<!ENTITY a \"haha\">";
  for (char c = 'b'; c < 'm'; ++c)
    laughs += "<!ENTITY "s + c + " \"&" + static_cast<char>(c - 1) + ";&" + static_cast<char>(c - 1) + ";&" +
              static_cast<char>(c - 1) + ";&" + static_cast<char>(c - 1) + ";\">";
  of("text/xml", laughs + "]><a>&l;</a>");
  EXPECT_TRUE(fields_.limit_reached);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < fields_.size(); ++i) bytes += fields_[i].raw.size();
  EXPECT_LT(bytes, 4u << 20);
}

}  // namespace
}  // namespace wafd::detect
