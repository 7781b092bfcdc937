#include <gtest/gtest.h>

#include "forward/protocol/relp_frame.h"
#include "forward/protocol/relp_session.h"

namespace wafd::forward {
namespace {

std::string frame(std::uint32_t txnr, std::string_view command, std::string_view data) {
  std::string out;
  append_relp_frame(txnr, command, data, "", out);
  return out;
}

TEST(RelpFrame, Writes) {
  EXPECT_EQ(frame(1, "open", "relp_version=0"), "1 open 14 relp_version=0\n");
  EXPECT_EQ(frame(999'999'999, "close", ""), "999999999 close 0\n");
  std::string out = "x";
  append_relp_frame(2, "syslog", "<30>1 - ", "a\nb", out);
  EXPECT_EQ(out, "x2 syslog 11 <30>1 - a\nb\n");
}

// Frames as "txnr command [data]" joined by '|', then the error in parentheses.
std::string read(std::string_view stream, std::size_t fragment, std::size_t limit = 20) {
  RelpFrameReader reader(limit);
  std::string out;
  for (std::size_t at = 0; at < stream.size(); at += fragment) {
    reader.feed(stream.substr(at, fragment));
    for (RelpFrame f; reader.next(f);)
      out += std::to_string(f.txnr) + " " + std::string(f.command) + " [" + std::string(f.data) + "]|";
  }
  return reader.error().empty() ? out : out + "(" + std::string(reader.error()) + ")";
}

TEST(RelpFrame, ReadsInAnyFragments) {
  struct Row {
    std::string stream, expected;
  };
  const Row rows[] = {
      {"", ""},
      {"2 rsp 6 200 OK\n", "2 rsp [200 OK]|"},
      {"1 rsp 9 200 OK\na=\n0 serverclose 0\n3 rsp 3 200\n",
       "1 rsp [200 OK\na=]|0 serverclose []|3 rsp [200]|"},
      {"5 rsp 0 \n6 rsp 0\n", "5 rsp []|6 rsp []|"},  // some peers send the space without data
      {"000000007 rsp 003 abc\n", "7 rsp [abc]|"},
      {"2 rsp 6 200 O", ""},
      {"2 rsp 20 01234567890123456789\n", "2 rsp [01234567890123456789]|"},
      {"2 rsp 21 012345678901234567890\n", "(expected less data)"},
      {"2 rsp 999999999 ", "(expected less data)"},
      {"2 rsp 1000000000 ", "(expected a number of at most 9 digits)"},
      {"1234567890", "(expected a number of at most 9 digits)"},
      {std::string(100'000, '1'), "(expected a number of at most 9 digits)"},
      {"2 rsp 3 2000\n", "(expected a line feed behind the data)"},
      {"2 rsp 2 ab\n2 rsp 2 abc\n", "2 rsp [ab]|(expected a line feed behind the data)"},
      {"HTTP/1.1 400 Bad Request\r\n", "(expected a number)"},
      {" rsp 0\n", "(expected a number)"},
      {"-1 rsp 0\n", "(expected a number)"},
      {"2\trsp 0\n", "(expected a space behind the transaction number)"},
      {"2 r5p 0\n", "(expected a command of letters and a space)"},
      {"2  0\n", "(expected a command of letters and a space)"},
      {"2 " + std::string(33, 'a') + " 0\n", "(expected a command of at most 32 letters)"},
      {"2 " + std::string(32, 'a') + " 0\n", "2 " + std::string(32, 'a') + " []|"},
      {"2 rsp\n", "(expected a command of letters and a space)"},
      {"2 rsp \n", "(expected a number)"},
      {"2 rsp 3\n200\n", "(expected a space behind the data's length)"},
      {"2 rsp 3x", "(expected a space behind the data's length)"},
      {std::string("\0\0\0", 3), "(expected a number)"},
  };
  for (const Row& row : rows)
    for (const std::size_t fragment :
         {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, row.stream.size() + 1})
      EXPECT_EQ(read(row.stream, fragment), row.expected) << row.stream.substr(0, 60) << " in " << fragment;
}

TEST(RelpFrame, Answers) {
  struct Row {
    const char* data;
    int status;
    const char* rest;
  };
  const Row rows[] = {{"200 OK", 200, ""},      {"200", 200, ""},  {"500 no\nx=1", 500, "x=1"},
                      {"200\nx", 200, "x"},     {"", 0, ""},       {"20", 0, ""},
                      {"2000 OK", 0, ""},       {"2x0 OK", 0, ""}, {"OK", 0, ""},
                      {"\n200 OK", 0, "200 OK"}};
  for (const Row& row : rows) {
    const RelpAnswer a = relp_answer(row.data);
    EXPECT_EQ(a.status, row.status) << row.data;
    EXPECT_EQ(a.data, row.rest) << row.data;
  }
  const std::string_view offers = "relp_version=0\ncommands=eventlog,syslog\nempty";
  EXPECT_TRUE(relp_offers(offers, "relp_version", ""));
  EXPECT_TRUE(relp_offers(offers, "commands", "syslog"));
  EXPECT_TRUE(relp_offers(offers, "commands", "eventlog"));
  EXPECT_TRUE(relp_offers(offers, "empty", ""));
  EXPECT_FALSE(relp_offers(offers, "empty", "x"));
  EXPECT_FALSE(relp_offers(offers, "commands", "sys"));
  EXPECT_FALSE(relp_offers(offers, "relp", ""));
  EXPECT_FALSE(relp_offers("", "relp_version", ""));
}

constexpr std::string_view kGreeting = "1 rsp 37 200 OK\nrelp_version=0\ncommands=syslog\n";

class RelpSessionTest : public ::testing::Test {
 protected:
  RelpSession opened(RelpSession::Options options = {}) {
    RelpSession s(options);
    s.open(0);
    EXPECT_TRUE(s.on_bytes(kGreeting, 0)) << s.error();
    EXPECT_TRUE(s.is_open());
    return s;
  }
  static std::string send(RelpSession& s, int n, std::int64_t now_us = 0) {
    std::string out;
    for (int i = 0; i < n; ++i) s.append("h", "c", now_us, out);
    return out;
  }
};

TEST_F(RelpSessionTest, OpensSendsAndCloses) {
  RelpSession s({});
  EXPECT_EQ(s.room(), 0u);
  const std::string offers = "relp_version=0\nrelp_software=wafd," WAFD_VERSION "\ncommands=syslog";
  EXPECT_EQ(s.open(0), "1 open " + std::to_string(offers.size()) + " " + offers + "\n");
  EXPECT_FALSE(s.is_open());
  for (const char c : kGreeting) ASSERT_TRUE(s.on_bytes(std::string_view(&c, 1), 0)) << s.error();
  EXPECT_TRUE(s.is_open());
  EXPECT_EQ(s.room(), 1024u);
  std::string out;
  EXPECT_EQ(s.append("<30>1 ", "hello", 0, out), 24u);
  EXPECT_EQ(s.append("<30>1 ", "again", 0, out), 24u);
  EXPECT_EQ(out, "2 syslog 11 <30>1 hello\n3 syslog 11 <30>1 again\n");
  EXPECT_TRUE(s.on_bytes("2 rsp 6 200 OK\n", 0));
  EXPECT_EQ(s.window().settled_bytes(), 24u);
  EXPECT_EQ(s.window().waiting(), 1u);
  EXPECT_TRUE(s.on_bytes("3 rsp 6 200 OK\n", 0));
  EXPECT_EQ(s.window().size(), 0u);
  EXPECT_EQ(s.close(), "4 close 0\n");
  EXPECT_TRUE(s.on_bytes("4 rsp 0\n0 serverclose 0\n", 0));
  EXPECT_FALSE(s.failed());
}

TEST_F(RelpSessionTest, TheWindowIsAsWideAsItIs) {
  RelpSession s = opened({.window = 3});
  send(s, 2);
  EXPECT_EQ(s.room(), 1u);
  send(s, 2);  // a gap message more than was asked for
  EXPECT_EQ(s.room(), 0u);
  ASSERT_TRUE(s.on_bytes("4 rsp 3 200\n", 0));
  EXPECT_EQ(s.room(), 0u);  // out of order: the first still waits
  ASSERT_TRUE(s.on_bytes("2 rsp 3 200\n3 rsp 3 200\n", 0));
  EXPECT_EQ(s.room(), 2u);
}

TEST_F(RelpSessionTest, WhatAPeerMayNotSend) {
  struct Row {
    const char* bytes;  // to a session with messages 2 and 3 unanswered
    const char* error;
  };
  const Row rows[] = {
      {"2 rsp 6 200 OK\n2 rsp 6 200 OK\n",
       "the receiver answers a RELP message that does not wait for an answer"},
      {"3 rsp 6 200 OK\n3 rsp 6 500 no\n",
       "the receiver answers a RELP message that does not wait for an answer"},
      {"4 rsp 6 200 OK\n", "the receiver answers a RELP message that does not wait for an answer"},
      {"1 rsp 6 200 OK\n", "the receiver answers a RELP message that does not wait for an answer"},
      {"0 rsp 6 200 OK\n", "the receiver answers a RELP message that does not wait for an answer"},
      {"999999999 rsp 6 200 OK\n", "the receiver answers a RELP message that does not wait for an answer"},
      {"2 rsp 0\n", "the receiver sent a RELP answer without a status"},
      {"2 rsp 2 OK\n", "the receiver sent a RELP answer without a status"},
      {"2 syslog 2 hi\n", "the receiver sent a RELP command that only a sender may send"},
      {"0 serverclose 0\n", "the receiver closes the RELP session"},
      {"220 smtp ready", "the receiver does not speak RELP: expected a number"},
      {"2 rsp 4097 ", "the receiver does not speak RELP: expected less data"},
      {"99999999999999999999", "the receiver does not speak RELP: expected a number of at most 9 digits"},
  };
  for (const Row& row : rows) {
    RelpSession s = opened();
    send(s, 2);
    const bool sound = s.on_bytes(row.bytes, 0);
    EXPECT_FALSE(sound) << row.bytes;
    EXPECT_TRUE(s.failed());
    if (std::string_view(row.bytes).starts_with("220"))
      EXPECT_TRUE(s.error().starts_with("the receiver does not speak RELP")) << s.error();
    else
      EXPECT_EQ(s.error(), row.error) << row.bytes;
    EXPECT_FALSE(s.on_bytes("2 rsp 6 200 OK\n", 0)) << "a failed session stays so";
    EXPECT_LE(s.window().first(), 1u);
  }
}

TEST_F(RelpSessionTest, AnswersToOpen) {
  struct Row {
    const char* data;
    const char* error;
  };
  const Row rows[] = {
      {"200 OK\nrelp_version=1\nrelp_software=x\ncommands=syslog,eventlog", ""},
      {"500 go away", "the receiver refuses the RELP session, status 500"},
      {"", "the receiver refuses the RELP session, status 000"},
      {"200 OK", "the receiver's answer to the RELP open names no relp_version"},
      {"200 OK\nrelp_version=0", "the receiver takes no syslog over RELP"},
      {"200 OK\nrelp_version=0\ncommands=eventlog", "the receiver takes no syslog over RELP"},
  };
  for (const Row& row : rows) {
    RelpSession s({});
    s.open(0);
    EXPECT_EQ(s.on_bytes(frame(1, "rsp", row.data), 0), row.error[0] == 0);
    EXPECT_EQ(s.error(), row.error);
    EXPECT_EQ(s.is_open(), row.error[0] == 0);
  }
  RelpSession s({});
  s.open(0);
  EXPECT_FALSE(s.on_bytes("2 rsp 6 200 OK\n", 0));
  EXPECT_EQ(s.error(), "the receiver answers something else than the RELP open");
}

TEST_F(RelpSessionTest, Refusals) {
  // Poison: the one behind it is taken.
  RelpSession s = opened();
  send(s, 3);
  ASSERT_TRUE(s.on_bytes("2 rsp 6 500 no\n", 10));
  EXPECT_EQ(s.window().rejected(), 0u);
  ASSERT_TRUE(s.on_bytes("3 rsp 6 200 OK\n", 20));
  EXPECT_EQ(s.window().rejected(), 1u);
  EXPECT_EQ(s.window().first(), 2u);
  EXPECT_EQ(s.refusal(), 500);
  // All of them: the session ends after a second, and nothing was settled.
  s = opened();
  send(s, 2);
  ASSERT_TRUE(s.on_bytes("2 rsp 6 500 no\n3 rsp 6 451 no\n", 1000));
  EXPECT_EQ(s.wake_at(), 1'001'000);
  EXPECT_TRUE(s.on_time(1'000'999));
  EXPECT_FALSE(s.on_time(1'001'000));
  EXPECT_EQ(s.error(), "the receiver refuses messages, status 451");
  EXPECT_EQ(s.window().first(), 0u);
  EXPECT_EQ(s.window().rejected(), 0u);
}

TEST_F(RelpSessionTest, LimitsOfTime) {
  RelpSession s({});
  s.open(7);
  EXPECT_EQ(s.wake_at(), 5'000'007);
  EXPECT_FALSE(s.on_time(5'000'007));
  EXPECT_EQ(s.error(), "the receiver did not answer the RELP open within 5 s");

  s = opened();
  EXPECT_EQ(s.wake_at(), INT64_MAX);
  send(s, 1, 1000);
  EXPECT_EQ(s.wake_at(), 600'001'000);
  send(s, 1, 2000);
  EXPECT_EQ(s.wake_at(), 600'001'000);
  ASSERT_TRUE(s.on_bytes("2 rsp 3 200\n", 3000));
  EXPECT_EQ(s.wake_at(), 600'003'000);
  EXPECT_TRUE(s.on_time(600'002'999));
  EXPECT_FALSE(s.on_time(600'003'000));
  EXPECT_EQ(s.error(), "the receiver acknowledged nothing for 600 s");
}

}  // namespace
}  // namespace wafd::forward
