// Names that no request has a reason to ask a site for: hidden_names.tsv, file_types.tsv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::path {

enum class Hidden : std::uint8_t {
  kPublic,    // hidden by name, but meant for everyone
  kSecret,    // repositories, environments, keys: nothing else has that name
  kSettings,  // of people's programs and of servers
  kTool,      // what editors, build tools and assistants leave in a project
  kBuild,     // what a project is built from, which sites do serve
  kStatus,    // pages by which servers show themselves
  kDump,      // copies of databases, logs
  kArchive,
};
enum class NameAnchor : std::uint8_t { kSegment, kFile };

struct HiddenName {
  std::string_view text;
  Hidden holds;
  NameAnchor anchor;
};

enum class Content : std::uint8_t { kSource, kSettings, kEnvironment, kDump, kLog, kKey, kCopy, kPacked };

struct FileType {
  std::string_view text;  // extension
  Content holds;
};

// A segment that shows somebody's files, behind so many others at least.
struct SourceView {
  std::string_view text;
  std::size_t behind;
};

}  // namespace wafd::detect::path
