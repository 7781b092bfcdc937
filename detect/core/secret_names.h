// Names of parameters whose values are secrets: passwords, tokens, keys. Their values are masked, and any
// bytes are ordinary in them.
#pragma once

#include <string_view>

namespace wafd {

// `name` is decoded: "user[pass-word]", "items.pin", "$.access_token". Letters and digits alone count,
// without case: a secret's word anywhere in it, or a short one (pin, otp) as its innermost part.
bool is_secret_name(std::string_view name);

// The innermost part of user[address][pin], items.pin, $.a.pin.
std::string_view innermost_name(std::string_view name) noexcept;

// Field::parent of the field "p" of a form that has a field "u", too: names of a user and a
// password.
inline constexpr std::string_view kLogInParent = "log-in form";

}  // namespace wafd
