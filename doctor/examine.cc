#include "doctor/examine.h"

#include <algorithm>
#include <ctime>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace wafd::doctor {
namespace {

namespace json = boost::json;
using Findings = std::vector<Finding>;

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::uint64_t kLeastFreeBytes = 256 * kMiB;  // beside the ring: settings, logs, kept versions
constexpr std::uint64_t kLeastFreeInodes = 1000;
constexpr std::int64_t kWarnBeforeS = 30ll * 24 * 3600;
constexpr std::int64_t kSilentMs = 10 * 60 * 1000;
constexpr std::int64_t kUnacknowledgedMs = 30'000;
constexpr std::int64_t kLeastBacklog = 511;
constexpr std::int64_t kYear2025 = 1'735'689'600'000;

void say(Findings& out, Level level, const char* check, std::string text, std::string remedy = {}) {
  out.push_back({level, check, std::move(text), std::move(remedy)});
}

std::string day_of(std::int64_t s) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(s)));
}

void configuration(const Facts& facts, Findings& out) {
  if (facts.configuration_error.empty())
    return say(out, Level::kOk, "configuration",
               "The configuration is sound, and its addresses are to be had.");
  say(out, Level::kError, "configuration", facts.configuration_error,
      "Mend that key; `wafd config defaults` prints each with what it means.");
}

void files(const Facts& facts, Findings& out) {
  if (!facts.state_error.empty())
    return say(out, Level::kError, "files", facts.state_error,
               "Run this as the user that wafd runs as, or as root; make the folder if it is missing.");
  const std::size_t before = out.size();
  for (const FileFacts& file : facts.files) {
    if (file.owner != facts.state_owner)
      say(out, Level::kError, "files",
          fmt::format("{} belongs to {}, its folder to {}.", file.path, file.owner, facts.state_owner),
          fmt::format("chown {} {}", facts.state_owner, file.path));
    if (file.secret && (file.mode & 077) != 0)
      say(out, Level::kError, "files",
          fmt::format("{} holds secrets, and others may read it (mode {:04o}).", file.path, file.mode),
          fmt::format("chmod 600 {}", file.path));
  }
  if (out.size() == before)
    say(out, Level::kOk, "files",
        fmt::format("{} files in {} belong to {}, and secrets are its alone.", facts.files.size(),
                    facts.state_dir, facts.state_owner));
}

void disk(const Facts& facts, Findings& out) {
  const DiskFacts& disk = facts.disk;
  if (!disk.error.empty()) return say(out, Level::kError, "disk", disk.error, "Mount the file system again.");
  const std::string free =
      fmt::format("{} MiB are free where {} is", disk.free_bytes / kMiB, facts.state_dir);
  if (disk.free_bytes < disk.needed_bytes)
    say(out, Level::kError, "disk",
        fmt::format("{}; the ring needs {} more.", free, disk.needed_bytes / kMiB),
        "Make room, or make ring.size_mib smaller.");
  else if (disk.free_bytes - disk.needed_bytes < kLeastFreeBytes)
    say(out, Level::kWarning, "disk", free + ".", "Make room: settings, audit log and kept versions grow.");
  else
    say(out, Level::kOk, "disk", free + ".");
  if (disk.inodes > 0 && disk.free_inodes < kLeastFreeInodes)
    say(out, Level::kWarning, "disk", fmt::format("Only {} more files can be made there.", disk.free_inodes),
        "Remove files that nobody needs.");
}

void clock(const Facts& facts, Findings& out) {
  if (facts.now_ms < kYear2025)
    return say(out, Level::kError, "clock", fmt::format("The clock says {}.", day_of(facts.now_ms / 1000)),
               "Set it, and let chrony or systemd-timesyncd keep it.");
  if (facts.clock_synchronised == false)
    return say(
        out, Level::kWarning, "clock", "Nothing keeps the clock: the kernel calls it not synchronised.",
        "Install chrony or systemd-timesyncd; receivers sort events by their time, and certificates and "
        "second factors need it.");
  say(out, Level::kOk, "clock",
      facts.clock_synchronised ? "The clock is synchronised."
                               : "The kernel does not say who keeps the clock.");
}

void names(const Facts& facts, Findings& out) {
  std::size_t good = 0;
  for (const NameFacts& name : facts.names) {
    if (name.error.empty()) {
      ++good;
      continue;
    }
    say(out, Level::kError, "names", fmt::format("{}: {}: {}.", name.what, name.host, name.error),
        "Mend the name, or the name servers of /etc/resolv.conf.");
  }
  if (good == facts.names.size() && good > 0)
    say(out, Level::kOk, "names",
        fmt::format("All {} names of receivers and providers have addresses.", good));
}

void certificates(const Facts& facts, Findings& out) {
  for (const CertificateFacts& one : facts.certificates) {
    if (!one.error.empty()) {
      say(out, Level::kError, "certificates", fmt::format("{}: {}: {}.", one.what, one.file, one.error),
          "Give the file of a certificate in PEM that wafd may read.");
      continue;
    }
    const std::int64_t left_s = one.not_after_s - facts.now_ms / 1000;
    const std::string text = fmt::format("{}: {} {} on {}.", one.what, one.file,
                                         left_s > 0 ? "ends" : "has ended", day_of(one.not_after_s));
    if (left_s <= 0)
      say(out, Level::kError, "certificates", text, "Renew it; wafd reads the new file without a restart.");
    else if (left_s < kWarnBeforeS && !one.renewed)
      say(out, Level::kWarning, "certificates", text,
          "Renew it in time; wafd reads the new file without a restart.");
    else
      say(out, Level::kOk, "certificates", text);
  }
}

void limits(const Facts& facts, Findings& out) {
  const LimitFacts& limits = facts.limits;
  const std::size_t before = out.size();
  if (limits.files > 0 && limits.files < limits.files_needed)
    say(out, Level::kError, "limits",
        fmt::format("A process may open {} files, wafd needs {}.", limits.files, limits.files_needed),
        "Raise it: LimitNOFILE of the unit, or ulimit -n.");
  if (limits.listen_backlog > 0 && limits.listen_backlog < kLeastBacklog)
    say(out, Level::kWarning, "limits",
        fmt::format("net.core.somaxconn is {}: connections of gateways are refused in bursts.",
                    limits.listen_backlog),
        "sysctl -w net.core.somaxconn=4096, and keep it in /etc/sysctl.d.");
  if (out.size() == before) say(out, Level::kOk, "limits", "The kernel's limits leave enough.");
}

// --- what the daemon says ----------------------------------------------------------------------------------

std::string text_in(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t number_in(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  std::int64_t out = 0;
  json::error_code error;
  if (value != nullptr && value->is_number()) out = value->to_number<std::int64_t>(error);
  return error ? 0 : out;
}

const json::array& list_in(const json::object& object, std::string_view name) {
  static const json::array kNone;
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_array() ? value->get_array() : kNone;
}

bool is_true(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

void target(const json::object& status, Findings& out) {
  const std::string name = text_in(status, "name"), state = text_in(status, "state");
  if (state == "disabled") return;
  const std::size_t before = out.size();
  if (state != "up")
    say(out, Level::kError, "targets",
        fmt::format("{} is {}, {} events wait: {}.", name, state, number_in(status, "lag_events"),
                    text_in(status, "last_error")),
        "Test the connection on the console: System, Syslog.");
  else if (number_in(status, "unacknowledged_ms") > kUnacknowledgedMs)
    say(out, Level::kError, "targets",
        fmt::format("{} is connected and acknowledges nothing: {} messages wait.", name,
                    number_in(status, "unacknowledged")),
        "Look at the receiver: it does not read.");
  if (number_in(status, "lost") > 0)
    say(out, Level::kWarning, "targets",
        fmt::format("{} lost {} events that the ring overtook.", name, number_in(status, "lost")),
        "Make ring.size_mib larger, or the receiver faster.");
  if (number_in(status, "rejected") > 0)
    say(out, Level::kWarning, "targets",
        fmt::format("{} refused {} messages for good.", name, number_in(status, "rejected")),
        "Its last error says why; look at its limits of size and form.");
  if (out.size() == before) say(out, Level::kOk, "targets", name + " gets what it should.");
}

void listener(const json::object& status, std::int64_t now_ms, Findings& out) {
  const std::string name = text_in(status, "name"), address = text_in(status, "address");
  const std::int64_t last_ms = number_in(status, "last_request_ms");
  if (last_ms == 0)
    return say(
        out, Level::kWarning, "gateways",
        fmt::format("No request came to listener {} ({}) since the start.", name, address),
        "If a gateway should ask there, look at its configuration: `wafd probe` shows what it blocks.");
  const std::int64_t minutes = (now_ms - last_ms) / 60'000;
  if (now_ms - last_ms >= kSilentMs)
    return say(
        out, Level::kWarning, "gateways",
        fmt::format("The last request came to listener {} ({}) {} minutes ago.", name, address, minutes),
        "If there is traffic, a gateway no longer asks: look at its log.");
  say(out, Level::kOk, "gateways", fmt::format("Listener {} ({}) has requests.", name, address));
}

void daemon(const Facts& facts, Findings& out) {
  if (facts.running == Running::kNo)
    return say(out, Level::kWarning, "daemon", "No wafd runs with " + facts.state_dir + ".",
               "Start it: systemctl start wafd, or wafd run.");
  if (facts.running == Running::kMute)
    return say(out, Level::kError, "daemon", "wafd runs and does not answer: " + facts.running_error + ".",
               "Look at its log; run this as its user or as root.");
  const json::object& status = facts.status;
  if (is_true(status, "ready"))
    say(out, Level::kOk, "daemon", fmt::format("wafd {} runs and is ready.", text_in(status, "version")));
  else
    say(out, Level::kError, "daemon", "wafd runs and is not ready yet.", "Wait; its log says what it does.");
  for (const json::value& note : list_in(status, "notes"))
    if (note.is_string())
      say(out, Level::kWarning, "daemon", std::string(note.get_string()),
          "The overview of the console says more.");
  for (const json::value& one : list_in(status, "targets"))
    if (one.is_object()) target(one.get_object(), out);
  for (const json::value& one : list_in(status, "listeners"))
    if (one.is_object()) listener(one.get_object(), facts.now_ms, out);
}

}  // namespace

std::vector<Finding> examine(const Facts& facts) {
  Findings out;
  for (const auto part : {configuration, files, disk, clock, names, certificates, limits, daemon})
    part(facts, out);
  return out;
}

std::string unready(const Facts& facts) {
  if (facts.running == Running::kNo) return "no wafd runs with " + facts.state_dir;
  if (facts.running == Running::kMute) return "wafd does not answer: " + facts.running_error;
  return is_true(facts.status, "ready") ? "" : "wafd is not ready yet";
}

}  // namespace wafd::doctor
