// Settings that many nodes share: where their versions are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "console/settings/store.h"

namespace wafd::console {

struct SharedVersion {
  std::uint64_t version = 0;
  std::int64_t made_ms = 0;
  std::string author, node, comment;
  Result<Settings> settings;  // what it says, or why this node cannot read it
};

class SharedSettings {
 public:
  virtual ~SharedSettings() = default;

  // The newest first, as many as a node keeps of its own. Waits: not on the loop.
  virtual Result<std::vector<SharedVersion>> versions() = 0;
  // kMissing: it is not kept. Waits.
  virtual Result<SharedVersion> version(std::uint64_t version) = 0;
  // Makes `next` the newest version, if it is the one behind the newest: kConflict tells who was first. On
  // the loop; `done` is called there, later: why this node does not use it, though it is stored; empty: it
  // does.
  virtual void publish(Settings next, std::string comment, std::function<void(Result<std::string>)> done) = 0;
};

}  // namespace wafd::console
