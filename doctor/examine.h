// From facts about a node to findings. Pure: facts in, findings out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "doctor/finding.h"

namespace wafd::doctor {

struct FileFacts {
  std::string path;
  bool secret = false;  // nobody but its owner may read it
  std::string owner;    // name or number
  unsigned mode = 0;
};

struct DiskFacts {
  std::string error;  // empty: what follows is known
  std::uint64_t free_bytes = 0;
  std::uint64_t free_inodes = 0;
  std::uint64_t inodes = 0;        // 0: this file system does not count them
  std::uint64_t needed_bytes = 0;  // of the ring, not allocated yet
};

struct NameFacts {
  std::string what;  // "target siem"
  std::string host;
  std::string error;  // empty: it has an address
};

struct CertificateFacts {
  std::string what;  // "console", "target siem, ca"
  std::string file;
  std::string error;  // empty: the end is known
  std::int64_t not_after_s = 0;
  bool renewed = false;  // wafd makes it anew itself
};

struct LimitFacts {
  std::uint64_t files = 0;  // that a process may open; 0: unknown
  std::uint64_t files_needed = 0;
  std::int64_t listen_backlog = 0;  // net.core.somaxconn; 0: unknown
};

enum class Running : std::uint8_t { kNo, kYes, kMute };  // mute: it runs, and does not answer

struct Facts {
  std::int64_t now_ms = 0;
  std::string configuration_error;  // empty: sound
  std::string state_dir;
  std::string state_error;  // why its files could not be looked at
  std::string state_owner;
  std::vector<FileFacts> files;
  DiskFacts disk;
  std::optional<bool> clock_synchronised;  // none: the kernel does not say
  std::vector<NameFacts> names;
  std::vector<CertificateFacts> certificates;
  LimitFacts limits;
  Running running = Running::kNo;
  std::string running_error;
  boost::json::object status;  // of the daemon, as GET /api/v1/status answers it
};

std::vector<Finding> examine(const Facts& facts);

// Of the daemon alone: whether it is ready, for `wafd health`. Empty: it is; else why not.
std::string unready(const Facts& facts);

}  // namespace wafd::doctor
