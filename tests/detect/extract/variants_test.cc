// Variants of a field: the texts that it may mean, each with its decode path.
#include "detect/extract/variants.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"
#include "detect/core/record_json.h"
#include "detect/decode/base/text_check.h"

namespace wafd::detect {
namespace {

class Variants : public testing::Test {
 protected:
  // "{path} text" of every variant, containers' members included; containers themselves end in "(container)",
  // texts that are only decoded further in "(not judged)".
  std::multiset<std::string> expand(std::string_view raw, Coding coding) {
    text_ = raw;
    fields_.clear();
    variants_.clear();
    Field field;
    field.name = "p";
    field.coding = coding;
    field.raw = text_;
    fields_.add(field);
    budget_.begin_request();
    budget_.allow(raw.size());
    for (std::uint32_t i = 0; i < fields_.size(); ++i) {
      const std::size_t first = variants_.size();
      maker_.roots(fields_, i, reader_, budget_, variants_);
      budget_.begin_field(fields_[i].raw.size());
      maker_.deepen(fields_, first, variants_.size() - first, reader_, budget_, variants_);
    }
    std::multiset<std::string> out;
    for (const Variant& variant : variants_) {
      std::string line = "{" + std::string(variant.decode_path) + "} ";
      append_json_text(variant.text, line);
      out.insert(line + (variant.container ? " (container)" : variant.judged ? "" : " (not judged)"));
    }
    return out;
  }
  bool has(std::string_view raw, Coding coding, const std::string& line) {
    const auto all = expand(raw, coding);
    return all.count(line) != 0;
  }

  std::string text_;
  FieldList fields_;
  BodyReader reader_;
  VariantMaker maker_;
  CostBudget budget_;
  std::vector<Variant> variants_;
};

using Lines = std::multiset<std::string>;

TEST_F(Variants, ThePlacesOwnDecoding) {
  EXPECT_EQ(expand("plain", Coding::kForm), (Lines{"{} plain"}));
  EXPECT_EQ(expand("a%20b", Coding::kForm), (Lines{"{percent} a b"}));
  EXPECT_EQ(expand("a+b", Coding::kForm), (Lines{"{plus} a b", "{} a+b (not judged)"}));
  EXPECT_EQ(expand("a+b%21", Coding::kForm), (Lines{"{plus|percent} a b!", "{percent} a+b! (not judged)"}));
  EXPECT_EQ(expand("a+%28", Coding::kForm), (Lines{"{plus|percent} a (", "{percent} a+("}));
  EXPECT_EQ(expand("a+b%21", Coding::kPercent), (Lines{"{percent} a+b!"}));
  EXPECT_EQ(expand("a+b", Coding::kNone), (Lines{"{} a+b"}));
}

// As of a form itself: its plus signs are spaces, and plus signs only around those beside a quote or a sign.
TEST_F(Variants, OfALongFormInAValue) {
  std::string form = "q=";
  for (int i = 0; i < 60; ++i) form += "long+words+";
  const std::string plain(form);
  const std::string coded = form + "%41";
  const auto all = expand(coded, Coding::kNone);
  std::string spaced = plain;
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  EXPECT_EQ(all.count("{form} " + spaced + "A"), 1u);
  EXPECT_EQ(all.count("{percent} " + plain + "A (not judged)"), 1u);
  EXPECT_EQ(all.count("{percent} " + plain + "A"), 0u);
  // A sum at its end, with what stands before it.
  const auto with_sum = expand(form + "%27'+'%27", Coding::kNone);
  EXPECT_EQ(with_sum.count("{percent} " + plain + "''+'' (not judged)"), 1u);
  EXPECT_EQ(std::count_if(with_sum.begin(), with_sum.end(),
                          [&](const std::string& line) {
                            return line.starts_with("{percent} ") && line.ends_with("+''") &&
                                   line.size() < plain.size();
                          }),
            1);
  // Texts that need their plus signs keep them.
  const auto packed = expand(form + "id:%59TxzY3JpcHQ+YWxlcnQoMT4+PjApPC9zY3JpcHQ+", Coding::kNone);
  EXPECT_TRUE(std::any_of(packed.begin(), packed.end(), [](const std::string& line) {
    return line.starts_with("{percent|base64_run} ") && line.ends_with("<script>alert(1>>>0)</script>");
  }));
}

TEST_F(Variants, PlusSignsThatStayed) {
  const auto kept = [&](std::string_view raw, std::string_view path) {
    expand(raw, Coding::kForm);
    for (const Variant& variant : variants_) {
      if (variant.decode_path == path) return variant.kept_plus ? 1 : 0;
    }
    return -1;
  };
  EXPECT_EQ(kept("a+%28", "plus|percent"), 0);
  EXPECT_EQ(kept("a+%28", "percent"), 1);
  EXPECT_EQ(kept("a+%2527", "plus|percent|percent"), 0);
  EXPECT_EQ(kept("a+(%2527", "percent|percent"), 1);
  // Of base64 they are digits: what it says is nobody's alone.
  EXPECT_EQ(kept("PHNjcmlwdD5hbGVydCgxPj4+MCk8L3NjcmlwdD4+", "base64"), 0);
}

TEST_F(Variants, Wrappings) {
  EXPECT_TRUE(has("%2527x", Coding::kForm, "{percent|percent} 'x"));
  EXPECT_TRUE(has("%26lt%3Bb%26gt%3B", Coding::kForm, "{percent|html} <b>"));
  EXPECT_TRUE(has("JyBvciAxPTEgLS0g", Coding::kForm, "{base64} ' or 1=1 -- "));
  EXPECT_TRUE(has("%4a%79%42%76%63%69%41%78%50%54%45%67%4c%53%30%67", Coding::kForm,
                  "{percent|base64} ' or 1=1 -- "));
  EXPECT_TRUE(has("\\u003cb\\x3e", Coding::kNone, "{js} <b>"));
  EXPECT_TRUE(has(R"({"a":"%27"})", Coding::kNone, "{json|percent} '"));
  EXPECT_TRUE(has(R"({"a":"JyBvciAxPTEgLS0g"})", Coding::kNone, "{json|base64} ' or 1=1 -- "));
  EXPECT_TRUE(has("eyJpZCI6IjEgYW5kIDE9MSJ9", Coding::kForm, "{base64|json} 1 and 1=1"));
  EXPECT_TRUE(has(R"(a:1:{i:0;s:5:"hello";})", Coding::kNone, "{php} hello"));
  EXPECT_TRUE(has("%3c?xml version='1.0'?>%3ca>b<!-- -->c</a>", Coding::kForm, "{percent|xml} bc"));
}

TEST_F(Variants, EncodedOnceMore) {
  EXPECT_TRUE(has("1%2527%2Bor", Coding::kForm, "{percent|form} 1' or"));
  EXPECT_TRUE(has("S%25E%L%27", Coding::kForm, "{percent|percent_stray} SEL'"));
  EXPECT_TRUE(has("%S%E%L%E%C%T", Coding::kPercent, "{percent_stray} SELECT"));
  EXPECT_FALSE(has("%S%E%L%E%C%T", Coding::kNone, "{percent_stray} SELECT"));
  EXPECT_TRUE(has("100% sure, 5% of it", Coding::kForm, "{} 100% sure, 5% of it"));
}

TEST_F(Variants, Tokens) {
  // {"alg":"none"} and {"sub":"1 or 1=1"}
  const std::string token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIG9yIDE9MSJ9.c2lnbg";
  const Lines all = expand(token, Coding::kNone);
  EXPECT_EQ(all.count("{} " + token + " (container)"), 1u);
  EXPECT_EQ(all.count("{jwt|base64|json} 1 or 1=1"), 1u);
  EXPECT_EQ(all.count("{jwt_header|base64|json} none"), 1u);
}

TEST_F(Variants, WhatUnpacksToNoTextIsBinary) {
  // base64 of a PNG's head, and of a PHP object with a private property.
  expand("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", Coding::kNone);
  ASSERT_EQ(variants_.size(), 2u);
  EXPECT_FALSE(variants_[0].binary);
  EXPECT_TRUE(variants_[1].binary);
  EXPECT_TRUE(has("TzoxOiJBIjoxOntzOjQ6IgBBAGIiO3M6NjoiMSBvciAyIjt9", Coding::kNone, "{base64|php} 1 or 2"));
}

// Three bytes of text are four of base64.
std::string base64_of(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i + 3 <= text.size(); i += 3) {
    const auto bits = static_cast<unsigned>(byte(text[i]) << 16 | byte(text[i + 1]) << 8 | byte(text[i + 2]));
    for (int shift = 18; shift >= 0; shift -= 6) out += kDigits[bits >> shift & 63];
  }
  return out;
}

// A header of tar with the file behind it, in whole blocks, the last of which are empty.
std::string tar_of(std::string_view content) {
  std::string header(512, '\0');
  header.replace(0, 5, "a.txt");
  header.replace(100, 7, "0000644");
  header.replace(148, 8, "        ");
  header.replace(257, 8, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += byte(c);
  for (int i = 5; i >= 0; --i, sum /= 8)
    header[148 + static_cast<std::size_t>(i)] = static_cast<char>('0' + sum % 8);
  header[154] = '\0';
  std::string file(content);
  file.resize((file.size() + 511) / 512 * 512);
  return header + file + std::string(1024, '\0');
}

// Letters and full stops without a run that anything would take for filling.
std::string letters(std::size_t bytes) {
  std::string out;
  for (unsigned state = 1; out.size() < bytes; state = state * 1103515245u + 12345u)
    out += out.size() % 12 == 11 ? '.' : static_cast<char>('g' + (state >> 16) % 16);
  return out;
}

TEST_F(Variants, WhatAnArchiveHoldsIsNoText) {
  // A header of tar and the file behind it, mostly text.
  std::string tar = letters(600);
  expand(base64_of(tar), Coding::kNone);
  ASSERT_EQ(variants_.size(), 2u);
  EXPECT_FALSE(variants_[1].binary);
  // Its mark alone makes no archive of a text.
  tar.replace(257, 8, std::string("ustar\00000", 8));
  expand(base64_of(tar), Coding::kNone);
  EXPECT_FALSE(variants_[1].binary);
  EXPECT_TRUE(is_tar(tar_of("some text")));
  EXPECT_FALSE(is_tar(tar_of("some text").substr(0, 1024)));
  std::string changed = tar_of("some text");
  changed[1] = 'x';
  EXPECT_FALSE(is_tar(changed)) << "the checksum";
  EXPECT_FALSE(is_tar(tar_of("some text") + "x")) << "whole blocks";
}

TEST_F(Variants, APlusBesideASignMayAddThings) {
  for (const std::string raw :
       {"'a'+'b'", "'a'+b", "a+'b'", "f(1)+2", "x+[]", "x+!![]", "1+(2)", "a\\\\+b", "a+$b"}) {
    std::string line = "{} ";
    append_json_text(raw, line);
    EXPECT_TRUE(has(raw, Coding::kForm, line)) << raw;
  }
  for (const std::string raw : {"hello+world", "hi!+there", "C++", "1+1,+2+2", "(a+b)", "it's+so"}) {
    std::string line = "{} ";
    append_json_text(raw, line);
    EXPECT_FALSE(has(raw, Coding::kForm, line)) << raw;
  }
  // Wrappings that have a plus of their own are undone all the same.
  EXPECT_TRUE(has("say+%2BADw-b%2BAD4-", Coding::kForm, "{plus|percent|utf7} say <b>"));
  EXPECT_TRUE(has("+ADw-b+AD4-", Coding::kForm, "{utf7} <b>"));
  EXPECT_TRUE(has("id:+PHNjcmlwdD5hbGVydCgxKQ+x", Coding::kForm, "{plus|base64_run} id: <script>alert(1) x"));
}

TEST_F(Variants, ALongTextIsReadWithItsSumsWhereTheyStand) {
  const std::string prose = letters(2999) + 'w';
  const auto all = expand(prose + "+and+so+on+'a'+'b'", Coding::kForm);
  EXPECT_EQ(all.size(), 2u);
  EXPECT_TRUE(all.count("{plus} " + prose + " and so on 'a' 'b'") == 1);
  // The other ends alike, and begins near the sum.
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const std::string& line) {
    return line.size() < 600 && line.ends_with("w+and+so+on+'a'+'b'");
  }));
}

// Where plus signs are the spaces of a sentence, only those count that stand between two operands, one of
// them a string, and of a long text the parts around them.
TEST_F(Variants, SumsInASentence) {
  const std::string sentence = "we+read+this+and+that";
  const auto sums = [&](const std::string& raw) {
    std::string found;
    for (const std::string& line : expand(raw, Coding::kForm))
      if (line.starts_with("{} ") && !line.ends_with("(not judged)")) found += line.substr(3);
    return found;
  };
  for (const std::string sum :
       {"'+(select", "'a'+'b'", ")+'", "x)+(y", "\"+\"", "`+[", "'+/*", "*/+'", "'+$x", "'+!x"})
    EXPECT_NE(sums(sentence + sum), "") << sum;
  for (const std::string none :
       {"=+(x", ";+++}", ")+{", ")+*r", "'key'+=>", "*+/", "x+'a", "'a'+b", "|+(", "=+'"})
    EXPECT_EQ(sums(sentence + none), "") << none;
  EXPECT_NE(sums("x=+(1)"), "") << "no sentence: beside a sign";
  EXPECT_NE(sums("YWJj+ZGVm+YWJj+ZGVm+/+/+YWJj"), "") << "digits of base64 are no sentence";

  const std::string far(3000, 'w');
  const std::string parts = sums(sentence + "'+(a" + far + "'+(b" + far + far + "c)+'d" + far);
  EXPECT_LT(parts.size(), 2200u);
  for (const std::string sum : {"'+(a", "'+(b", "c)+'d"}) EXPECT_NE(parts.find(sum), parts.npos) << sum;
}

// Of a document that declares what it may hold, the whole is a field: it is judged there.
TEST_F(Variants, ADocumentInAValueIsJudgedOnce) {
  const std::string document = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///y'>]><a>&x;</a>";
  const auto all = expand(document, Coding::kNone);
  EXPECT_EQ(all.count("{} " + document + " (container)"), 1u);
  EXPECT_EQ(all.count("{xml} " + document), 1u);
  EXPECT_EQ(all.count("{} " + document), 0u);
  // Without, it is judged as it stands.
  EXPECT_EQ(expand("<?xml version='1.0'?><a>b</a>", Coding::kNone).count("{} <?xml version='1.0'?><a>b</a>"),
            1u);
}

// A string of JSON has no escapes but its own: no reading undoes these and keeps the others.
TEST_F(Variants, EscapesOfJsonAreOnesOfScripts) {
  const auto all = expand("\\u0027 \\d \\x41", Coding::kNone);
  EXPECT_EQ(all.count("{js} ' d A"), 1u);
  for (const std::string& line : all) EXPECT_EQ(line.find("json}"), line.npos) << line;
}

// Two decodings that a text needs come out once, whichever is undone first.
TEST_F(Variants, WhatTwoDecodingsMakeTogetherIsMadeOnce) {
  EXPECT_EQ(expand("%41&lt;", Coding::kNone),
            (Lines{"{} %41&lt;", "{percent} A&lt;", "{html} %41<", "{percent|html} A<"}));
  // Of six orders of three, one.
  EXPECT_EQ(expand("%41&lt;\xef\xbc\xa2", Coding::kNone).count("{percent|html|unicode} A<B"), 1u);
  EXPECT_EQ(expand("%41&lt;\xef\xbc\xa2", Coding::kNone).size(), 8u);
  // Of long texts only the changed parts are kept.
  const std::string near = letters(300);
  const std::string far = letters(3000);
  EXPECT_EQ(expand("x%41" + near + "&lt;y" + far, Coding::kNone).size(), 4u);
  EXPECT_EQ(expand("x%41" + far + "&lt;y", Coding::kNone).size(), 3u);
  // Variants that only one order of decodings gives are made.
  EXPECT_TRUE(has("%41%26lt;", Coding::kNone, "{percent|html} A<"));
  EXPECT_TRUE(has("%41&#37;42", Coding::kNone, "{percent|html|percent} AB"));
  EXPECT_TRUE(has("\\u0026lt;&amp;lt;", Coding::kNone, "{html|html|js|html} <<") ||
              has("\\u0026lt;&amp;lt;", Coding::kNone, "{html|js|html} <<"));
}

TEST_F(Variants, BackslashesAreOfOneLanguage) {
  for (const std::string raw : {R"(\\u0041\\3c)", R"(\\\\x41 \\\\u0042 \\/)"}) {
    const auto all = expand(raw, Coding::kNone);
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const std::string& line) {
      return line.starts_with("{js|js");
    })) << raw;
    for (const std::string& line : all) {
      const std::string path = "|" + line.substr(1, line.find('}') - 1) + "|";
      const int languages = (path.find("|js|") != path.npos) + (path.find("|json|") != path.npos) +
                            (path.find("|css|") != path.npos);
      EXPECT_LE(languages, 1) << line;
    }
  }
}

// A part of a decoding says which text it was made from, and whether that text began before it.
TEST_F(Variants, PartsKnowTheWholeText) {
  std::string prose;
  for (int i = 0; i < 500; ++i) prose += " word" + std::to_string(i);
  expand("x%41" + prose, Coding::kNone);
  ASSERT_EQ(variants_.size(), 2u);
  EXPECT_EQ(variants_[1].uncut, variants_[0].text);
  EXPECT_FALSE(variants_[1].front_cut);
  expand(prose + " x%41", Coding::kNone);
  ASSERT_EQ(variants_.size(), 2u);
  EXPECT_TRUE(variants_[1].front_cut);
  expand("x%41", Coding::kNone);
  EXPECT_TRUE(variants_[1].uncut.empty());
}

// Escapes are not undone in packed binary data; in a text with a few control bytes they are.
TEST_F(Variants, PackedTextsAreUnpackedAlone) {
  std::string packed;
  for (int i = 0; i < 9000; ++i) packed += i % 16 == 0 ? '\x03' : i % 50 == 49 ? '\\' : '&';
  EXPECT_EQ(expand(packed, Coding::kNone).size(), 1u);
  EXPECT_TRUE(has(std::string("sel\0ect", 7), Coding::kNone, "{nul} select"));
  EXPECT_GT(expand(packed + std::string(5000, ' ') + "\\x41", Coding::kNone).size(), 1u);
}

TEST_F(Variants, AWholeContainerIsNotJudgedItself) {
  EXPECT_EQ(expand(R"({"k":"v"})", Coding::kNone),
            (Lines{"{} {\\\"k\\\":\\\"v\\\"} (container)", "{json} k", "{json} v"}));
  // Broken: the text stays a text.
  EXPECT_TRUE(has(R"({"k":"v"' or 1=1})", Coding::kNone, "{} {\\\"k\\\":\\\"v\\\"' or 1=1}"));
}

TEST_F(Variants, MembersKeepTheNameOfTheWay) {
  expand(R"({"user":{"tags":["a","b"]}})", Coding::kNone);
  std::string names;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i].in_name) names += fields_.full_name(fields_[i]) + " ";
  }
  EXPECT_EQ(names, "p p.user.tags[0] p.user.tags[1] ");
}

TEST_F(Variants, Limits) {
  // More layers than are taken off: what was reached is there, and the limit is said.
  std::string deep = "<";
  for (int i = 0; i < 12; ++i) deep = i == 0 ? "%3c" : "%25" + deep.substr(1);
  expand(deep, Coding::kForm);
  EXPECT_LE(variants_.size(), kMaxVariants);
  EXPECT_TRUE(fields_.limit_reached);
  expand("%2527", Coding::kForm);
  EXPECT_FALSE(fields_.limit_reached);
  // Containers in containers end at the depth of fields.
  std::string nested = "\"x\"";
  for (int i = 0; i < 8; ++i) {
    std::string quoted = "[\"";
    for (const char c : nested) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    nested = quoted + "\"]";
  }
  expand(nested, Coding::kNone);
  for (std::size_t i = 0; i < fields_.size(); ++i) EXPECT_LE(fields_[i].depth, kMaxFieldDepth);
}

TEST_F(Variants, GraphqlStringsAreFields) {
  const auto all =
      expand("query Q($a: Int) { user(name: \"O'B\\\"x\", note: \"\"\"a\n\"b\"\"\") { id } # \"no\"\n }",
             Coding::kNone);
  std::string fields;
  for (std::size_t i = 1; i < fields_.size(); ++i)
    fields += std::string(fields_[i].name) + "=" + std::string(fields_[i].raw) + "\n";
  EXPECT_EQ(fields, "name=O'B\\\"x\nnote=a\n\"b\n");
  EXPECT_TRUE(all.count("{graphql|js} O'B\\\"x") > 0);
  expand("{ user(id: \"1\") { id } }", Coding::kForm);
  ASSERT_EQ(fields_.size(), 2u);
  EXPECT_EQ(fields_[1].raw, "1");
  for (const char* none : {"{\"query\": 1}", "{ a }", "query", "queryx { a(b:\"c\") }", "{ a(b:\"c\")"}) {
    expand(none, Coding::kNone);
    for (std::size_t i = 0; i < fields_.size(); ++i)
      EXPECT_EQ(fields_[i].decode_path.find("graphql"), std::string_view::npos) << none;
  }
}

TEST_F(Variants, EveryVariantLivesAndDiffers) {
  const auto all = expand("%26%2339%3B+or+%5Cx31%3D1+/**/+%2527", Coding::kForm);
  std::set<std::string> texts;
  for (const Variant& variant : variants_) texts.insert(std::string(variant.text));
  EXPECT_EQ(texts.size(), variants_.size());
  EXPECT_GE(all.size(), 5u);
}

}  // namespace
}  // namespace wafd::detect
