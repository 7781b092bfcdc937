// One table for all transformations of text to text: readable input, what comes out, which anomalies were
// seen.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "detect/decode/base32.h"
#include "detect/decode/base64.h"
#include "detect/decode/charset/charset.h"
#include "detect/decode/charset/utf7.h"
#include "detect/decode/content/quoted_printable.h"
#include "detect/decode/css_escape.h"
#include "detect/decode/hex.h"
#include "detect/decode/html_entity.h"
#include "detect/decode/js_escape.h"
#include "detect/decode/json_string.h"
#include "detect/decode/nul.h"
#include "detect/decode/percent.h"
#include "detect/decode/plus.h"
#include "detect/decode/shell_quote.h"
#include "detect/decode/squeeze.h"
#include "detect/decode/unicode_fold.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;

constexpr const char* kSame = nullptr;  // nothing to decode

struct Row {
  std::string_view in;
  const char* out;         // kSame, or what comes out
  std::string_view flags;  // names, joined with a space
};

std::string dump(std::uint32_t flags) {
  static constexpr const char* kNames[] = {"invalid", "overlong", "utf8",    "percent_u", "nul",  "double",
                                           "plain",   "control",  "newline", "fullwidth", "mixed"};
  std::string text;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if ((flags & (1u << i)) != 0) text += (text.empty() ? "" : " ") + std::string(kNames[i]);
  }
  return text;
}

using Decode = bool (*)(std::string_view, std::string&, std::uint32_t&);
using Maybe = bool (*)(std::string_view) noexcept;

void check(Decode decode, Maybe maybe, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.in));
    std::string out = "left from before";
    std::uint32_t flags = 0;
    const bool changed = decode(row.in, out, flags);
    EXPECT_EQ(changed, row.out != kSame);
    if (changed && row.out != kSame) {
      EXPECT_EQ(out, row.out);
      EXPECT_EQ(dump(flags), row.flags);
      EXPECT_TRUE(maybe(row.in)) << "the pretest lost it";
    }
  }
}

TEST(Transformations, Percent) {
  check(percent_decode, maybe_percent,
        {
            {"plain", kSame, ""},
            {"%20%27", " '", ""},
            {"a%2", kSame, ""},
            {"%zz%20", "%zz ", "invalid"},
            {"100%", kSame, ""},
            {"%61bc", "abc", "plain"},
            {"%2527", "%27", "double"},
            {"%25u0027", "%u0027", "double"},
            {"%0d%0a", "\r\n", "newline"},
            {"%07", "\a", "control"},
            {"%c3%a9", "\xc3\xa9", ""},
            {"%ff", "\xff", "utf8"},
            {"%c0%af", "/", "overlong"},
            {"%c0%2e", ".", "overlong"},
            {"%C1%9C", "\\", "overlong"},
            {"%e0%80%bc", "<", "overlong"},
            {"%f0%80%80%bc", "<", "overlong"},
            {"%f8%80%80%80%bc", "<", "overlong"},
            {"%fc%80%80%80%80%bc", "<", "overlong"},
            {"%u003c", "<", "percent_u"},
            {"%uD83D%uDE00", "\xf0\x9f\x98\x80", "percent_u"},
            {"%u00", kSame, ""},
        });
  std::string out;
  std::uint32_t flags = 0;
  ASSERT_TRUE(percent_decode("a%00b", out, flags));
  EXPECT_EQ(out, "a\0b"sv);
  EXPECT_EQ(dump(flags), "nul");
}

TEST(Transformations, Plus) { check(plus_decode, maybe_plus, {{"a+b", "a b", ""}, {"a b", kSame, ""}}); }

TEST(Transformations, Filling) {
  const std::string blanks(300, ' ');
  const std::string letters(300, 'A');
  std::string pairs;
  while (pairs.size() < 300) pairs += "+ ";
  const auto squeezed = [](const std::string& text) {
    std::string out;
    std::uint32_t flags = 0;
    const bool changed = squeeze_decode(text, out, flags);
    EXPECT_TRUE(!changed || maybe_filled(text)) << text;
    return changed ? out : std::string("same");
  };
  EXPECT_EQ(squeezed("1" + blanks + "union" + blanks + "\nselect 2"), "1 union\nselect 2");
  EXPECT_EQ(squeezed("1/*" + letters + "*/or 2"), "1/**/or 2");
  EXPECT_EQ(squeezed("1--b" + letters + "\nor 2"), "1--b" + letters.substr(0, 16) + "\nor 2");
  std::string words;
  while (words.size() < 300) words += std::to_string(words.size()) + ' ';
  EXPECT_EQ(squeezed("1/* " + words + "*/or 2"), "1/**/or 2");
  EXPECT_EQ(squeezed("1/* a\n" + words + "*/or 2"), "same");  // a licence in code
  while (words.size() <= kLongTextBytes) words += std::to_string(words.size()) + ' ';
  EXPECT_EQ(squeezed("1--" + words + "\nor 2#" + words + "\nx/* a\n" + words + "*/y"), "1/**/or 2/**/x/**/y");
  std::string turns;
  while (turns.size() < 600) turns += std::string(100, ' ') + "/*a*/";
  EXPECT_EQ(squeezed("1" + turns + "or 2"), "1/**/or 2");
  EXPECT_EQ(squeezed("1 or " + pairs + "2"), "1 or + + + + + + + + 2");
  EXPECT_EQ(squeezed(letters), letters.substr(0, 16));
  EXPECT_EQ(squeezed("1/*!" + letters.substr(0, 250) + "*/"), "same");
  EXPECT_EQ(squeezed("a b c /* d */ -- e\n" + letters.substr(0, 200) + "f"), "same");
  // Where a run begins, and what else is one, decides nothing.
  EXPECT_EQ(squeezed("ab" + std::string(200, 'b') + pairs + "c"),
            "ab" + std::string(200, 'b') + pairs.substr(0, 16) + "c");
}

TEST(Transformations, Nul) {
  check(nul_decode, maybe_nul, {{"se\0lect\0"sv, "select", "nul"}, {"select", kSame, ""}});
}

TEST(Transformations, HtmlEntity) {
  check(html_entity_decode, maybe_html_entity,
        {
            {"a & b", kSame, ""},
            {"a=1&b=2", kSame, ""},
            {"&lt;b&gt;", "<b>", ""},
            {"&ltb&gt", "<b>", ""},
            {"&#106;avascript", "javascript", "plain"},
            {"&#0000106avascript", "javascript", "plain"},
            {"&#x6A;&#X6a", "jj", "plain"},
            {"&#x0000006a;", "j", "plain"},
            {"&Tab;&NewLine;&colon;&sol;&lpar;&rpar;", "\t\n:/()", "newline"},
            {"&colon", kSame, ""},
            {"&amp;#39;", "&#39;", "double"},
            {"&#150;", "\xe2\x80\x93", ""},
            {"&#;", kSame, ""},
            {"&#xZZ;", kSame, ""},
            {"&#99999999999;", "\xef\xbf\xbd", ""},
            {"&eacute;t&eacute", "\xc3\xa9t\xc3\xa9", ""},
            {"&unknown;", kSame, ""},
        });
}

TEST(Transformations, JsEscape) {
  check(js_escape_decode, maybe_js_escape,
        {
            {"plain", kSame, ""},
            {R"(\x61lert)", "alert", "plain"},
            {R"(\u0061lert)", "alert", "plain"},
            {R"(\u{61}\u{0000061})", "aa", "plain"},
            {R"(\141\154)", "al", "plain"},
            {R"(\x61\u0062)", "ab", "plain mixed"},
            {R"(\uD83D\uDE00)", "\xf0\x9f\x98\x80", ""},
            {"al\\\nert", "alert", ""},
            {R"(\'\")", "'\"", ""},
            {R"(\xZZ)", "xZZ", "invalid"},
            {R"(\47)", "'", ""},
            {"end\\", kSame, ""},
        });
}

TEST(Transformations, CssEscape) {
  check(css_escape_decode, maybe_css_escape,
        {
            {"color: red", kSame, ""},
            {R"(\65 xpression)", "expression", "plain"},
            {R"(\000065xpression)", "expression", "plain"},
            {R"(e\xpression)", "expression", ""},
            {"ex/**/pression", "expression", ""},
            {"a/* open", kSame, ""},
        });
}

TEST(Transformations, JsonString) {
  check(json_string_decode, maybe_json_string,
        {
            {"plain", kSame, ""},
            {R"({\"a\":\"b\"})", R"({"a":"b"})", ""},
            {R"(\u0027 or 1)", "' or 1", ""},
            {R"(\u003cscript\u003e\/)", "<script>/", ""},
            {R"(C:\dir)", kSame, ""},
            {R"(\\n)", R"(\n)", ""},
        });
}

TEST(Transformations, Base64) {
  check(base64_decode, maybe_base64,
        {
            {"MSBhbmQgMT0y", "1 and 1=2", ""},
            {"PHNjcmlwdD4=", "<script>", ""},
            {"PHNjcmlwdD4", "<script>", ""},
            {"data:text/html;base64,PHNjcmlwdD4=", "<script>", ""},
            {"PHNj\tcmlw\r\ndD4=", "<script>", ""},
            {"eyJhIjoxfQ==", R"({"a":1})", ""},
            {"PHNj\r\ncmlwdD4=", "<script>", ""},
            {"Pz8-Pz8_", "?\?>?\??", ""},
            {"Pz8 Pz8/", "?\?>?\??", ""},  // the plus sign became a space on the way
            {"categories", kSame, ""},
            {"hello world", kSame, ""},
            {"d41d8cd98f00b204e9800998ecf8427e", kSame, ""},
            {"PHNjcmlwdD4=x", kSame, ""},
            {"short", kSame, ""},
        });
  check(base64_run_decode, maybe_base64_run,
        {
            {"{'id': 'MScgb3IgMT0xIC0tIA=='}", "{'id': '1' or 1=1 -- '}", ""},
            {"src=data:text/javascript;base64,YWxlcnQoZG9jdW1lbnQp>",
             "src=data:text/javascript;base64,alert(document)>", ""},
            {"/api/v1/categories/list/items", kSame, ""},
            {"internationalisation of everything", kSame, ""},
        });
}

TEST(Transformations, Hex) {
  check(hex_decode, maybe_hex,
        {
            {"0x73656c656374", "select", ""},
            {"concat(0x7e,0x61646d696e)", "concat(0x7e,admin)", ""},
            {"x'2f6574632f706173737764'", "/etc/passwd", ""},
            {"2720756e696f6e2073656c656374", "' union select", ""},
            {"d41d8cd98f00b204e9800998ecf8427e", kSame, ""},
            {"0xdeadbeef", kSame, ""},
            {"0x730065006c00", "sel", ""},
            {"1920x1080", kSame, ""},
        });
}

TEST(Transformations, Base32) {
  check(base32_decode, maybe_base32,
        {
            {"F4XGK5DDF5YGC43TO5SA====", "/.etc/passwd", ""},
            {"F4XGK5DDF5YGC43TO5SA", "/.etc/passwd", ""},
            {"F4XGK5DDF5YGC43TO5SA=", kSame, ""},
            {"F4XGK5DDF5YGC43TO5S", kSame, ""},
            {"f4xgk5ddf5ygc43to5sa====", kSame, ""},
            {"AAAAAAAAAAAAAAAA", kSame, ""},
            {"MFRGG", kSame, ""},
        });
}

TEST(Transformations, QuotedPrintable) {
  check(quoted_printable_decode, maybe_quoted_printable,
        {
            {"=3Cscript=3e", "<script>", ""},
            {"a=\r\nb= \t\nc", "abc", ""},
            {"a=b", kSame, ""},
            {"a= =\r\n", "a= ", ""},
            {"=0A=", "\n=", "newline"},
            {"=61", "a", "plain"},
        });
}

TEST(Transformations, WideText) {
  check(wide_text_decode, maybe_wide_text,
        {
            {"a\0b\0c\0"sv, "abc", "nul"},
            {"\0a\0b\0c"sv, "abc", "nul"},
            {"a\0\0\0b\0\0\0"sv, "ab", "nul"},
            {"\0\0\0a\0\0\0b"sv, "ab", "nul"},
            {"\xff\xfe\x3d\xd8\x00\xde"sv, "\xf0\x9f\x98\x80", "nul"},
            {"\xfe\xff\xdc\x00"sv, "\xef\xbf\xbd", "nul"},
            {"a\0b\0"sv, kSame, ""},
            {"ab\0"sv, kSame, ""},
            {"abc\0\0\0\0\0"sv, kSame, ""},
            {"\xff\xfe", kSame, ""},
        });
}

TEST(Transformations, CharsetNames) {
  struct NameRow {
    const char* name;
    CharsetKind kind;
    ByteOrder order;
    unsigned page;
  };
  constexpr auto kAny = ByteOrder::kUnknown;
  const NameRow rows[] = {
      {"utf-8", CharsetKind::kAsIs, kAny, 0},
      {"ISO-8859-1", CharsetKind::kAsIs, kAny, 0},
      {"windows-1252", CharsetKind::kAsIs, kAny, 0},
      {"cp1252", CharsetKind::kAsIs, kAny, 0},
      {"ibm850", CharsetKind::kAsIs, kAny, 0},
      {"shift_jis", CharsetKind::kAsIs, kAny, 0},
      {"UTF-16", CharsetKind::kUtf16, kAny, 0},
      {"utf-16be", CharsetKind::kUtf16, ByteOrder::kBig, 0},
      {"x-UTF-16LE-BOM", CharsetKind::kUtf16, ByteOrder::kLittle, 0},
      {"utf_16_le", CharsetKind::kUtf16, ByteOrder::kLittle, 0},
      {"UCS-2", CharsetKind::kUtf16, kAny, 0},
      {"utf32le", CharsetKind::kUtf32, ByteOrder::kLittle, 0},
      {"ibm037", CharsetKind::kEbcdic, kAny, 37},
      {"cp37", CharsetKind::kEbcdic, kAny, 37},
      {"IBM01140", CharsetKind::kEbcdic, kAny, 37},
      {"ebcdic-cp-us", CharsetKind::kEbcdic, kAny, 37},
      {"x-IBM1047", CharsetKind::kEbcdic, kAny, 1047},
      {"cp-500", CharsetKind::kEbcdic, kAny, 500},
      {"csIBM273", CharsetKind::kEbcdic, kAny, 273},
      {"cp875", CharsetKind::kEbcdic, kAny, 875},
      {"IBM424", CharsetKind::kEbcdic, kAny, 424},
      {"037", CharsetKind::kEbcdic, kAny, 37},
      {"iso-2022-jp", CharsetKind::kIso2022, kAny, 0},
      {"UTF-7", CharsetKind::kUtf7, kAny, 0},
      {"iso_8859-1:1987", CharsetKind::kAsIs, kAny, 0},
      {"x-windows-949", CharsetKind::kAsIs, kAny, 0},
      {"", CharsetKind::kAsIs, kAny, 0},
      {"unicode_escape", CharsetKind::kUnknown, kAny, 0},
      {"utf-9", CharsetKind::kUnknown, kAny, 0},
  };
  for (const NameRow& row : rows) {
    const Charset charset = charset_named(row.name);
    EXPECT_EQ(charset.kind, row.kind) << row.name;
    EXPECT_EQ(charset.order, row.order) << row.name;
    EXPECT_EQ(charset.page, row.page) << row.name;
  }
}

// Every code page holds all of printable ASCII, each character once.
TEST(Transformations, EbcdicPagesAreWhole) {
  std::string all;
  for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
  for (const char* name : {"37", "273", "277", "278", "280", "284", "285", "297", "424", "500", "870", "871",
                           "875", "1025", "1026", "1047"}) {
    const Charset charset = charset_named("ibm" + std::string(name));
    ASSERT_EQ(charset.kind, CharsetKind::kEbcdic) << name;
    std::string out;
    ASSERT_TRUE(charset_decode(all, charset, out));
    for (char c = ' '; c < '\x7f'; ++c)
      EXPECT_EQ(std::count(out.begin(), out.end(), c), 1) << name << ' ' << c;
  }
}

TEST(Transformations, EncodingsOfXmlDeclarations) {
  EXPECT_EQ(xml_encoding("<?xml version='1.0' encoding = \"UTF-7\" ?><a/>"), "UTF-7");
  EXPECT_EQ(xml_encoding("<?xml encoding='cp037'"), "cp037");
  EXPECT_EQ(xml_encoding("<?xml version='1.0'?><a encoding='b'/>"), "");
  EXPECT_EQ(xml_encoding("<a encoding='b'/>"), "");
  EXPECT_EQ(xml_encoding("<?xml encoding="), "");
  // <?xml encoding="cp500"?> in each page's own signs.
  for (const char* name : {"cp037", "cp500", "cp875", "cp424", "cp1047", "cp1026"}) {
    const Charset charset = charset_named(name);
    std::string all;
    std::string table;
    for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
    charset_decode(all, charset, table);
    std::string bytes;
    std::string single;
    for (const char c : "<?xml version=\"1.0\" encoding=\"" + std::string(name) + "\"?>") {
      for (const char& byte : all) {
        if (charset_decode({&byte, 1}, charset, single) && single == std::string(1, c)) {
          bytes.push_back(byte);
          break;
        }
      }
    }
    EXPECT_EQ(sniff_charset(bytes), charset) << name;
  }
}

TEST(Transformations, Iso2022ShiftsAreTakenOut) {
  const Charset charset = charset_named("iso-2022-jp");
  std::string out;
  EXPECT_TRUE(charset_decode("<scr\x1b(Bip\x0ft>\x1b$", charset, out));
  EXPECT_EQ(out, "<script>\x1b$");
  EXPECT_FALSE(charset_decode("plain \x1b", charset, out));
}

TEST(Transformations, Utf7) {
  check(utf7_decode, maybe_utf7,
        {
            {"+ADw-script+AD4-", "<script>", "plain"},
            {"+ADwAcwBjAHIAaQBwAHQAPg-", "<script>", "plain"},
            {"1+1=2", kSame, ""},
            {"a+bcd+efg", kSame, ""},
            {"+-", kSame, ""},
        });
}

TEST(Transformations, ShellQuote) {
  check(shell_quote_decode, maybe_shell_quote,
        {
            {"cat /etc/passwd", kSame, ""},
            {R"(c"a"t /e't'c/passwd)", "cat /etc/passwd", ""},
            {R"(c\at /et\c/passwd)", "cat /etc/passwd", ""},
            {"w''hoami", "whoami", ""},
            {"who$@ami", "whoami", ""},
            {"who$()ami", "whoami", ""},
            {"who``ami", "whoami", ""},
            {"wh${x}oami", "whoami", ""},
            {"cat$IFS/etc/passwd", "cat /etc/passwd", ""},
            {"cat${IFS}/etc/passwd", "cat /etc/passwd", ""},
            {"cat$IFS$9/etc/passwd", "cat /etc/passwd", ""},
            {"{cat,/etc/passwd}", "cat /etc/passwd", ""},
            {"a;{cat,/etc/passwd};b", "a;cat /etc/passwd;b", ""},
            {"cat ${PATH:0:1}etc${HOME:0:1}passwd", "cat /etc/passwd", ""},
            {"${x:-cat} f", "cat f", ""},
            {"w^h^o^a^m^i", "whoami", ""},
            {R"({"a":1,"b":2})", kSame, ""},  // quotes around whole words
            {"price is 5 $", kSame, ""},
        });
}

TEST(Transformations, UnicodeFold) {
  check(unicode_fold_decode, maybe_unicode_fold,
        {
            {"plain", kSame, ""},
            {"\xef\xbc\x9cscript\xef\xbc\x9e", "<script>", "fullwidth"},
            {"\xef\xbc\x87 or", "' or", "fullwidth"},
            {"O\xe2\x80\x99"
             "Brien",
             "O'Brien", ""},
            {"a\xc2\xa0"
             "b",
             "a b", ""},
            {"se\xe2\x80\x8blect", "select", ""},
            {"\xf0\x9d\x90\x9a\xf0\x9d\x91\x8f", "ab", "fullwidth"},
            {"\xe2\x93\xa2\xe2\x93\x94", "se", "fullwidth"},
            {"\xe1\xb5\x89val", "eval", ""},  // modifier letters, as identifiers of Python are read
            {"\xe2\x85\x87val", "eval", ""},
            {"caf\xc3\xa9", kSame, ""},
            {"..\xc0\xaf..\xe0\x80\xaf\xf0\x80\x80\xa7", "../../'", "overlong"},
            {"\xc0\x2f\xe0\xa4\xb9", kSame, ""},
            {"\xe4\xb8\xad\xe6\x96\x87", kSame, ""},
        });
}

// Promises of every transformation, whatever the bytes.
TEST(Transformations, LongInputStaysBoundedAndLinear) {
  struct Case {
    Decode decode;
    std::size_t growth;
  };
  const std::vector<Case> cases = {
      {percent_decode, 1},      {plus_decode, 1},       {nul_decode, 1},         {html_entity_decode, 1},
      {js_escape_decode, 1},    {css_escape_decode, 1}, {json_string_decode, 1}, {base64_decode, 1},
      {base64_run_decode, 1},   {hex_decode, 1},        {utf7_decode, 2},        {shell_quote_decode, 1},
      {unicode_fold_decode, 1}, {base32_decode, 1},     {wide_text_decode, 2},   {quoted_printable_decode, 1},
      {squeeze_decode, 1},
  };
  const std::vector<std::string_view> units = {"%",  "%c0", "%u", "&",  "&#",       "&#x", "\\",  "\\u{",
                                               "/*", "*/",  "+",  "+A", "A",        "0x",  "0x4", "x'",
                                               "${", "{,",  "$",  "'",  "\xef\xbc", "/*!", "&lt"};
  for (const std::string_view unit : units) {
    std::string text;
    while (text.size() < 200'000) text += unit;
    for (const Case& c : cases) {
      std::string out;
      std::uint32_t flags = 0;
      EXPECT_TRUE(!c.decode(text, out, flags) || out.size() <= c.growth * text.size()) << unit;
    }
  }
}

}  // namespace
}  // namespace wafd::detect
