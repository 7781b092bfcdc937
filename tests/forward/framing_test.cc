#include "forward/protocol/framing.h"

#include <gtest/gtest.h>

namespace wafd::forward {
namespace {

std::string framed(Framing framing, std::string_view header, std::string_view content) {
  std::string out;
  append_frame(framing, header, content, out);
  return out;
}

TEST(Framing, Writes) {
  EXPECT_EQ(framed(Framing::kOctetCounting, "<30>1 - ", "hello"), "13 <30>1 - hello");
  EXPECT_EQ(framed(Framing::kOctetCounting, "", ""), "0 ");
  EXPECT_EQ(framed(Framing::kLf, "<30>1 - ", "hello"), "<30>1 - hello\n");
  EXPECT_EQ(framed(Framing::kLf, "<30>1 - ", "two\nlines"), "<30>1 - two lines\n");
}

// Messages joined by '|', then the error in parentheses, then what is left.
std::string read(std::string_view stream, std::size_t fragment, std::size_t limit = 100) {
  FrameReader reader(limit);
  std::string out;
  for (std::size_t at = 0; at < stream.size(); at += fragment) {
    reader.feed(stream.substr(at, fragment));
    for (std::string_view m; reader.next(m);) out.append(m).append("|");
  }
  if (!reader.error().empty()) return out + "(" + std::string(reader.error()) + ")";
  return out + std::string(reader.rest());
}

TEST(Framing, ReadsInAnyFragments) {
  struct Row {
    std::string stream, expected;
  };
  const Row rows[] = {
      {"5 <1>ab6 <1>abc", "<1>ab|<1>abc|"},
      {"<1>ab\n<1>c\n", "<1>ab|<1>c|"},
      {"<1>ab\n4 <1>x<2>y\n", "<1>ab|<1>x|<2>y|"},
      {"5 <1>\nb<2>c\n", "<1>\nb|<2>c|"},
      {"5 <1>a", "5 <1>a"},
      {"<1>no end", "<1>no end"},
      {"\n\n", "||"},
      {"12345678901 x", "(frame length beyond the limit)"},
      {"101 x", "(frame length beyond the limit)"},
      {"5<1>ab", "(no space after the frame length)"},
      {std::string(101, 'a') + "\n", "(line beyond the limit)"},
      {std::string(100, 'a') + "\n", std::string(100, 'a') + "|"},
  };
  for (const Row& row : rows)
    for (const std::size_t fragment : {1, 2, 3, 7, 100000})
      EXPECT_EQ(read(row.stream, fragment), row.expected) << row.stream << " in " << fragment;
}

TEST(Framing, WhatIsWrittenIsRead) {
  std::string stream, expected;
  for (int i = 0; i < 500; ++i) {
    const std::string content =
        "{\"n\":" + std::to_string(i) + "}" + std::string(static_cast<std::size_t>(i), 'x');
    append_frame(i % 2 ? Framing::kLf : Framing::kOctetCounting, "<30>1 ", content, stream);
    expected += "<30>1 " + content + "|";
  }
  for (const std::size_t fragment : {1, 7, 4096, 1 << 20}) EXPECT_EQ(read(stream, fragment, 1000), expected);
}

}  // namespace
}  // namespace wafd::forward
