#include "forward/protocol/ack_window.h"

#include <string>

#include <gtest/gtest.h>

namespace wafd::forward {
namespace {

// A script: 's' sends a message of 10 bytes, a digit takes the message of that id, a letter from 'A' on
// refuses it. Each step adds "first/size/waiting/put aside", or '!' for an answer that nothing waits for.
std::string run(std::string_view script) {
  AckWindow w;
  std::string out;
  for (const char c : script) {
    if (c == 's')
      w.sent(10);
    else if (!(c >= 'A' ? w.refused(static_cast<std::uint64_t>(c - 'A'))
                        : w.taken(static_cast<std::uint64_t>(c - '0'))))
      out += '!';
    EXPECT_EQ(w.settled_bytes(), 10 * w.first());
  }
  return out + std::to_string(w.first()) + "/" + std::to_string(w.size()) + "/" +
         std::to_string(w.waiting()) + "/" + std::to_string(w.rejected()) +
         (w.held_by_refusal() ? " held" : "");
}

TEST(AckWindow, Table) {
  struct Row {
    const char* script;
    const char* expected;
  };
  const Row rows[] = {
      {"", "0/0/0/0"},
      {"sss", "0/3/3/0"},
      {"sss0", "1/2/2/0"},
      {"sss2", "0/3/2/0"},    // a later one alone settles nothing
      {"sss210", "3/0/0/0"},  // any order
      {"sss00", "!1/2/2/0"},  // twice
      {"sss3", "!0/3/3/0"},   // never sent
      {"0", "!0/0/0/0"},
      {"sA", "0/1/0/0 held"},  // refused, and nothing tells poison from trouble yet
      {"sAs", "0/2/1/0 held"},
      {"sAs1", "2/0/0/1"},  // a later one was taken: poison
      {"ss1A", "2/0/0/1"},  // in the other order too
      {"sssABC", "0/3/0/0 held"},
      {"ssss0BC", "1/3/1/0 held"},  // what was taken before says nothing
      {"ssss0BC3", "4/0/0/2"},
      {"sssAC1", "2/1/0/1 held"},  // of two refused the later one still waits
      {"sAA", "!0/1/0/0 held"},
      {"sA0", "!0/1/0/0 held"},
  };
  for (const Row& row : rows) EXPECT_EQ(run(row.script), row.expected) << row.script;
}

}  // namespace
}  // namespace wafd::forward
