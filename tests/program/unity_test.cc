// A name in an anonymous namespace stands once in a library: the release preset compiles several sources of
// one as a single source, where two of the same name collide, or one silently takes the other's place.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/program/source_tree.h"

namespace {

namespace fs = std::filesystem;

// What clang-format leaves without indentation inside of `namespace {`: types, constants and functions.
std::set<std::string> anonymous_names(const fs::path& source) {
  static const std::regex kDeclaration(
      R"(^(?:(?:enum class|enum|class|struct) (\w+)|(?:constexpr|const|inline|thread_local)\b[^=({]*\b(k[A-Z]\w*)\b|[\w:][\w:<>,&* \[\]]*[ &*>](\w+)\().*)");
  std::set<std::string> out;
  std::ifstream in(source);
  bool inside = false, quoted = false;  // in the anonymous namespace; in a raw string
  for (std::string line; std::getline(in, line);) {
    if (line.find("R\"(") != std::string::npos) quoted = true;
    if (line.find(")\"") != std::string::npos) quoted = false;
    if (line == "namespace {" || line == "}  // namespace") inside = line == "namespace {";
    std::smatch found;
    if (!inside || quoted || !std::regex_match(line, found, kDeclaration)) continue;
    for (std::size_t group = 1; group < found.size(); ++group)
      if (found[group].matched) out.insert(found[group].str());
  }
  return out;
}

// The program has the commands of every folder; other sources belong to the library of their folder.
std::string library_of(const fs::path& relative) {
  return relative.filename() == "commands.cc" ? "" : relative.parent_path().string();
}

}  // namespace

TEST(Unity, ANameStandsOnceInALibrary) {
  const fs::path root = WAFD_SOURCE_DIR;
  std::map<std::string, std::map<std::string, std::vector<std::string>>> places;  // library, name, sources
  std::size_t sources = 0;
  for (const fs::path& file : files_of_project({"tests", "bench", "detect"})) {
    if (file.extension() != ".cc") continue;
    ++sources;
    const fs::path relative = fs::relative(file, root);
    for (const std::string& one : anonymous_names(file))
      places[library_of(relative)][one].push_back(relative);
  }
  EXPECT_GT(sources, 200u);
  for (const auto& [library, names] : places)
    for (const auto& [name, files] : names)
      EXPECT_EQ(files.size(), 1u) << fmt::format("{} stands in {}", name, fmt::join(files, ", "));
}
