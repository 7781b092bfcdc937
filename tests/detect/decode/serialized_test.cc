#include "detect/decode/serialized.h"

#include <string>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

std::string dump(const std::vector<std::string_view>& strings) {
  std::string text;
  for (const auto s : strings) text += "[" + std::string(s) + "]";
  return text;
}

TEST(Serialized, Php) {
  struct Row {
    std::string_view in;
    std::string_view out;
  };
  for (const Row& row : std::initializer_list<Row>{
           {R"(s:5:"hello";)", "[hello]"},
           {R"(s:11:"avatar_link";s:4:"abcd")", "[avatar_link][abcd]"},
           {R"(a:2:{s:1:"a";i:1;s:3:"b"c";N;})", R"([a][b"c])"},
           {R"(O:8:"Evil\Cls":1:{s:1:"x";b:1;})", R"([Evil\Cls][x])"},
           {R"(s:99:"short";)", "[short]"},
           {R"(s:2:"longer";)", "[longer]"},
           {R"(class:5:"x")", ""},
           {R"({"s":"5"})", ""},
           {"s:3:", ""},
       }) {
    std::vector<std::string_view> out;
    EXPECT_EQ(php_serialized_strings(row.in, out), !row.out.empty()) << row.in;
    EXPECT_EQ(dump(out), row.out) << row.in;
    EXPECT_TRUE(row.out.empty() || maybe_php_serialized(row.in)) << row.in;
  }
}

TEST(Serialized, Java) {
  using namespace std::string_view_literals;
  std::vector<std::string_view> out;
  EXPECT_TRUE(java_serialized_strings(
      "\xac\xed\x00\x05sr\x00\x11java.util.HashMap\x05\x07\xda\xc1t\x00\x05hello"sv, out));
  EXPECT_EQ(dump(out), "[java.util.HashMap][hello]");
  EXPECT_FALSE(java_serialized_strings("sr\x00\x11java.util.HashMap"sv, out));
  EXPECT_FALSE(java_serialized_strings("\xac\xed\x00\x05t\x00\xffshort"sv, out));
  // Nested lengths that always reach the end: the walk must not measure the tail again and again.
  std::string slow("\xac\xed\x00\x05", 4);
  for (int i = 0; i < 100'000; ++i) slow += "t\x7f\x7f";
  EXPECT_FALSE(java_serialized_strings(slow, out) && out.size() > kMaxSerializedStrings);
}

}  // namespace
}  // namespace wafd::detect
