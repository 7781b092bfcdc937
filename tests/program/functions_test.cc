// A function fits on a screen: none of the sources is longer than 60 lines, but for tables.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/program/source_tree.h"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 60;

// Tables in the form of a function: they have a row for each fact, and no steps.
const std::vector<std::string> kTables{
    "config.cc keys",
    "console/api/schemas/schemas_events.cc event_schemas",
    "console/api/schemas/schemas_people.cc people_schemas",
    "console/api/schemas/schemas_settings.cc settings_schemas",
    "detect/analyze/sql/sql_needs.cc sql_needs",
    "detect/core/record_json.cc append_record_json",
};

struct Function {
  std::string place;  // file and name
  std::size_t lines;
};

// By the layout that clang-format gives: a function begins with a line of no indentation, or that of a class,
// which ends in "{", and ends with the "}" of the same indentation. A signature of several lines counts with
// its last line alone.
void append_functions(const std::string& file, const std::vector<std::string>& lines,
                      std::vector<Function>& out) {
  static const std::regex kBegin(R"(^( {0,2})\S.*\{$|^ {4,}\S.*\) (const )?(noexcept )?\{$)");
  static const std::regex kOther(
      R"(^\s*(template .*)?(inline )?(namespace|struct|class|enum|union|extern|if|for|while|switch|do|else|return|\})\b.*)");
  static const std::regex kName(R"(([A-Za-z_~][A-Za-z0-9_:~]*)\()");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch begin, name;
    if (!std::regex_match(lines[i], begin, kBegin) || std::regex_match(lines[i], kOther)) continue;
    // The first line of the signature has its indentation and its name.
    std::size_t first = i;
    while (first > 0 && lines[first].starts_with("    ")) --first;
    if (!std::regex_search(lines[first], name, kName) || std::regex_match(lines[first], kOther)) continue;
    // A call that is given a lambda expression begins no function.
    if (name.prefix().str().find_first_of(".=") != std::string::npos) continue;
    const std::string indentation(lines[first].find_first_not_of(' '), ' ');
    const auto end =
        std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(i) + 1, lines.end(),
                     [&](const std::string& line) { return line.starts_with(indentation + "}"); });
    const auto length = static_cast<std::size_t>(end - lines.begin()) - i + 1;
    out.push_back({file + " " + name[1].str(), length});
  }
}

std::vector<Function> functions(const fs::path& root) {
  std::vector<Function> out;
  // Tests and programs of measurement have tables of cases and a main() that goes through its steps.
  for (const fs::path& file : files_of_project({"tests", "bench"})) {
    if (file.extension() != ".cc" && file.extension() != ".h") continue;
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    append_functions(fs::relative(file, root), lines, out);
  }
  return out;
}

TEST(Functions, FitOnAScreen) {
  const auto all = functions(WAFD_SOURCE_DIR);
  ASSERT_GT(all.size(), 2500u);
  for (const Function& f : all) {
    if (std::find(kTables.begin(), kTables.end(), f.place) != kTables.end()) continue;
    EXPECT_LE(f.lines, kMostLines) << f.place;
  }
}

TEST(Functions, AreMeasuredFromTheirFirstLineToTheirBrace) {
  std::vector<Function> found;
  append_functions(
      "a.cc",
      {"namespace wafd {", "int one() {", "  if (x) {", "  }", "}", "class A {", "  int two() {", "  }", "};",
       "void A::three(int a,", "              int b) const {", "  return;", "}", "}"},
      found);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(fmt::format("{} {}", found[0].place, found[0].lines), "a.cc one 4");
  EXPECT_EQ(fmt::format("{} {}", found[1].place, found[1].lines), "a.cc two 2");
  EXPECT_EQ(fmt::format("{} {}", found[2].place, found[2].lines), "a.cc A::three 3");
}

}  // namespace
