// What the documents say of the configuration is what the configuration has.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config_keys.h"

namespace wafd {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  for (auto entry = fs::recursive_directory_iterator(WAFD_SOURCE_DIR);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename();
    if (entry->is_directory() && (name == "build" || name == "node_modules" || name == ".git")) {
      entry.disable_recursion_pending();
    } else if (name.ends_with(".md") && name != "CHANGELOG.md") {
      found.push_back(entry->path());
    }
  }
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

}  // namespace
}  // namespace wafd
