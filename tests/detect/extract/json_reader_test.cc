// The reader of JSON against Boost.JSON's event parser: the same keys and strings from the same texts.
#include "detect/extract/json_reader.h"

#include <random>
#include <string>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

namespace json = boost::json;

// The content of a text: "k:" and "s:" lines, and whether it was one document.
class Twin {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  std::string lines;

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return true; }
  bool on_object_end(std::size_t, json::error_code&) { return true; }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t, json::error_code&) { return true; }
  bool on_key_part(json::string_view s, std::size_t, json::error_code&) { return part(s); }
  bool on_key(json::string_view s, std::size_t, json::error_code&) { return whole("k:", s); }
  bool on_string_part(json::string_view s, std::size_t, json::error_code&) { return part(s); }
  bool on_string(json::string_view s, std::size_t, json::error_code&) { return whole("s:", s); }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return true; }
  bool on_double(double, json::string_view, json::error_code&) { return true; }
  bool on_bool(bool, json::error_code&) { return true; }
  bool on_null(json::error_code&) { return true; }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  bool part(json::string_view s) {
    part_.append(s.data(), s.size());
    return true;
  }
  bool whole(const char* kind, json::string_view s) {
    part(s);
    if (!part_.empty()) lines += kind + part_ + "\n";
    part_.clear();
    return true;
  }
  std::string part_;
};

// False if there is more than one document in it.
bool twin_reads(const std::string& text, std::string& lines, bool& good) {
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  options.allow_invalid_utf8 = true;
  options.allow_trailing_commas = true;
  json::basic_parser<Twin> parser(options);
  json::error_code error;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  lines = parser.handler().lines;
  good = !error && parser.done();
  return !good || text.find_first_not_of(" \t\r\n\v\f", used) == std::string::npos;
}

// Without the field that holds what is left behind an error: it alone ends where the text ends.
std::string fields_of(const std::string& text, bool& good) {
  static JsonReader reader;
  static FieldList fields;
  fields.clear();
  bool nothing = false;
  Field like;
  like.outer = text;
  good = reader.read(text, like, fields, nothing);
  std::string lines;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view raw = fields[i].raw;
    if (raw.data() + raw.size() == text.data() + text.size()) continue;
    lines += (fields[i].in_name ? "k:" : "s:") + std::string(raw) + "\n";
  }
  return lines;
}

std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> kPieces = {"{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   ":",
                                                   "\"",
                                                   "\"a\"",
                                                   "\"key\":",
                                                   "{\"k\":",
                                                   "[1,",
                                                   ",]",
                                                   ",}",
                                                   "1",
                                                   "-",
                                                   "-0",
                                                   "0.5",
                                                   "1e5",
                                                   "1.",
                                                   "01",
                                                   "2E-3",
                                                   "true",
                                                   "false",
                                                   "null",
                                                   "nul",
                                                   " ",
                                                   "\n",
                                                   "\t",
                                                   "\\",
                                                   "\\\"",
                                                   "\\n",
                                                   "\\u0041",
                                                   "\\ud83d\\ude00",
                                                   "\\ud83d",
                                                   "\\ude00",
                                                   "\\u00",
                                                   "\\x",
                                                   "\"\\\"\"",
                                                   "\"long enough for more than a step\"",
                                                   "\"ten \\/ escapes \\t in one \\\\ text \\u4e2d\"",
                                                   "\xe4\xb8\xad",
                                                   "\xff",
                                                   "\x01",
                                                   std::string(1, '\0'),
                                                   "\x7f",
                                                   "//",
                                                   "'x'"};
  std::string text;
  // Mostly what may be a document: an object or an array around it.
  const auto shape = random() % 4;
  if (shape == 1) text = "{\"k\":";
  if (shape == 2) text = "[";
  for (auto i = random() % 12; i > 0; --i) text += kPieces[random() % kPieces.size()];
  if (shape == 1) text += "}";
  if (shape == 2) text += "]";
  if (shape == 3) text = "[\"" + text + "\"]";
  return text;
}

TEST(JsonReader, ReadsWhatItsTwinReads) {
  std::mt19937 random(7);
  std::size_t compared = 0;
  std::size_t good_ones = 0;
  for (int i = 0; i < 400'000; ++i) {
    const std::string text = random_text(random);
    std::string expected;
    bool expected_good = false;
    if (text.empty() || !twin_reads(text, expected, expected_good)) continue;
    bool good = false;
    const std::string lines = fields_of(text, good);
    ASSERT_EQ(good, expected_good) << text;
    ASSERT_EQ(lines, expected) << text;
    ++compared;
    good_ones += good ? 1 : 0;
  }
  EXPECT_GT(compared, 300'000u);
  EXPECT_GT(good_ones, 30'000u);
}

TEST(JsonReader, EveryByteAtEveryPlaceOfAString) {
  for (unsigned c = 0; c < 256; ++c) {
    for (const std::size_t size : {1u, 15u, 16u, 17u, 33u}) {
      for (std::size_t place = 0; place < size; ++place) {
        std::string text = "[\"" + std::string(size, 'x') + "\"]";
        text[2 + place] = static_cast<char>(c);
        for (const char* before : {"", "\\n"}) {
          std::string whole = text;
          whole.insert(2, before);
          std::string expected;
          bool expected_good = false;
          twin_reads(whole, expected, expected_good);
          bool good = false;
          ASSERT_EQ(fields_of(whole, good), expected) << whole;
          ASSERT_EQ(good, expected_good) << whole;
        }
      }
    }
  }
}

TEST(JsonReader, GoesToItsDepthAndNoFurther) {
  for (const std::size_t depth : {kMaxJsonDepth, kMaxJsonDepth + 1}) {
    const std::string text = std::string(depth, '[') + "\"x\"" + std::string(depth, ']');
    bool good = false;
    EXPECT_EQ(fields_of(text, good), depth == kMaxJsonDepth ? "s:x\n" : "");
    EXPECT_EQ(good, depth == kMaxJsonDepth);
  }
}

TEST(JsonReader, KeysOfOperatorsAreToldWithTheMemberTheyAreAbout) {
  const std::string owner(65, 'a');
  for (const auto& [text, keys] : std::vector<std::pair<std::string, std::string>>{
           {R"({"password":{"$gt":""},"b":{"c":1}})", "k:password\nk:password.$gt\nk:b\nk:c\n"},
           {R"({"$where":[{"$in":1}]} )", "k:$where\nk:$where.$in\n"},
           {R"({"constructor":{"prototype":{}}} )", "k:constructor\nk:constructor.prototype\n"},
           {R"({"a":{"prototype":{"$":1}}} )", "k:a\nk:prototype\nk:prototype.$\n"},
           {R"([{"$gt":1}] )", "k:$gt\n"},
           {"{\"" + owner + R"(":{"$gt":1}} )", "k:" + owner + "\nk:$gt\n"}}) {
    bool good = false;
    EXPECT_EQ(fields_of(text, good), keys);
    EXPECT_TRUE(good) << text;
  }
}

// The text of a string with escapes lies in the arena; its place in the document is known.
TEST(JsonReader, SaysWhichPieceCarriedAString) {
  JsonReader reader;
  FieldList fields;
  fields.clear();
  bool nothing = false;
  const std::string text = R"({"a\u0062":"1\n2\"","c":["","x"]} {"d":"\\"})";
  ASSERT_TRUE(reader.read(text, Field{}, fields, nothing));
  std::string seen;
  for (std::size_t i = 0; i < fields.size(); ++i)
    seen += std::string(fields[i].outer) + "=" + std::string(fields[i].raw) + "|" +
            fields.full_name(fields[i]) + ";";
  EXPECT_EQ(seen, "a\\u0062=ab|ab;1\\n2\\\"=1\n2\"|ab;c=c|c;x=x|c[1];d=d|d;\\\\=\\|d;");
}

}  // namespace
}  // namespace wafd::detect
