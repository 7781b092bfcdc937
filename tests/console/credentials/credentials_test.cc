// Passwords, log-in delays, the store of users, sessions and tokens.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "console/credentials/login_guard.h"
#include "console/credentials/password.h"
#include "console/credentials/store.h"
#include "files/small_file.h"
#include "tests/support/console_parts.h"
#include "tests/support/temp_folder.h"

namespace wafd::console {
namespace {

TEST(Password, Table) {
  struct Row {
    const char* password;
    bool good;
  };
  constexpr Row kRows[] = {
      {"violet-otter-41", true},
      {"a1b2c3d4e5f6g7h8", true},
      {"correcthorsebatterystaple", false},
      {"my dog ate 3 keys", true},
      {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f-wolke-9", true},
      {"eleven-char", false},
      {"Password12345", false},
      {"pa$$w0rd-2025!", false},
      {"Admin@123456", false},
      {"changeme12345", false},
      {"welcome-summer-1", false},
      {"111111111111", false},
      {"abcdabcdabcd", false},
      {"01234567890123", false},
      {"zyxwvutsrqponm", false},
      {"198701011987", false},
      {"operator99-abc1", false},
  };
  for (const Row& row : kRows)
    EXPECT_EQ(check_password(row.password, "operator99").has_value(), row.good) << row.password;
  std::string long_one;
  for (int i = 0; long_one.size() < 128; ++i) long_one += static_cast<char>('a' + i * i * 7 % 26);
  EXPECT_TRUE(check_password(long_one, "operator99")) << "letters alone will do, up to 128";
  EXPECT_FALSE(check_password(long_one + 'x', "operator99"));
}

TEST(Password, HashesAreArgon2idAtFullCost) {
  test::CountingRandom random;
  const auto hash = hash_password("violet-otter-41", random);
  ASSERT_TRUE(hash);
  EXPECT_EQ(hash->rfind("$argon2id$v=19$m=19456,t=2,p=1$", 0), 0u) << *hash;
  EXPECT_NE(*hash, *hash_password("violet-otter-41", random)) << "salted";
  EXPECT_TRUE(verify_password("violet-otter-41", *hash));
  EXPECT_FALSE(verify_password("violet-otter-42", *hash));
  EXPECT_FALSE(verify_password("", "garbage"));
  // The hash that passwords of unknown users are compared with must cost as much: the same parameters, in a
  // form that the library reads.
  EXPECT_EQ(nobody_hash().substr(0, 31), hash->substr(0, 31));
  EXPECT_EQ(nobody_hash().size(), hash->size());
}

TEST(LoginGuard, DelaysDoubleAndStrangersDoNotLockOut) {
  LoginGuard guard;
  std::int64_t now = 1'000'000;
  guard.succeeded("ann", "192.0.2.1", now);
  const std::int64_t expected[] = {0, 0, 0, 0, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000};
  for (const std::int64_t delay : expected) {
    guard.failed("ann", "198.51.100.7", now);
    EXPECT_EQ(guard.delay_ms("ann", "198.51.100.7", now), delay);
  }
  EXPECT_EQ(guard.delay_ms("ann", "198.51.100.7", now + 59'999), 1);
  EXPECT_EQ(guard.delay_ms("ann", "198.51.100.7", now + 60'000), 0);
  EXPECT_EQ(guard.delay_ms("ann", "198.51.100.8", now), 0);
  // A whole botnet against one account.
  for (int i = 0; i < 200; ++i) guard.failed("ann", "203.0.113." + std::to_string(i), now);
  EXPECT_EQ(guard.delay_ms("ann", "192.0.2.1", now), 0) << "known address";
  EXPECT_LE(guard.delay_ms("ann", "192.0.2.99", now), LoginGuard::kMaxStrangersDelayMs);
  EXPECT_GT(guard.delay_ms("ann", "192.0.2.99", now), 0);
}

TEST(LoginGuard, OneAddressForManyAccountsAndIpv6Neighbours) {
  LoginGuard guard;
  for (int i = 0; i < LoginGuard::kFreeAddressFailures; ++i)
    guard.failed("user" + std::to_string(i), "2001:db8::1", 0);
  EXPECT_GT(guard.delay_ms("another", "2001:db8::2", 0), 0) << "the same /64";
  EXPECT_EQ(guard.delay_ms("another", "2001:db8:0:1::2", 0), 0);
}

TEST(LoginGuard, MemoryIsBounded) {
  LoginGuard guard;
  for (int i = 0; i < 60'000; ++i)
    guard.failed("u" + std::to_string(i),
                 "10." + std::to_string(i >> 16) + "." + std::to_string((i >> 8) & 255) + "." +
                     std::to_string(i & 255),
                 i);
  EXPECT_GT(guard.delay_ms("x", "10.0.0.1", 60'000) + 1, 0);
}

TEST(CredentialStore, SessionsOfOneUserAreCapped) {
  test::TempFolder folder;
  test::CountingRandom random;
  auto store = CredentialStore::open(folder.path).value();
  User user;
  user.username = "ann";
  user.role = Role::kAdmin;
  user.password = "not a hash";
  ASSERT_TRUE(store.add_user(user));
  const std::string first = store.open_session("ann", "192.0.2.1", "agent \xff\n", random, 1000).value();
  for (std::size_t i = 0; i < kMaxSessionsPerUser; ++i) {
    ASSERT_TRUE(store.open_session("ann", "192.0.2.1", "", random, 2000 + static_cast<std::int64_t>(i)));
  }
  EXPECT_EQ(store.sessions().size(), kMaxSessionsPerUser);
  EXPECT_EQ(store.use_session(first, 3000), nullptr) << "the least recently used one made room";
  EXPECT_TRUE(CredentialStore::open(folder.path)) << "odd bytes of a client must not damage the file";
}

// Nothing says that a file is damaged which the disk does not give: it stays where it is.
TEST(CredentialStore, WhatCannotBeReadIsNotPutAside) {
  test::TempFolder folder;
  const std::string path = folder.path + "/credentials.json";
  std::filesystem::create_directory(path);
  EXPECT_FALSE(CredentialStore::open_or_replace(folder.path));
  EXPECT_TRUE(std::filesystem::is_directory(path));
  std::filesystem::remove(path);
  std::ofstream(path) << "{";
  const auto replaced = CredentialStore::open_or_replace(folder.path);
  ASSERT_TRUE(replaced);
  EXPECT_NE(replaced->notice(), "");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(CredentialStore, NothingChangesIfItCannotBeSaved) {
  test::TempFolder folder;
  auto store = CredentialStore::open(folder.path + "/missing").value();
  User user;
  user.username = "ann";
  EXPECT_FALSE(store.add_user(user));
  EXPECT_TRUE(store.empty());
}

}  // namespace
}  // namespace wafd::console
