// Cells of spreadsheets that start programs or fetch (CWE-1236): entered by people, opened by others (Excel,
// Google Sheets, LibreOffice Calc).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

namespace upload {

enum class FormulaUse : std::uint8_t {
  kFetches,
  kCalls,  // the name is a word of other languages: it begins its cell and takes a text
  kLinks,
};
struct FormulaFunction {
  std::string_view text;
  FormulaUse use;
};

}  // namespace upload

std::unique_ptr<Matcher> make_formula_matcher();

}  // namespace wafd::detect
