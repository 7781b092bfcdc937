// Formulas that run commands or fetch when a spreadsheet opens the value or the CSV file that holds it.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

// Reads cells: what begins the text or stands behind a separator or quote, and begins with = + - @
// (Microsoft, "Dynamic Data Exchange"; OpenDocument 1.2, part 2; functions of Excel and Google Sheets that
// fetch or call).
std::unique_ptr<Analyzer> make_formula_analyzer();

}  // namespace wafd::detect
