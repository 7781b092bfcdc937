#include "forward/format/text_cut.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "forward/format/message.h"
#include "tests/support/strict_keys.h"
#include "tests/support/strict_syslog.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;

std::string cut(std::string_view text, std::size_t max) {
  std::string out;
  cut_json_object(text, max, out);
  return out;
}

// Sixteen bytes at a time, and one: the same.
TEST(TextCut, RunsOfPlainBytesEndWhereTheFirstOtherIs) {
  const auto slow = [](std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] >= 0x20 && text[at] < 0x7f && text[at] != '=' && text[at] != '\\')
      ++at;
    return at;
  };
  for (int c = 0; c < 256; ++c)
    for (std::size_t size : {0, 1, 15, 16, 17, 40})
      for (std::size_t where = 0; where < size; ++where)
        for (std::size_t from : {std::size_t{0}, where / 2, where}) {
          std::string text(size, 'p');
          text[where] = static_cast<char>(c);
          ASSERT_EQ(plain_end(text, from, '=', '\\'), slow(text, from)) << c << " " << size << " " << where;
        }
}

TEST(TextCut, ObjectsTable) {
  struct Row {
    std::string_view in;
    std::size_t max;
    std::string_view out;
  };
  const Row rows[] = {
      {R"({"a":1})", 100, R"({"a":1})"},
      {R"({"b":"kept","a":"0123456789012345678901234567"})", 40, R"({"b":"kept","a":"0123456789…[cut 18]"})"},
      // The last member goes first: its longest string, the next, all of it; then what stands before.
      {R"({"a":"0123456789","d":{"x":"01234567890123456789","y":"012345678901234567890123456789"}})", 70,
       R"({"a":"0123456789","d":{"x":"01234567890123456789","y":"0…[cut 29]"}})"},
      {R"({"a":"0123456789","d":{"x":"01234567890123456789","y":"012345678901234567890123456789"}})", 60,
       R"({"a":"0123456789","d":{"x":"…[cut 20]","y":"…[cut 30]"}})"},
      {R"({"a":"0123456789","d":{"x":"01234567890123456789","y":"012345678901234567890123456789"}})", 40,
       R"({"a":"0123456789","d":"…[cut 65]"})"},
      {R"({"a":"0123456789012345678901234567890","b":7})", 30, R"({"a":"01234…[cut 26]","b":7})"},
      // A name is never cut, an escape and a character stay whole.
      {R"({"a name that is much longer than its value":"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\""})", 68,
       R"({"a name that is much longer than its value":"\"\"\"\"…[cut 12]"})"},
      {"{\"a\":\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"}", 22,
       "{\"a\":\"\xc3\xa4\xe2\x80\xa6[cut 14]\"}"},
      // Controls and separators leave as escapes.
      {"{\"a\":\"\x7f\xc2\x85\xe2\x80\xa8\"}", 100, R"({"a":"\u007f\u0085\u2028"})"},
      {R"({"seq":7,"detail":{"list":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}})", 40,
       R"({"seq":7,"detail":"…[cut 46]"})"},
      {"not an object", 5, "not a"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(cut(row.in, row.max), row.out);
    EXPECT_LE(cut(row.in, row.max).size(), row.max);
  }
}

TEST(TextCut, AuditLinesFitTheirTarget) {
  json::object detail;
  for (int i = 0; i < 50; ++i)
    detail["ca" + std::to_string(i)] = std::string(static_cast<std::size_t>(i) * 100, '\n');
  const std::string line = json::serialize(json::object{{"seq", 1},
                                                        {"user", "admin"},
                                                        {"action", "syslog.target.create"},
                                                        {"object", "abc"},
                                                        {"detail", detail}});
  for (const std::uint32_t max : {480u, 1000u, 2048u, 4096u, 8192u, 65507u}) {
    TargetSettings t;
    t.max_message_bytes = max;
    MessageMaker maker(t, "node-1", {});
    const Message made = maker.audit(line, 1'769'861'109'123'456, 3);
    const std::string text = std::string(made.header) + std::string(made.content);
    EXPECT_LE(text.size(), max);
    EXPECT_TRUE(made.truncated);
    const auto m = test::StrictParser::parse(text);
    EXPECT_EQ(m.error, "");
    EXPECT_EQ(test::check_utf8(m.msg), "");
    const json::value v = json::parse(m.msg);
    EXPECT_EQ(v.at("user").as_string(), "admin");
    EXPECT_EQ(v.at("action").as_string(), "syslog.target.create");
    EXPECT_TRUE(v.at("detail").is_object() || v.at("detail").as_string().starts_with("\u2026[cut "));
  }
}

}  // namespace
}  // namespace wafd::forward
