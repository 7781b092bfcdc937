// Words and statements of cmd.exe and PowerShell ("Windows commands", "about_Language_Keywords").
#pragma once

#include <cstddef>
#include <string_view>

#include "detect/analyze/base/evidence.h"
#include "detect/analyze/shell/expansion.h"

namespace wafd::detect::shell {

// A word after cmd.exe has removed carets and quotes and expanded variables, and PowerShell its
// backticks: w^hoami, who""ami, %comspec%, who`ami.
void append_windows_word(std::string_view spelled, Value& out) noexcept;

// if … and for … at `at` in the grammar of cmd.exe.
bool is_batch_statement(std::string_view text, std::size_t at) noexcept;

// Expressions of PowerShell that fetch or run code: .DownloadString(…), &('wh'+'oami'), [char]119+…
void read_powershell(std::string_view text, EvidenceList& out);

}  // namespace wafd::detect::shell
