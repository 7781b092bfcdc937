#include "ingest/t1k/t1k.h"

#include <gtest/gtest.h>

#include "tests/ingest/t1k_exchanges.h"

namespace wafd::ingest::t1k {
namespace {

std::string section(unsigned first_byte, std::string_view data) {
  std::string out(1, static_cast<char>(first_byte));
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(data.size() >> shift & 0xff);
  return out.append(data);
}

void show(std::string& out, const char* name, const Section& section) {
  if (!section.present) return;
  out += std::string(" ") + name + "=" + section.data;
  if (section.cut()) out += "[of " + std::to_string(section.length) + "]";
}

std::string dump(const Message& m) {
  static constexpr const char* kKinds[] = {"request", "report", "heartbeat", "other"};
  std::string out = kKinds[static_cast<int>(m.kind())];
  show(out, "head", m.head);
  show(out, "body", m.body);
  show(out, "extra", m.extra);
  show(out, "version", m.version);
  show(out, "context", m.context);
  show(out, "rsp_head", m.rsp_head);
  show(out, "rsp_body", m.rsp_body);
  show(out, "rsp_extra", m.rsp_extra);
  return out + "|";
}

std::string dump(std::string_view input, std::size_t piece, Limits limits = {}) {
  MessageReader reader(limits);
  std::string out;
  while (!input.empty()) {
    auto part = input.substr(0, piece);
    input.remove_prefix(part.size());
    while (true) {
      const auto complete = reader.next(part);
      if (!complete) return out + to_string(complete.error());
      if (!*complete) break;
      out += dump(reader.message());
    }
  }
  return out + (reader.in_message() ? "..." : "");
}

TEST(MessageReader, SaysTheSameInAnyFragmentation) {
  const struct {
    const char* name;
    std::string input;
    std::string dump;
  } rows[] = {
      {"one section", section(0xc1, "h"), "request head=h|"},
      {"tags only at the end",
       section(0x41, "h") + section(0x03, "e") + section(0x02, "b") + section(0xa0, "v"),
       "request head=h body=b extra=e version=v|"},
      {"head not first", section(0x43, "e") + section(0x02, "b") + section(0x81, "h"),
       "request head=h body=b extra=e|"},
      {"empty sections", section(0x41, "") + section(0x02, "") + section(0x83, ""),
       "request head= body= extra=|"},
      {"last of repeated counts", section(0x41, "longer") + section(0x01, "h") + section(0x82, "b"),
       "request head=h body=b|"},
      {"unknown tags", section(0x41, "h") + section(0x3f, "x") + section(0xa8, "y"), "request head=h|"},
      {"heartbeat", section(0xc0, ""), "heartbeat|"},
      {"no head", section(0x42, "b") + section(0x83, "e"), "other body=b extra=e|"},
      {"unknown alone", section(0xe8, "b"), "other|"},
      {"report",
       section(0x41, "h") + section(0x11, "rh") + section(0x12, "rb") + section(0x25, "c") +
           section(0x13, "re") + section(0xa0, "v"),
       "report head=h version=v context=c rsp_head=rh rsp_body=rb rsp_extra=re|"},
      {"two in a row", section(0xc1, "a") + section(0xc0, "") + section(0x41, "b") + section(0x82, "c"),
       "request head=a|heartbeat|request head=b body=c|"},
      {"incomplete", section(0x41, "h") + section(0x02, "b"), "..."},
      {"incomplete header", section(0xc1, "h") + std::string("\x41\x01", 2), "request head=h|..."},
      {"no FIRST", section(0x01, "h"), "no_first"},
      {"HTTP", "GET / HTTP/1.1\r\n\r\n", "..."},  // 'G' has the bit: its length is never reached
      {"TLS", "\x16\x03\x01", "no_first"},
      {"second FIRST", section(0x41, "h") + section(0x42, "b"), "second_first"},
      {"after a good one", section(0xc1, "h") + "!", "request head=h|no_first"},
  };
  for (const auto& row : rows) {
    for (const std::size_t piece : {1u, 2u, 3u, 7u, 100000u})
      EXPECT_EQ(dump(row.input, piece), row.dump) << row.name << " in pieces of " << piece;
  }
}

TEST(MessageReader, KeepsUpToTheLimitAndDropsTheRest) {
  const Limits limits{4, 6, 2};
  const auto input =
      section(0x41, "12345") + section(0x02, "123456789") + section(0x83, "123") + section(0xc1, "1234");
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 1000u}) {
    EXPECT_EQ(dump(input, piece, limits),
              "request head=1234[of 5] body=123456[of 9] extra=12[of 3]|request head=1234|");
  }
}

TEST(MessageReader, BodyOfFourGigabytesIsNotAllocated) {
  MessageReader reader(Limits{});
  std::string_view header("\x41\x01\0\0\0h\x82\xff\xff\xff\xff", 11);
  ASSERT_FALSE(reader.next(header).value());
  const std::string block(1 << 20, 'x');
  for (int i = 0; i < 4095; ++i) {
    std::string_view part = block;
    ASSERT_FALSE(reader.next(part).value());
  }
  std::string_view part(block.data(), block.size() - 1);
  ASSERT_TRUE(reader.next(part).value());
  EXPECT_EQ(reader.message().body.data.size(), 1u << 20);
  EXPECT_EQ(reader.message().body.length, 0xffffffffu);
}

TEST(MessageReader, ThirtyTwoSectionsAndNoMore) {
  std::string input = section(0x41, "h");
  for (int i = 0; i < 30; ++i) input += section(0x3e, "");
  EXPECT_EQ(dump(input + section(0x82, "b"), 1000), "request head=h body=b|");
  EXPECT_EQ(dump(input + section(0x3e, "") + section(0x82, "b"), 1000), "too_many_sections");
}

TEST(Answers, AreTheBytesClientsKnow) {
  EXPECT_EQ(pass_answer(), from_hex("c1010000002e"));
  EXPECT_EQ(pass_answer(R"({"event_id":"86c83b5a3fb241a28997d94e4b29cae3","request_hit_whitelist":false})"),
            kPassAnswerWithContext);
  EXPECT_EQ(block_answer(*EventId::parse("b3c6ce574dc24f09a01f634a39dca83b")), kBlockAnswer);
  EXPECT_NE(block_answer(*EventId::parse("b3c6ce574dc24f09a01f634a39dca83b"), {}, 451).find("451"),
            std::string::npos);
  EXPECT_EQ(heartbeat_answer(), from_hex("c000000000"));
}

}  // namespace
}  // namespace wafd::ingest::t1k
