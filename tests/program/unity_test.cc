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

// Names of types, constants and functions in `namespace {`: clang-format leaves these lines without
// indentation.
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

std::set<std::string> header_constants(const fs::path& header) {
  static const std::regex kConstant(R"(^(?:inline )?constexpr\b[^=({]*\b(k[A-Z]\w*)\b.*)");
  std::set<std::string> out;
  std::ifstream in(header);
  std::smatch found;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, found, kConstant)) out.insert(found[1].str());
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

TEST(Unity, AConstantTakesNoPlaceOfOneInAHeader) {
  const fs::path root = WAFD_SOURCE_DIR;
  const auto top_of = [&root](const fs::path& file) { return fs::relative(file, root).begin()->string(); };
  std::map<std::string, std::set<std::string>> in_headers;  // folder at the top, names
  std::size_t constants = 0;
  const auto files = files_of_project({"tests", "bench", "detect"});
  for (const fs::path& file : files)
    if (file.extension() == ".h") in_headers[top_of(file)].merge(header_constants(file));
  for (const auto& [top, names] : in_headers) constants += names.size();
  EXPECT_GT(constants, 100u);
  for (const fs::path& file : files) {
    if (file.extension() != ".cc") continue;
    for (const std::string& name : anonymous_names(file))
      EXPECT_FALSE(in_headers[top_of(file)].contains(name)) << name << " of " << file;
  }
}
