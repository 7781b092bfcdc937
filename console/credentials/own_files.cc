#include "console/credentials/own_files.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace wafd::console {
namespace {

bool same_rights(const User& a, const User& b) {
  return a.role == b.role && a.password == b.password && a.external == b.external &&
         a.may_unmask == b.may_unmask && a.second_factor.secret == b.second_factor.secret &&
         a.second_factor.last_step == b.second_factor.last_step &&
         a.second_factor.recovery == b.second_factor.recovery && a.of_fleet == b.of_fleet &&
         a.spent == b.spent;
}

bool has_news(const User& own, const User& fleet) {
  return own.of_fleet &&
         (!own.spent.empty() || (own.second_factor.secret == fleet.second_factor.secret &&
                                 own.second_factor.last_step > fleet.second_factor.last_step));
}

void tell(const User& own, User& fleet) {
  std::erase_if(fleet.second_factor.recovery, [&](const std::string& code) {
    return std::find(own.spent.begin(), own.spent.end(), code) != own.spent.end();
  });
  if (own.second_factor.secret == fleet.second_factor.secret)
    fleet.second_factor.last_step = std::max(fleet.second_factor.last_step, own.second_factor.last_step);
}

Result<void> tell_used_codes(CredentialStore& fleet, const CredentialStore& own) {
  for (const auto& [name, user] : own.rows().users) {
    const auto at = fleet.rows().users.find(name);
    if (at == fleet.rows().users.end() || !has_news(user, at->second)) continue;
    auto told = fleet.update_user(name, [&of = user](User& to) { tell(of, to); });
    if (!told) return told;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> meet_fleet(CredentialStore& fleet, CredentialStore& own, bool whole) {
  std::vector<std::string> log;
  if (fleet.empty() && !own.rows().users.empty()) {
    bool taken = false;
    auto brought = fleet.replace([&](CredentialRows& rows) {
      taken = rows.users.empty();
      if (!taken) return;
      rows.users = own.rows().users;
      rows.tokens = own.rows().tokens;
    });
    if (!brought) return tl::unexpected(brought.error());
    if (taken)
      log.push_back(fmt::format("accounts: {} users and {} tokens of this node are the fleet's from now on",
                                own.rows().users.size(), own.rows().tokens.size()));
  }
  if (auto told = tell_used_codes(fleet, own); !told) return tl::unexpected(told.error());
  std::vector<std::string> gone;
  std::vector<User> changed;
  for (const auto& [name, user] : own.rows().users) {
    const auto at = fleet.rows().users.find(name);
    if (at == fleet.rows().users.end()) {
      if (whole && user.of_fleet) gone.push_back(name);
      continue;
    }
    User now = at->second;
    now.of_fleet = true;
    if (same_rights(user, now)) continue;
    if (!user.of_fleet)
      log.push_back(fmt::format("accounts: {} of this node's files is the fleet's user of that name", name));
    changed.push_back(std::move(now));
  }
  if (gone.empty() && changed.empty()) return log;
  auto kept = own.replace([&](CredentialRows& rows) {
    for (const std::string& name : gone) rows.users.erase(name);
    for (User& user : changed) rows.users.insert_or_assign(user.username, std::move(user));
    std::erase_if(rows.sessions,
                  [&](const auto& item) { return !rows.users.contains(item.second.username); });
  });
  if (!kept) return tl::unexpected(kept.error());
  return log;
}

}  // namespace wafd::console
