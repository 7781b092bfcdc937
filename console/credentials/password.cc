#include "console/credentials/password.h"

#include <array>

#include <argon2.h>

#include "console/credentials/common_passwords.h"
#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;

// True if the text is one unit of up to 4 bytes over and over ("abcabcabcabc").
bool is_repetition(std::string_view text) noexcept {
  for (std::size_t unit = 1; unit <= 4; ++unit) {
    bool same = true;
    for (std::size_t i = unit; i < text.size() && same; ++i) same = text[i] == text[i - unit];
    if (same) return true;
  }
  return false;
}

// Every byte one above (or below) the one before: "abcdefghijkl", "210987654321" (ten digits wrap).
bool is_run(std::string_view text) noexcept {
  const auto follows = [](char a, char b) {
    return byte(b) == byte(a) + 1 || (a == '9' && b == '0') || (a == 'z' && b == 'a');
  };
  bool up = true;
  bool down = true;
  for (std::size_t i = 1; i < text.size(); ++i) {
    up = up && follows(text[i - 1], text[i]);
    down = down && follows(text[i], text[i - 1]);
  }
  return up || down;
}

}  // namespace

Result<std::string> hash_password(std::string_view password, Random& random, PasswordCost cost) {
  std::array<std::byte, kSaltBytes> salt{};
  random.fill(salt);
  std::array<char, 192> encoded{};
  const int status =
      argon2id_hash_encoded(cost.passes, cost.memory_kib, 1, password.data(), password.size(), salt.data(),
                            salt.size(), kHashBytes, encoded.data(), encoded.size());
  if (status != ARGON2_OK) {
    return fail(ErrorCode::kResource,
                std::string("the password cannot be hashed: ") + argon2_error_message(status));
  }
  return std::string(encoded.data());
}

bool verify_password(std::string_view password, const std::string& encoded) noexcept {
  return argon2id_verify(encoded.c_str(), password.data(), password.size()) == ARGON2_OK;
}

const std::string& nobody_hash() {
  static const std::string hash =
      "$argon2id$v=19$m=19456,t=2,p=1$d2FmZC1ub2JvZHktMDAwMQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  return hash;
}

Result<void> check_password(std::string_view password, std::string_view username) {
  if (password.size() < kMinPasswordBytes) {
    return fail(ErrorCode::kInvalid, "password: expected at least 12 characters");
  }
  if (password.size() > kMaxPasswordBytes)
    return fail(ErrorCode::kInvalid, "password: expected at most 128 bytes");
  const std::string lower = to_lower(password);
  if (is_common_password(lower) || is_repetition(lower) || is_run(lower)) {
    return fail(ErrorCode::kInvalid, "password: expected one that is not among the common ones");
  }
  if (username.size() >= 4 && ifind(password, username) != std::string_view::npos &&
      password.size() < username.size() + 8) {
    return fail(ErrorCode::kInvalid, "password: expected more than the user's name with a few characters");
  }
  return {};
}

}  // namespace wafd::console
