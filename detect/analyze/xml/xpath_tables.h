// Rows of the table of XPath's functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect::xml {

enum class FunctionUse : std::uint8_t {
  kOwn,       // no other language has a function of the name
  kNodes,     // of nodes, and a word of other languages
  kCommon,    // a function of other languages, too
  kTest,      // of nodes, in a step
  kDocument,  // reads another document
};
struct XpathFunction {
  std::string_view text;
  FunctionUse use;
  std::uint32_t fewest;  // arguments
  std::uint32_t most;
};

}  // namespace wafd::detect::xml
