// One-time passwords against the vectors of their RFCs, and what a user's factor takes, once.
#include "console/credentials/second_factor.h"

#include <gtest/gtest.h>

#include "console/credentials/totp.h"
#include "tests/support/console_parts.h"

namespace wafd::console {
namespace {

constexpr std::string_view kKey = "12345678901234567890";

std::string key_of(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

TEST(Hotp, VectorsOfRfc4226) {
  constexpr const char* kCodes[] = {"755224", "287082", "359152", "969429", "338314",
                                    "254676", "287922", "162583", "399871", "520489"};
  for (std::uint64_t i = 0; i < std::size(kCodes); ++i) EXPECT_EQ(hotp(kKey, i), kCodes[i]) << i;
}

TEST(Totp, VectorsOfRfc6238) {
  struct Row {
    std::int64_t time_s;
    const char* code;
  };
  constexpr Row kRows[] = {{59, "94287082"},         {1111111109, "07081804"}, {1111111111, "14050471"},
                           {1234567890, "89005924"}, {2000000000, "69279037"}, {20000000000, "65353130"}};
  for (const Row& row : kRows)
    EXPECT_EQ(hotp(kKey, static_cast<std::uint64_t>(row.time_s / 30), 8), row.code) << row.time_s;
}

TEST(Totp, ACodeIsGoodAroundItsTimeAndOnce) {
  constexpr std::int64_t kNow = 1'700'000'000'000;
  constexpr std::int64_t kStep = kNow / kTotpStepMs;
  const auto code = [](std::int64_t step) { return hotp(kKey, static_cast<std::uint64_t>(step)); };
  for (const std::int64_t off : {-1, 0, 1})
    EXPECT_EQ(totp_step(kKey, code(kStep + off), kNow, 0), kStep + off);
  EXPECT_FALSE(totp_step(kKey, code(kStep - 2), kNow, 0)) << "too old";
  EXPECT_FALSE(totp_step(kKey, code(kStep + 2), kNow, 0)) << "too early";
  EXPECT_FALSE(totp_step(kKey, code(kStep), kNow, kStep)) << "taken before";
  EXPECT_FALSE(totp_step(kKey, code(kStep - 1), kNow, kStep)) << "older than one that was taken";
  EXPECT_TRUE(totp_step(kKey, code(kStep + 1), kNow, kStep));
  for (const char* wrong : {"", "000000", "12345", "1234567"})
    EXPECT_FALSE(totp_step(kKey, wrong, kNow, 0)) << wrong;
}

TEST(Base32, VectorsOfRfc4648WithoutPadding) {
  struct Row {
    const char* bytes;
    const char* text;
  };
  constexpr Row kRows[] = {{"", ""},
                           {"f", "MY"},
                           {"fo", "MZXQ"},
                           {"foo", "MZXW6"},
                           {"foob", "MZXW6YQ"},
                           {"fooba", "MZXW6YTB"},
                           {"foobar", "MZXW6YTBOI"}};
  for (const Row& row : kRows) EXPECT_EQ(base32(row.bytes), row.text);
}

TEST(OtpauthUri, NamesAreEscaped) {
  EXPECT_EQ(otpauth_uri("wafd", "ann@edge 1/a", "foobar"),
            "otpauth://totp/"
            "wafd:ann%40edge%201%2Fa?secret=MZXW6YTBOI&issuer=wafd&algorithm=SHA1&digits=6&period=30");
}

TEST(SecondFactor, IsInForceOnceACodeOfItCame) {
  test::CountingRandom random;
  constexpr std::int64_t kNow = 1'700'000'000'000;
  SecondFactor factor;
  const std::string key = begin_factor(factor, random);
  EXPECT_EQ(key.size(), kTotpSecretBytes);
  EXPECT_FALSE(factor.on());
  EXPECT_EQ(key_of(factor.pending), key);
  const std::string code = hotp(key, static_cast<std::uint64_t>(kNow / kTotpStepMs));
  EXPECT_FALSE(confirm_factor(factor, "000000", kNow));
  EXPECT_TRUE(confirm_factor(factor, code.substr(0, 3) + " " + code.substr(3), kNow)) << "as people type it";
  EXPECT_TRUE(factor.on());
  EXPECT_FALSE(confirm_factor(factor, code, kNow)) << "nothing is pending any more";
  EXPECT_EQ(use_code(factor, code, kNow), CodeUse::kRefused) << "the code that confirmed it is used up";
  const std::string next = hotp(key, static_cast<std::uint64_t>(kNow / kTotpStepMs + 1));
  EXPECT_EQ(use_code(factor, next, kNow + kTotpStepMs), CodeUse::kCode);
  EXPECT_EQ(use_code(factor, next, kNow + kTotpStepMs), CodeUse::kRefused) << "replayed";
}

TEST(SecondFactor, RecoveryCodesAreGoodOnce) {
  test::CountingRandom random;
  SecondFactor factor;
  begin_factor(factor, random);
  EXPECT_EQ(use_code(factor, "aaaa-bbbb-cccc", 0), CodeUse::kRefused) << "no factor, no code";
  factor.secret = std::move(factor.pending);
  const auto codes = new_recovery_codes(factor, random);
  ASSERT_EQ(codes.size(), kRecoveryCodes);
  for (const std::string& code : codes) {
    EXPECT_EQ(code.size(), 14u) << code;
    for (const std::string& kept : factor.recovery)
      EXPECT_EQ(kept.find(code.substr(0, 4)), std::string::npos);
  }
  EXPECT_EQ(use_code(factor, codes[3], 0), CodeUse::kRecovery);
  EXPECT_EQ(use_code(factor, codes[3], 0), CodeUse::kRefused);
  EXPECT_EQ(use_code(factor, "  " + codes[4].substr(0, 9) + codes[4].substr(10), 0), CodeUse::kRecovery);
  EXPECT_EQ(factor.recovery.size(), kRecoveryCodes - 2);
  new_recovery_codes(factor, random);
  EXPECT_EQ(use_code(factor, codes[5], 0), CodeUse::kRefused) << "new ones take the place of all";
}

}  // namespace
}  // namespace wafd::console
