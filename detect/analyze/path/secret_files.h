// Which files and folders attackers read, and what they hold: secret_files.tsv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::path {

enum class FileClass : std::uint8_t {
  kAccounts,     // who may log in, and hashes of their passwords
  kKeys,         // private keys
  kCredentials,  // of clouds, repositories, databases
  kHistory,      // what was typed into shells and clients
  kProcess,      // what the kernel shows of processes: their environment, memory, open files
  kSettings,     // of applications
  kServer,       // settings of servers
  kSystem,       // of the operating system
  kPages,        // folders of what a server shows
  kLog,
  kPublic,  // certificates of authorities, which everybody has
};

enum class Anchor : std::uint8_t {
  kRoot,   // the path below the root of a system
  kTree,   // a folder there, and all below it
  kConf,   // the same, of files with settings alone
  kDrive,  // the same as kTree, behind a drive of Windows
  kTail,   // the end of a path, wherever it lies
  kName,   // the same, but its name says little by itself
  kBegin,  // how the last segment begins, which then has no extension
};

struct SecretFile {
  std::string_view text;
  FileClass holds;
  Anchor anchor;
};

inline constexpr std::size_t kMaxTailSegments = 4;

// `target` has "/" between its segments and none at its ends; letters without case. Null if it is none.
// The row of the folder in which it lies, or that it is: `target` begins at the root of a system.
const SecretFile* below_root(std::string_view target, bool drive) noexcept;
// The row of its last segments.
const SecretFile* by_tail(std::string_view target) noexcept;

// Settings and credentials; what the others hold is less, or nothing by itself.
constexpr bool is_secret(FileClass holds) noexcept { return holds <= FileClass::kSettings; }

}  // namespace wafd::detect::path
