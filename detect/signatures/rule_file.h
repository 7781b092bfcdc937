// A file of signature rules, as a text.
#pragma once

#include <string_view>

namespace wafd::detect {

// JSON in the format of detect/signatures/rules/README.md. Views must live until the call that takes it
// returns.
struct RuleFile {
  std::string_view name;  // for error messages
  std::string_view json;
};

}  // namespace wafd::detect
