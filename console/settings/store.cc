#include "console/settings/store.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include "console/base/json_text.h"
#include "detect/core/bytes.h"
#include "files/small_file.h"

namespace wafd::console {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNotes = 12;

// Files of kept versions, newest first.
std::vector<std::string> kept_versions(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.size() == 13 && name.ends_with(".json") &&
        std::all_of(name.begin(), name.begin() + 8, is_digit)) {
      names.push_back(name);
    }
  }
  std::sort(names.rbegin(), names.rend());
  return names;
}

// Tells one state of a file from another.
std::string stamp_of(const std::string& path) {
  struct stat now {};
  if (::stat(path.c_str(), &now) != 0) return "-";
  return fmt::format("{}:{}:{}:{}.{:09}", now.st_dev, now.st_ino, now.st_size, now.st_mtim.tv_sec,
                     now.st_mtim.tv_nsec);
}

// One line of what was put right; empty if nothing was.
std::string notice_of(const std::vector<std::string>& notes) {
  if (notes.empty()) return {};
  std::string out =
      "settings of an earlier version were brought up to date, and are saved so by the next change";
  for (std::size_t i = 0; i < notes.size() && i < kMaxNotes; ++i) out += (i == 0 ? ": " : "; ") + notes[i];
  if (notes.size() > kMaxNotes) out += fmt::format("; and {} more", notes.size() - kMaxNotes);
  return out;
}

// The copy of a fleet's version: the document, and which version of this number it is.
Result<std::string> copy_of(const Settings& settings) {
  boost::json::object document = to_json(settings, true);
  std::vector<std::string> notes;
  // Settings are stored only if the next start could read them.
  if (auto read = parse_stored_settings(boost::json::serialize(document), notes); !read)
    return tl::unexpected(read.error());
  document["change_id"] = settings.change_id;
  std::string text = boost::json::serialize(document) + "\n";
  if (text.size() > kMaxSettingsBytes)
    return fail(ErrorCode::kTooLarge, fmt::format("they are larger than {} bytes", kMaxSettingsBytes));
  return text;
}

std::string version_file(const std::string& folder, std::uint64_t version) {
  return fmt::format("{}/{:08}.json", folder, version % 100'000'000);
}

Result<Settings> read_copy(std::string_view text) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse({text.data(), text.size()}, error);
  if (error || !value.is_object()) return fail(ErrorCode::kInvalid, "expected a JSON object");
  boost::json::object& document = value.get_object();
  std::string change_id(text_member(document, "change_id"));
  document.erase("change_id");
  std::vector<std::string> notes;
  auto settings = parse_stored_settings(boost::json::serialize(document), notes);
  if (settings) settings->change_id = std::move(change_id);
  return settings;
}

// Without what each saving changes.
boost::json::object content_of(const Settings& settings) {
  Settings copy = settings;
  copy.version = 0, copy.saved_ms = 0, copy.author.clear();
  return to_json(copy, true);
}

}  // namespace

std::vector<Settings> read_versions(const std::string& folder) {
  std::vector<Settings> out;
  for (const std::string& name : kept_versions(folder)) {
    const auto text = read_file(fmt::format("{}/{}", folder, name), kMaxSettingsBytes);
    if (!text) continue;
    std::vector<std::string> notes;
    if (auto settings = parse_stored_settings(*text, notes)) out.push_back(std::move(*settings));
  }
  return out;
}

Result<Settings> read_version(const std::string& folder, std::uint64_t version) {
  const auto text = read_file(version_file(folder, version), kMaxSettingsBytes);
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string> notes;
  auto settings = parse_stored_settings(*text, notes);
  if (settings && settings->version != version)
    return fail(ErrorCode::kMissing, fmt::format("version {} of the settings is not kept", version));
  return settings;
}

SettingsStore::SettingsStore(std::string path, std::string folder, SettingsHooks hooks)
    : path_(std::move(path)), folder_(std::move(folder)), hooks_(std::move(hooks)) {}

Result<SettingsStore> SettingsStore::open(const std::string& state_dir, SettingsHooks hooks) {
  SettingsStore store(state_dir + "/settings.json", state_dir + "/settings-versions", std::move(hooks));
  if (auto made = make_folder(store.folder_); !made) return tl::unexpected(made.error());
  const std::vector<std::string> versions = kept_versions(store.folder_);

  auto text = read_file(store.path_, kMaxSettingsBytes);
  if (!text && text.error().code != ErrorCode::kMissing && text.error().code != ErrorCode::kTooLarge) {
    return tl::unexpected(text.error());
  }
  if (!text && text.error().code == ErrorCode::kMissing && versions.empty()) {
    add_default_site(store.current_.policy);
    return store;
  }
  std::string wrong = text ? std::string() : text.error().what;
  if (text) {
    std::vector<std::string> notes;
    if (auto settings = parse_stored_settings(*text, notes)) {
      store.current_ = std::move(*settings);
      store.notice_ = notice_of(notes);
      return store;
    } else {
      wrong = settings.error().what;
    }
  }

  std::string kept_as;
  if (fs::exists(store.path_)) {
    kept_as = store.path_ + ".damaged";
    std::error_code error;
    fs::rename(store.path_, kept_as, error);
    if (error)
      return fail(ErrorCode::kIo, fmt::format("cannot put {} aside: {}", store.path_, error.message()));
  }
  for (const std::string& name : versions) {
    auto old = read_file(store.folder_ + "/" + name, kMaxSettingsBytes);
    if (!old) continue;
    std::vector<std::string> notes;
    auto settings = parse_stored_settings(*old, notes);
    if (!settings) continue;
    store.current_ = std::move(*settings);
    store.notice_ =
        fmt::format("settings.json could not be read ({}): version {} of the settings is in use{}", wrong,
                    store.current_.version, kept_as.empty() ? "" : ", the damaged file is " + kept_as);
    if (!notes.empty()) store.notice_ += "; " + notice_of(notes);
    if (auto saved = write_file(store.path_, *old); !saved) return tl::unexpected(saved.error());
    return store;
  }
  add_default_site(store.current_.policy);
  store.notice_ =
      fmt::format("settings.json could not be read ({}) and no older version is there: defaults are in use{}",
                  wrong, kept_as.empty() ? "" : ", the damaged file is " + kept_as);
  return store;
}

void SettingsStore::apply_all() const {
  if (hooks_.apply_policy) hooks_.apply_policy(current_.policy);
  if (hooks_.apply_targets) hooks_.apply_targets(current_.targets);
  if (hooks_.apply_notifications) hooks_.apply_notifications(current_);
}

Result<void> SettingsStore::keep_version(std::string_view text, std::uint64_t version) const {
  if (auto saved = write_file(version_file(folder_, version), text); !saved) return saved;
  const std::vector<std::string> versions = kept_versions(folder_);
  for (std::size_t i = kKeptVersions; i < versions.size(); ++i) {
    std::remove((folder_ + "/" + versions[i]).c_str());
  }
  return {};
}

Result<void> SettingsStore::commit(Settings next, std::string_view author, std::int64_t now_ms, bool whole) {
  if (!file_.empty())
    return fail(ErrorCode::kConflict,
                fmt::format("Settings come from the file {}: change them there.", file_));
  if (of_fleet()) return propose(std::move(next), author, now_ms, whole);
  return save(std::move(next), author, now_ms);
}

Result<void> SettingsStore::propose(Settings next, std::string_view author, std::int64_t now_ms, bool whole) {
  if (busy_) {
    was_busy_ = true;
    return fail(ErrorCode::kResource, "Another change of the settings is on its way.");
  }
  if (!fleet_why_.empty())
    return fail(ErrorCode::kIo, "The settings of the fleet cannot be changed now: " + fleet_why_);
  if (!whole && fleet_newest_ != 0 && fleet_newest_ != current_.version)
    return fail(
        ErrorCode::kConflict,
        fmt::format("The fleet has version {} of the settings, this node uses version {}: change them "
                    "on a node that uses the newest.",
                    fleet_newest_, current_.version));
  add_default_site(next.policy);
  if (auto good = check(next); !good) return good;
  next.version = fleet_newest_ + 1;
  next.saved_ms = now_ms;
  next.author = author;
  before_ = std::exchange(current_, std::move(next));
  return {};
}

std::optional<Settings> SettingsStore::take_proposal() {
  if (!before_) return std::nullopt;
  std::optional<Settings> out = std::exchange(current_, std::move(*before_));
  before_.reset();
  return out;
}

void SettingsStore::fleet_is(std::uint64_t newest, std::string why, std::string notice) {
  fleet_newest_ = newest;
  fleet_why_ = std::move(why);
  notice_ = std::move(notice);
}

Result<void> SettingsStore::follow_fleet(std::string copy) {
  copy_ = std::move(copy);
  fleet_why_ = "the fleet's database has not answered yet";
  auto text = read_file(copy_, kMaxSettingsBytes);
  if (!text && text.error().code == ErrorCode::kMissing) {
    current_.version = 0;  // the fleet's count
    return {};
  }
  if (!text) return tl::unexpected(text.error());
  auto settings = read_copy(*text);
  if (!settings) return fail(settings.error().code, fmt::format("{}: {}", copy_, settings.error().what));
  current_ = std::move(*settings);
  return {};
}

Result<void> SettingsStore::adopt(Settings next) {
  add_default_site(next.policy);
  if (auto good = check(next); !good) return good;
  const auto text = copy_of(next);
  if (!text) return tl::unexpected(text.error());
  if (auto saved = write_file(copy_, *text); !saved) return saved;
  const Settings before = std::exchange(current_, std::move(next));
  fleet_newest_ = current_.version;
  fleet_why_.clear(), notice_.clear();
  apply_changes(before);
  return {};
}

Result<bool> SettingsStore::read_file_settings(std::int64_t now_ms) {
  file_stamp_ = stamp_of(file_);
  const auto text = read_file(file_, kMaxSettingsBytes);
  if (!text) return tl::unexpected(text.error());
  auto next = parse_settings(*text);
  if (!next) return fail(next.error().code, fmt::format("{}: {}", file_, next.error().what));
  if (content_of(*next) == content_of(current_)) {
    notice_.clear();
    return false;
  }
  if (auto saved = save(std::move(*next), "file", now_ms); !saved)
    return fail(saved.error().code, fmt::format("{}: {}", file_, saved.error().what));
  return true;
}

Result<void> SettingsStore::follow_file(std::string path, std::int64_t now_ms) {
  file_ = std::move(path);
  const auto read = read_file_settings(now_ms);
  if (read) return {};
  notice_ = fmt::format("{}; version {} of the settings stays in use", read.error().what, current_.version);
  return tl::unexpected(read.error());
}

bool SettingsStore::refresh_file(std::int64_t now_ms) {
  if (file_.empty() || stamp_of(file_) == file_stamp_) return false;
  const auto read = read_file_settings(now_ms);
  if (read) return *read;
  notice_ = fmt::format("{}; version {} of the settings stays in use", read.error().what, current_.version);
  return false;
}

Result<void> SettingsStore::check(const Settings& next) const {
  if (hooks_.check_policy) {
    if (auto good = hooks_.check_policy(next.policy); !good) return good;
  }
  if (next.system == current_.system) return {};
  if (auto good = check_system(next.system); !good) return good;
  return hooks_.check_system ? hooks_.check_system(next.system) : Result<void>();
}

Result<void> SettingsStore::save(Settings next, std::string_view author, std::int64_t now_ms) {
  add_default_site(next.policy);
  if (auto good = check(next); !good) return good;
  next.version = current_.version + 1;
  next.saved_ms = now_ms;
  next.author = author;
  const std::string text = boost::json::serialize(to_json(next, true)) + "\n";
  // Before the first change of all: so that it, too, can be undone.
  if (current_.version == 0) {
    if (auto kept = keep_version(boost::json::serialize(to_json(current_, true)) + "\n", 0); !kept)
      return kept;
  }
  // The version first: once settings.json names it, it must be there to fall back on.
  if (auto kept = keep_version(text, next.version); !kept) return kept;
  if (auto saved = write_file(path_, text); !saved) {
    // Refused: it is no version to fall back on.
    std::remove(version_file(folder_, next.version).c_str());
    return saved;
  }
  const Settings before = std::exchange(current_, std::move(next));
  notice_.clear();
  apply_changes(before);
  return {};
}

void SettingsStore::apply_changes(const Settings& before) const {
  const boost::json::object old = to_json(before, true);
  const boost::json::object now = to_json(current_, true);
  const auto changed = [&](auto... members) { return ((old.at(members) != now.at(members)) || ...); };
  if (hooks_.apply_policy && changed("sites", "exceptions", "lists")) hooks_.apply_policy(current_.policy);
  if (hooks_.apply_targets && changed("targets")) hooks_.apply_targets(current_.targets);
  if (hooks_.apply_rules && changed("rules")) hooks_.apply_rules(current_.rules);
  if (hooks_.apply_notifications && changed("channels", "alerts")) hooks_.apply_notifications(current_);
  if (hooks_.apply_system && before.system != current_.system) hooks_.apply_system(current_.system);
  if (hooks_.apply_oidc && changed("oidc")) hooks_.apply_oidc(current_.oidc);
}

}  // namespace wafd::console
