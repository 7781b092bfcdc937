#include "console/base/audit_head.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "console/base/audit_log.h"
#include "console/base/secrets.h"
#include "files/small_file.h"
#include "tests/support/temp_folder.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMost = 1u << 14;
constexpr std::size_t kOldBytes = 86;  // of a line from before slots

std::string chain_of(std::uint64_t seq) { return sha256_hex(std::to_string(seq)); }
std::string old_line(std::uint64_t seq) { return fmt::format("{:020} {}\n", seq, chain_of(seq)); }

class AuditHeadTest : public testing::Test {
 protected:
  AuditHead open() const { return AuditHead(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)); }
  void write(std::uint64_t seq) const {
    AuditHead head = open();
    (void)head.read();
    EXPECT_TRUE(head.write({seq, chain_of(seq)}));
  }
  std::uint64_t seq() const {
    const auto place = open().read();
    if (!place) return 0;
    EXPECT_EQ(place->chain, chain_of(place->seq));
    return place->seq;
  }
  std::string bytes() const { return read_file(path_, kMost).value(); }
  void put(const std::string& text) const { std::ofstream(path_, std::ios::trunc) << text; }

  test::TempFolder folder_;
  const std::string path_ = folder_.path + "/audit.head";
};

TEST_F(AuditHeadTest, TheNewerOfTwoCounts) {
  EXPECT_EQ(seq(), 0u);
  for (const std::uint64_t number : {1, 2, 3, 9, 10, 1000}) {
    write(number);
    EXPECT_EQ(seq(), number);
  }
  AuditHead head = open();
  ASSERT_TRUE(head.read());
  for (std::uint64_t number = 1001; number < 1005; ++number) {
    ASSERT_TRUE(head.write({number, chain_of(number)}));
    EXPECT_EQ(seq(), number) << "of one who goes on without reading";
  }
}

// Whatever part of a write is there: the one before counts, or the new one whole.
TEST_F(AuditHeadTest, AWriteTornAnywhereLeavesTheOneBefore) {
  int torn = 0;
  for (const std::string& begun : {std::string(), old_line(7)}) {
    for (int writes = begun.empty() ? 2 : 1; writes < 4; ++writes) {
      put(begun);
      for (int n = 0; n < writes; ++n) write(8 + static_cast<std::uint64_t>(n));
      const std::string before = bytes();
      const std::uint64_t last = seq();
      write(last + 1);
      std::string whole = bytes();
      std::string padded = before;
      padded.resize(whole.size(), '\0');
      // From the front, from the back, and each byte alone missing.
      for (std::size_t at = 0; at < whole.size(); ++at) {
        if (padded[at] == whole[at]) continue;
        std::string one = whole;
        one[at] = padded[at];
        for (const std::string& text :
             {whole.substr(0, at) + padded.substr(at), padded.substr(0, at) + whole.substr(at), one}) {
          put(text);
          EXPECT_TRUE(seq() == last || (text == whole && seq() == last + 1)) << writes << ' ' << at;
          ++torn;
        }
      }
    }
  }
  EXPECT_GT(torn, 1000);
}

TEST_F(AuditHeadTest, OfTheTimeBeforeSlots) {
  put(old_line(41));
  EXPECT_EQ(seq(), 41u);
  write(42);
  EXPECT_EQ(bytes().substr(0, kOldBytes), old_line(41)) << "as it reads it after a downgrade: one behind";
  write(43);
  EXPECT_EQ(bytes().substr(0, kOldBytes), old_line(43));
  // And when it has written again, in place.
  std::string text = bytes();
  text.replace(0, kOldBytes, old_line(90));
  put(text);
  EXPECT_EQ(seq(), 42u) << "what has no checksum of its own counts no more";
  write(91);
  EXPECT_EQ(seq(), 91u);
}

TEST_F(AuditHeadTest, WhatIsNoSlot) {
  const std::string good = audit_slot({5, chain_of(5)});
  ASSERT_TRUE(read_audit_slot(good, true));
  EXPECT_FALSE(read_audit_slot("", false));
  EXPECT_FALSE(read_audit_slot(old_line(5), true));
  EXPECT_TRUE(read_audit_slot(old_line(5) + std::string(65, '\0'), false));
  EXPECT_FALSE(read_audit_slot(std::string(good.size(), '\0'), false));
  EXPECT_FALSE(read_audit_slot(good.substr(0, good.size() - 1), false));
  std::string many = old_line(5);
  many.replace(0, 20, "99999999999999999999");
  EXPECT_FALSE(read_audit_slot(many, false)) << "beyond 64 bits";
  many.replace(0, 20, "0000000000000000000x");
  EXPECT_FALSE(read_audit_slot(many, false));
}

// A log whose last head was torn says nothing of damage, and still shows what is cut off behind the one
// before.
TEST_F(AuditHeadTest, OfALogThatLostItsNewerOne) {
  const AuditEntry entry{1, "admin", "session", "192.0.2.1", "site.change", "7", {}};
  const std::string log = folder_.path + "/audit.log";
  std::string before;
  {
    auto written = AuditLog::open(folder_.path).value();
    for (int n = 0; n < 20; ++n) {
      if (n == 18) before = read_file(log, 1u << 16).value();
      ASSERT_TRUE(written.append(entry));
    }
  }
  std::string text = bytes();
  text[kAuditSlotBytes + 10] = 'x';  // the twentieth is in the second
  put(text);
  EXPECT_EQ(open().read().value().seq, 19u);
  EXPECT_EQ(AuditLog::open_to_read(folder_.path).value().damage(), "");
  std::ofstream(log, std::ios::trunc) << before;
  EXPECT_EQ(AuditLog::open_to_read(folder_.path).value().damage(),
            log + ": entries 19 to 19 at its end are missing");
}

// A head that could not be written for a while is older than the move of the file.
TEST_F(AuditHeadTest, ThatNamesAnOlderEntryOfTheFileBefore) {
  const AuditEntry entry{1, "admin", "session", "192.0.2.1", "site.change", "7", {}};
  const std::string log = folder_.path + "/audit.log";
  std::string head, oldest;
  {
    auto written = AuditLog::open(folder_.path).value();
    for (int n = 0; n < 9; ++n) {
      ASSERT_TRUE(written.append(entry));
      if (n == 1) oldest = bytes();
      if (n == 4) head = bytes();
    }
  }
  put(head);
  std::filesystem::rename(log, log + ".1");
  const auto damage = [&] { return AuditLog::open_to_read(folder_.path).value().damage(); };
  std::ofstream(log) << "";
  EXPECT_EQ(open().read().value().seq, 5u);
  EXPECT_EQ(damage(), "");
  // Another chain of that entry, and one that nothing kept can be compared with.
  AuditHead other = open();
  ASSERT_TRUE(other.read());
  ASSERT_TRUE(other.write({5, chain_of(5)}));
  ASSERT_TRUE(other.write({5, chain_of(5)}));
  EXPECT_EQ(damage(), log + ": entry 5 was changed: audit.head has another chain of it");
  put(oldest);
  std::string text = read_file(log + ".1", 1u << 16).value();
  for (int n = 0; n < 3; ++n) text.erase(0, text.find('\n') + 1);
  std::ofstream(log + ".1", std::ios::trunc) << text;
  EXPECT_EQ(damage(), log +
                          ": audit.head is missing or damaged, so whether entries behind 9 were cut off is "
                          "not known");
}

}  // namespace
}  // namespace wafd::console
