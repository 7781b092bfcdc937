// Names in the documents exist: keys of the configuration, files, kinds of evidence.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config_keys.h"
#include "tests/program/source_tree.h"

namespace wafd {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  for (const fs::path& file : files_of_project())
    if (file.extension() == ".md" && file.filename() != "CHANGELOG.md") found.push_back(file);
  return found;
}

// Names in code spans that begin like a key of the configuration: `ingest.t1k.listen`. Files in the same
// places are none: `ring.h`, `settings.json`.
TEST(Documents, NameKeysThatThereAre) {
  const std::regex span(R"(`([a-z0-9_]+(?:\.[a-z0-9_]+)+)(?::[^`]*)?`)");
  const std::regex file(R"(.*\.(h|cc|json|md|tsv|conf|damaged|unreadable))");
  std::size_t keys = 0;
  for (const fs::path& document : documents()) {
    std::ifstream in(document);
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
      for (std::sregex_iterator at(line.begin(), line.end(), span), end; at != end; ++at) {
        const std::string name = (*at)[1];
        if (!is_config_group(name.substr(0, name.find('.'))) || std::regex_match(name, file)) continue;
        ++keys;
        EXPECT_TRUE(is_config_key(name) || is_config_group(name))
            << fs::relative(document, WAFD_SOURCE_DIR).string() << ":" << number << ": `" << name
            << "` is no key of the configuration (config.cc has them)";
      }
    }
  }
  EXPECT_GT(keys, 5u);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string shown(const fs::path& file) { return fs::relative(file, WAFD_SOURCE_DIR).string(); }

// A README is read in one go; what is longer belongs into a document of its own beside it.
TEST(Documents, ReadmesAreShort) {
  std::size_t read = 0;
  for (const fs::path& document : documents()) {
    if (document.filename() != "README.md") continue;
    const std::string text = text_of(document);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 80) << shown(document);
    ++read;
  }
  EXPECT_GT(read, 50u);
}

// Sources and tables in code spans are files of that name, in the document's folder, below it or from the
// top. Names with capitals stand for a choice (`NAME_fuzz.cc`), as `x.h` and `y.tsv` do.
TEST(Documents, NameSourcesThatThereAre) {
  const std::regex span(R"(`([a-z0-9_./]+\.(?:h|cc|tsv|lua|tsx?|mjs))`)"),
      choice(R"((?:.*/)?[xy](?:_test)?\.[a-z]+)");
  std::set<std::string> names;
  for (const fs::path& file : files_of_project()) names.insert("/" + shown(file));
  std::size_t named = 0;
  for (const fs::path& document : documents()) {
    const std::string text = text_of(document);
    for (std::sregex_iterator at(text.begin(), text.end(), span), end; at != end; ++at) {
      const std::string name = (*at)[1];
      if (std::regex_match(name, choice)) continue;
      ++named;
      const std::string below = "/" + name;
      const bool there = fs::exists(document.parent_path() / name) ||
                         std::any_of(names.begin(), names.end(),
                                     [&](const std::string& file) { return file.ends_with(below); });
      EXPECT_TRUE(there) << shown(document) << " names `" << name << "`, and no file has that name";
    }
  }
  EXPECT_GT(named, 100u);
}

// Whoever wonders what a kind of evidence is finds it in the README of the language.
TEST(Documents, SayWhatEveryKindOfEvidenceIs) {
  const fs::path root(WAFD_SOURCE_DIR);
  std::string readmes;
  for (const fs::path& document : documents())
    if (shown(document).starts_with("detect/analyze/")) readmes += text_of(document);
  std::size_t kinds = 0;
  for (const auto& table : fs::directory_iterator(root / "detect/judge/judgements")) {
    std::ifstream in(table.path());
    std::string line, last;
    while (std::getline(in, line)) {
      const std::string kind = line.substr(0, line.find('\t'));
      if (line.starts_with('#') || kind == last || !std::regex_match(kind, std::regex("[a-z_]+"))) continue;
      last = kind;
      ++kinds;
      EXPECT_TRUE(std::regex_search(readmes, std::regex("\\b" + kind + "\\b")))
          << shown(table.path()) << ": " << kind;
    }
  }
  EXPECT_GT(kinds, 150u);
}

// Each threat has a test: a file, a folder, a bench, or `Suite.Test` of a source (`Suite.*`: all of a suite).
TEST(Documents, NameATestForEachThreat) {
  std::set<std::string> tests;
  const std::regex test(R"(\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
  for (const fs::path& file : files_of_project()) {
    if (shown(file).starts_with("bench/")) tests.insert(file.stem());
    if (!shown(file).starts_with("tests/") || !shown(file).ends_with("_test.cc")) continue;
    const std::string text = text_of(file);
    for (std::sregex_iterator at(text.begin(), text.end(), test), end; at != end; ++at) {
      tests.insert(at->str(1) + "." + at->str(2));
      tests.insert(at->str(1) + ".*");
    }
  }
  const fs::path root(WAFD_SOURCE_DIR);
  std::ifstream in(root / "SECURITY.md");
  std::size_t threats = 0;
  const std::regex span("`([^` ]+)[^`]*`");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ") || line.starts_with("| threat ")) continue;
    ++threats;
    const std::string last = line.substr(line.rfind(" | "));
    std::size_t named = 0;
    for (std::sregex_iterator at(last.begin(), last.end(), span), end; at != end; ++at, ++named) {
      const std::string name = at->str(1);
      const bool there = name.starts_with("tests/") ? fs::exists(root / name) : tests.contains(name);
      EXPECT_TRUE(there) << "SECURITY.md names `" << name << "`: " << line;
    }
    EXPECT_GT(named, 0u) << line;
  }
  EXPECT_GT(threats, 25u);
}

}  // namespace
}  // namespace wafd
