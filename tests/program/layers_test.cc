// Arrows between folders point one way, and only io/ folders (and the composition root) touch sockets.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

// Folder -> what its files may include, as folders ("x/*": all below x); a folder may always include itself.
// The composition root (files at the top) and a folder's commands.cc, which is a part of the program, are
// free.
const std::map<std::string, std::vector<std::string>> kLayers{
    {"detect/core", {}},
    {"detect/decode/base", {"detect/core"}},
    {"detect/decode/charset", {"detect/core", "detect/decode/base"}},
    {"detect/decode/content", {"detect/core", "detect/decode/base"}},
    {"detect/decode", {"detect/core", "detect/decode/*"}},
    {"detect/analyze/base", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/shell"}},
    {"detect/analyze/sql", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/xss",
     {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base", "detect/analyze/script",
      "detect/analyze/shell"}},
    {"detect/analyze/shell", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/php", {"detect/core", "detect/analyze/base"}},
    {"detect/analyze/java", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/code", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/serialized",
     {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base", "detect/analyze/java"}},
    {"detect/analyze/template", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/script", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/url", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/path", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/xml", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/nosql", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/ldap", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/upload", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/analyze/http", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/judge", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/tables", {"detect/core"}},
    {"detect/extract", {"detect/core", "detect/decode", "detect/decode/*", "detect/analyze/base"}},
    {"detect/prefilter", {"detect/core", "detect/analyze/base"}},
    {"detect/signatures", {"json", "detect/core", "detect/extract", "detect/prefilter"}},
    {"detect/policy", {"detect/core", "detect/decode", "detect/decode/*"}},
    {"detect/redact", {"detect/core", "detect/decode", "detect/decode/*", "detect/policy"}},
    {"detect", {"detect/*"}},
    {"ingest/http", {"detect/core"}},
    {"ingest", {"detect", "detect/core", "detect/decode", "detect/decode/*", "detect/policy", "ingest/http"}},
    {"ingest/t1k", {"detect/core", "detect/decode", "detect/decode/*", "ingest"}},
    {"ingest/spop", {"detect/core", "detect/decode", "detect/decode/*", "ingest", "ingest/http"}},
    {"ingest/envoy", {"detect/core", "ingest"}},
    {"ingest/io/kit", {"detect/core"}},
    {"ingest/io",
     {"detect", "detect/core", "ingest", "ingest/envoy", "ingest/http", "ingest/io/kit", "ingest/spop",
      "ingest/t1k"}},
    {"forward/ring", {"detect/core"}},
    {"forward/query", {"detect/core", "forward/ring"}},
    {"json", {"detect/core"}},
    {"files", {"detect/core"}},
    {"forward/query_sql", {"detect/core", "forward/query"}},
    {"forward/target", {"files", "json", "detect/core", "forward/ring", "forward/query"}},
    {"forward/trend", {"detect/core", "forward/ring"}},
    {"forward/notify",
     {"files", "json", "detect/core", "forward/ring", "forward/query", "forward/target", "forward/trend"}},
    {"forward/format", {"detect/core", "forward/ring", "forward/target"}},
    {"forward/protocol", {"detect/core", "forward/target"}},
    {"forward/io", {"files", "detect/core", "forward/*", "ingest/io/kit"}},
    {"forward/io/producers",
     {"files", "detect/core", "forward/protocol", "forward/ring", "forward/target", "ingest/io/kit"}},
    {"forward/io/receive", {"files", "detect/core", "forward/protocol", "ingest/io/kit"}},
    {"forward/io/web", {"files", "detect/core", "forward/target"}},
    {"forward/io/notify", {"files", "detect/core", "forward/*", "ingest/io/kit"}},
    {"forward/io/postgres", {"detect/core", "forward/ring", "forward/query", "forward/query_sql"}},
    {"telemetry", {"detect/core"}},
    {"telemetry/otlp", {"files", "detect/core", "forward/notify", "telemetry"}},
    {"telemetry/io", {"files", "detect/core", "forward/io/web", "telemetry", "telemetry/otlp"}},
    {"console/base",
     {"files", "json", "detect", "detect/core", "forward/target", "ingest/http", "telemetry"}},
    {"console/credentials", {"files", "json", "console/base", "detect/core"}},
    {"console/settings",
     {"files", "json", "console/base", "detect", "detect/core", "detect/policy", "detect/signatures",
      "forward/*", "telemetry"}},
    {"console/oidc", {"files", "console/base", "console/settings", "detect/core", "forward/notify"}},
    {"console/events",
     {"files", "console/base", "detect", "detect/core", "detect/policy", "detect/signatures", "forward/*"}},
    {"console/api/schemas", {"json", "console/base", "console/settings", "detect/core", "forward/target"}},
    {"console/api/routing",
     {"files", "console/api/schemas", "console/base", "console/credentials", "console/events",
      "detect/core"}},
    {"console/api",
     {"files", "json", "console/api/routing", "console/api/schemas", "console/base", "console/credentials",
      "console/settings", "console/events", "console/oidc", "detect", "detect/core", "detect/policy",
      "detect/redact", "detect/signatures", "forward/*", "ingest/http", "telemetry"}},
    {"console/io/fleet",
     {"files", "console/base", "console/credentials", "console/events", "console/settings", "detect/core",
      "forward/*"}},
    {"console/io",
     {"files", "console/io/fleet", "console/api", "console/api/routing", "console/base",
      "console/credentials", "console/settings", "console/events", "detect", "detect/core", "forward/*",
      "ingest/http", "ingest/io/kit", "telemetry"}},
    {"probe", {"detect/core"}},
    {"probe/io", {"detect/core", "probe"}},
    {"doctor", {"detect/core"}},
    {"doctor/io", {"detect/core", "files", "doctor"}},
};

struct Include {
  std::string file;
  std::size_t line;
  bool quoted;
  std::string name;
};

std::vector<Include> includes_of(const fs::path& root) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> found;
  for (const char* top : {"json", "files", "detect", "ingest", "forward", "console", "probe", "doctor"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cc") continue;
      std::ifstream in(entry.path());
      std::string line;
      for (std::size_t number = 1; std::getline(in, line); ++number) {
        std::smatch match;
        if (std::regex_search(line, match, kInclude)) {
          found.push_back({fs::relative(entry.path(), root), number, match[1] == "\"", match[2]});
        }
      }
    }
  }
  return found;
}

std::string folder_of(const std::string& file) { return fs::path(file).parent_path(); }
bool is_command(const std::string& file) { return fs::path(file).stem() == "commands"; }

// In a folder of more files nobody finds a file by looking.
TEST(Layers, FoldersAreSmall) {
  std::map<std::string, std::size_t> sizes;
  for (const char* top : {"json", "files", "detect", "ingest", "forward", "console", "probe", "doctor"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WAFD_SOURCE_DIR) / top)) {
      const std::string extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc")
        ++sizes[fs::relative(entry.path().parent_path(), WAFD_SOURCE_DIR)];
    }
  ASSERT_GT(sizes.size(), 50u);
  for (const auto& [folder, files] : sizes) EXPECT_LE(files, 40u) << folder;
}

TEST(Layers, ArrowsPointOneWay) {
  const auto includes = includes_of(WAFD_SOURCE_DIR);
  ASSERT_GT(includes.size(), 300u);
  for (const Include& include : includes) {
    if (!include.quoted || is_command(include.file)) continue;
    const std::string from = folder_of(include.file);
    const std::string to = folder_of(include.name);
    const auto layer = kLayers.find(from);
    ASSERT_NE(layer, kLayers.end()) << from << ": a new folder needs its place among the layers";
    const auto allows = [&to](const std::string& folder) {
      return folder == to || (folder.ends_with("/*") && to.starts_with(folder.substr(0, folder.size() - 1)));
    };
    EXPECT_TRUE(from == to || std::any_of(layer->second.begin(), layer->second.end(), allows))
        << include.file << ":" << include.line << " includes " << include.name;
  }
}

TEST(Layers, OnlyIoTouchesSockets) {
  const std::regex io(
      R"(^(uv\.h|sys/socket\.h|sys/un\.h|netinet/.*|netdb\.h|arpa/inet\.h|linux/tcp\.h|openssl/ssl\.h|openssl/bio\.h|ares\.h|curl/curl\.h)$)");
  for (const Include& include : includes_of(WAFD_SOURCE_DIR)) {
    if (include.quoted || !std::regex_match(include.name, io)) continue;
    EXPECT_NE(("/" + folder_of(include.file) + "/").find("/io/"), std::string::npos)
        << include.file << ":" << include.line << " includes <" << include.name << ">";
  }
}

TEST(Layers, NothingLeadsOutOfTheProject) {
  // Nothing outside of the project is needed to read it; no file names a machine's paths or a registry.
  const std::regex outside(R"(/work/|\.\./shared|registry\.npmjs|deb\.debian\.org)");
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(WAFD_SOURCE_DIR)) {
    const std::string file = fs::relative(entry.path(), WAFD_SOURCE_DIR);
    if (!entry.is_regular_file() || file.rfind("build/", 0) == 0 || file.rfind(".git", 0) == 0 ||
        file.find("node_modules/") != std::string::npos || file == "tests/program/layers_test.cc") {
      continue;
    }
    ++files;
    std::ifstream in(entry.path(), std::ios::binary);
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
      EXPECT_FALSE(std::regex_search(line, outside)) << file << ":" << number;
    }
  }
  EXPECT_GT(files, 100u);
}

}  // namespace
