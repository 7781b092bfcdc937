#include "detect/core/secret_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "detect/core/bytes.h"

namespace wafd {
namespace {

// Parts of a name, letters and digits only, that make its value a secret wherever they stand.
constexpr std::array<std::string_view, 15> kSecretParts{
    "password",        "passwd",     "passphrase",  "passcode",  "pwd",
    "secret",          "apikey",     "accesstoken", "idtoken",   "refreshtoken",
    "clientassertion", "privatekey", "credential",  "authtoken", "cvv"};
// Names that are a secret only as a whole.
constexpr std::array<std::string_view, 4> kSecretNames{"pw", "pin", "otp", "retype"};
// Words that end like userpass and are no secret.
constexpr std::array<std::string_view, 6> kOtherPasses{"compass",  "bypass",    "trespass",
                                                       "overpass", "underpass", "surpass"};

// Letters and digits of `name`, lower case: user[Pass-Word] is userpassword.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (is_alnum(c)) out += to_lower(c);
  }
  return out;
}

// pass, userpass, db_pass
bool ends_in_pass(std::string_view name) noexcept {
  return name.ends_with("pass") && std::none_of(kOtherPasses.begin(), kOtherPasses.end(),
                                                [&](std::string_view word) { return name.ends_with(word); });
}

}  // namespace

std::string_view innermost_name(std::string_view name) noexcept {
  while (!name.empty() && (name.back() == ']' || name.back() == '[')) name.remove_suffix(1);
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] != '[' && name[begin - 1] != '.') --begin;
  return name.substr(begin);
}

bool is_secret_name(std::string_view name) {
  const std::string whole = folded(name);
  std::string last = folded(innermost_name(name));
  // pass1 and pass2: typed twice
  while (!last.empty() && is_digit(last.back())) last.pop_back();
  return ends_in_pass(last) ||
         std::any_of(kSecretParts.begin(), kSecretParts.end(),
                     [&](std::string_view part) { return whole.find(part) != std::string::npos; }) ||
         std::any_of(kSecretNames.begin(), kSecretNames.end(), [&](std::string_view n) { return last == n; });
}

}  // namespace wafd
