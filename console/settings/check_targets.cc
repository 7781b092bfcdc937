#include "console/settings/check_targets.h"

#include <fmt/format.h>

#include "forward/target/destination.h"

namespace wafd::console {
namespace {

// Where they point, and that they can be told apart.
Result<void> check_places(const std::vector<forward::TargetSettings>& targets) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto judge = [&](const std::string& host, std::uint16_t port,
                           const std::string& member) -> Result<void> {
      const auto address = IpAddress::parse(host);
      if (!address) return {};
      auto good = forward::check_destination(*address, port, targets[i].transport, {});
      if (good) return {};
      return fail(ErrorCode::kInvalid, fmt::format("targets[{}].{}: {}", i, member, good.error().what));
    };
    auto good = judge(targets[i].host, targets[i].port, "host");
    for (std::size_t k = 0; good && k < targets[i].backups.size(); ++k) {
      const auto& backup = targets[i].backups[k];
      good = judge(backup.host, backup.port, fmt::format("backups[{}].host", k));
    }
    if (!good) return good;
    for (std::size_t before = 0; before < i; ++before) {
      if (targets[before].name == targets[i].name)
        return fail(
            ErrorCode::kInvalid,
            fmt::format("targets[{}].name: expected names that differ, targets[{}] has it too", i, before));
    }
  }
  return {};
}

}  // namespace

Result<void> check_targets(const Settings& next, const Settings& present, const CheckTarget& check_files) {
  if (auto good = check_places(next.targets); !good) return good;
  if (!check_files) return {};
  for (std::size_t i = 0; i < next.targets.size(); ++i) {
    const forward::TargetSettings& target = next.targets[i];
    bool changed = true;
    for (const forward::TargetSettings& old : present.targets)
      if (old.id == target.id) changed = to_json(target, true) != to_json(old, true);
    if (!changed) continue;
    if (auto good = check_files(target); !good)
      return fail(ErrorCode::kInvalid, fmt::format("targets[{}].{}", i, good.error().what));
  }
  return {};
}

}  // namespace wafd::console
