#include "console/credentials/common_passwords.h"

#include <algorithm>
#include <array>
#include <string>

#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

// A password is common if, without digits and punctuation, it is one of these words or several in a row.
constexpr std::array<std::string_view, 84> kWords{
    "abc",        "abcd",       "access",     "admin",    "administrator", "alexander", "asdf",
    "asdfgh",     "asdfghjkl",  "autumn",     "baseball", "basketball",    "batman",    "battery",
    "bitte",      "changeit",   "change",     "changeme", "charlie",       "chelsea",   "computer",
    "console",    "correct",    "daemon",     "default",  "demo",          "dragon",    "firewall",
    "football",   "freedom",    "friday",     "geheim",   "guest",         "hello",     "horse",
    "hunter",     "iloveyou",   "internet",   "killer",   "letmein",       "liverpool", "login",
    "love",       "manager",    "master",     "me",       "michael",       "monday",    "monkey",
    "motdepasse", "mypassword", "new",        "ninja",    "now",           "pass",      "passphrase",
    "passwort",   "password",   "please",     "princess", "private",       "qazwsx",    "qwer",
    "qwert",      "qwerty",     "qwertyuiop", "qwertz",   "root",          "secret",    "security",
    "server",     "shadow",     "spring",     "staple",   "summer",        "sunshine",  "superman",
    "system",     "test",       "trustno",    "user",     "wafd",          "welcome",   "winter",
};

char letter_of(char c) noexcept {
  switch (c) {
    case '0':
      return 'o';
    case '1':
      return 'i';
    case '3':
      return 'e';
    case '4':
    case '@':
      return 'a';
    case '5':
    case '$':
      return 's';
    case '7':
      return 't';
    default:
      return c;
  }
}

// True if `text` is a row of at most four words of the list.
bool is_row_of_words(std::string_view text) {
  constexpr std::size_t kMaxWords = 4;
  std::string fewest(text.size() + 1, '\xff');  // words that end here
  fewest[0] = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (byte(fewest[at]) >= kMaxWords) continue;
    for (const std::string_view word : kWords) {
      if (text.substr(at, word.size()) != word) continue;
      char& next = fewest[at + word.size()];
      next = static_cast<char>(std::min<unsigned>(byte(next), byte(fewest[at]) + 1u));
    }
  }
  return !text.empty() && byte(fewest[text.size()]) <= kMaxWords;
}

}  // namespace

bool is_common_password(std::string_view lower) {
  std::string letters;      // nothing but the letters
  std::string substituted;  // digits read as the letters they stand for, but for those at the end
  for (const char c : lower) {
    if (is_alpha(c)) letters += c;
    if (byte(c) >= 0x80) return false;
  }
  std::string_view core = lower;
  while (!core.empty() && !is_alpha(core.back())) core.remove_suffix(1);
  for (const char c : core) {
    if (const char letter = letter_of(c); is_alpha(letter)) substituted += letter;
  }
  // Digits alone: a keyboard row or a date, not a password.
  if (letters.empty()) return std::all_of(lower.begin(), lower.end(), [](char c) { return is_digit(c); });
  // Many characters that are no letters make a password of their own.
  constexpr std::size_t kMaxOthers = 8;
  return (lower.size() - letters.size() <= kMaxOthers && is_row_of_words(letters)) ||
         (lower.size() - substituted.size() <= kMaxOthers && is_row_of_words(substituted));
}

}  // namespace wafd::console
