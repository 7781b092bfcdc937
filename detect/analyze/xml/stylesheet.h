// Rows of the table of what stylesheets call.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect::xml {

enum class SignUse : std::uint8_t {
  kNamespace,  // of functions that call code
  kCall,       // in a stylesheet alone
};
struct StylesheetSign {
  std::string_view text;
  SignUse use;
};

}  // namespace wafd::detect::xml
