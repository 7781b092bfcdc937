// How often each of these applied: rules, exceptions, list entries, sites by day, hosts that no site
// has. Every worker counts for itself; what it counted is handed over and added up on reading. Keyed by the
// ids of the settings and rules, so that a reload keeps the counts.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "detect/core/request.h"
#include "detect/core/verdict.h"
#include "detect/policy/policy.h"

namespace wafd::detect {

// Days kept of each site, today among them.
inline constexpr std::size_t kHitDays = 14;
// Hosts without a site that are kept; the one seen longest ago makes room.
inline constexpr std::size_t kMaxUnknownHosts = 1000;

// Requests, not findings: a rule that matched twice in one request has one hit.
struct UsageCount {
  std::uint64_t count = 0;
  std::int64_t last_s = 0;  // Unix time; 0: never

  void add(const UsageCount& other) noexcept;
};

// One day (UTC) of one site.
struct SiteDay {
  std::int64_t day = -1;  // days since 1970; -1: nothing counted
  std::uint64_t requests = 0;
  std::uint64_t denied = 0;
  std::uint64_t monitored = 0;
  std::uint64_t uninspected = 0;  // some bytes lay beyond a limit, or the body was not there
  // Requests that findings (but for those that exceptions accept) would deny, by Sensitivity.
  std::array<std::uint64_t, 3> would_deny{};
  std::uint64_t bodies_seen = 0;     // requests with a body, or a part of one
  std::uint64_t bodies_missing = 0;  // requests that had one of which nothing was handed over

  void add(const SiteDay& other) noexcept;
};

// The last kHitDays days; day d has its place at d % kHitDays.
class SiteHits {
 public:
  SiteDay& on(std::int64_t day) noexcept;  // empties the place of an older day; an older `day` than kept: a
                                           // place whose counts nobody sees
  const SiteDay* find(std::int64_t day) const noexcept;
  void add(const SiteHits& other) noexcept;
  const std::array<SiteDay, kHitDays>& days() const noexcept { return days_; }

 private:
  std::array<SiteDay, kHitDays> days_{};
  SiteDay spill_;
};

// Hosts that were asked for and belong to no site. Only names that a site could have are kept (letters,
// digits,
// `.-_:[]`, at most 253); everything else, and requests without a host, count as `other`.
class UnknownHosts {
 public:
  struct Host {
    std::string name;  // lower case, without port
    std::uint64_t count = 0;
    std::int64_t first_s = 0;
    std::int64_t last_s = 0;
  };

  UnknownHosts() = default;
  UnknownHosts(UnknownHosts&&) noexcept = default;
  UnknownHosts& operator=(UnknownHosts&&) noexcept = default;

  void see(std::string_view host, std::int64_t now_s);  // as received
  void add(const UnknownHosts& other);
  void add(Host host);  // sums with the one of that name

  const std::list<Host>& hosts() const noexcept { return hosts_; }  // newest first
  std::uint64_t other = 0;
  std::uint64_t forgotten = 0;  // hosts that made room

 private:
  void keep(Host host);

  std::list<Host> hosts_;
  std::unordered_map<std::string_view, std::list<Host>::iterator> by_name_;  // views on the list's names
};

class UsageCounters {
 public:
  // `verdict` and `decision` are of `request`.
  void count(const Request& request, const Verdict& verdict, const Decision& decision, std::int64_t now_s);
  void add(const UsageCounters& other);

  std::unordered_map<std::string, UsageCount> rules;       // by Rule::id
  std::unordered_map<std::string, UsageCount> exceptions;  // by id: the first one that accepted a finding
  std::unordered_map<std::string, UsageCount> lists;       // by id
  std::unordered_map<std::string, SiteHits> sites;         // by uuid
  UnknownHosts unknown;
};

}  // namespace wafd::detect
