// The kept versions of the settings: what each changed, and going back to one.
#include <memory>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/base/problem.h"
#include "console/settings/changes.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::int64_t kMaxVersion = std::int64_t{1} << 52;

boost::json::object head_of(const Settings& settings) {
  return {{"version", settings.version}, {"saved_ms", settings.saved_ms}, {"author", settings.author}};
}

// The kept versions of this node's own settings, as those of a fleet come.
std::vector<SharedVersion> own_versions(const std::string& folder) {
  std::vector<SharedVersion> out;
  for (Settings& one : read_versions(folder)) {
    SharedVersion version{one.version, one.saved_ms, one.author, {}, {}, {}};
    version.settings = std::move(one);
    out.push_back(std::move(version));
  }
  return out;
}

HttpResponse list_versions(const std::vector<SharedVersion>& versions, std::uint64_t current) {
  boost::json::array out;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const SharedVersion& version = versions[i];
    boost::json::object one{
        {"version", version.version}, {"saved_ms", version.made_ms}, {"author", version.author}};
    if (!version.node.empty()) one["node"] = version.node, one["comment"] = version.comment;
    one["current"] = version.version == current;
    const bool known = i + 1 < versions.size() && versions[i + 1].version + 1 == version.version &&
                       version.settings && versions[i + 1].settings;
    one["changes"] = known
                         ? boost::json::value(settings_changes(*versions[i + 1].settings, *version.settings))
                         : boost::json::value();
    out.push_back(std::move(one));
  }
  boost::json::object answer;
  answer["versions"] = std::move(out);
  return HttpResponse::json(200, answer);
}

HttpResponse not_kept() { return problem(kNotFound, "This version of the settings is not kept."); }

std::optional<std::uint64_t> number_of(const std::string& text) {
  if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stoull(text);
}

// A kept version, of this node or of the fleet. Waits, or reads files.
Result<Settings> kept_version(SharedSettings* shared, const std::string& folder, std::uint64_t version) {
  if (shared == nullptr) return read_version(folder, version);
  auto found = shared->version(version);
  if (!found) return tl::unexpected(found.error());
  if (!found->settings) return fail(ErrorCode::kIo, found->settings.error().what);
  return std::move(found->settings);
}

void show_versions(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  services.answer_in_background(
      *call, respond,
      [shared = services.shared_settings, folder = services.settings.versions_folder(),
       current = services.settings.current().version] {
        if (shared == nullptr) return list_versions(own_versions(folder), current);
        const auto versions = shared->versions();
        return versions ? list_versions(*versions, current) : problem_of(versions.error());
      });
}

HttpResponse one_version(const Settings& old, const Settings& current) {
  boost::json::object answer = head_of(old);
  answer["settings"] = to_json(old, false);
  answer["undo"] = settings_changes(current, old);
  return HttpResponse::json(200, answer);
}

HttpResponse no_version(const Error& error) {
  return error.code == ErrorCode::kMissing ? not_kept() : problem_of(error);
}

void show_version(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  const auto version = number_of(call->path[0]);
  if (!version) return respond(not_kept());
  services.answer_in_background(
      *call, respond,
      [shared = services.shared_settings, folder = services.settings.versions_folder(), version = *version,
       newest = services.settings.newest(), current = services.settings.current()] {
        const auto old = kept_version(shared, folder, version);
        if (!old) return no_version(old.error());
        // A node that cannot use the newest shows what going back changes for the others, if it can read it.
        const auto present =
            newest == current.version ? Result<Settings>(current) : kept_version(shared, folder, newest);
        return one_version(*old, present ? *present : current);
      });
}

HttpResponse put_back(Services& services, const Call& call, std::int64_t present, Settings old) {
  const std::uint64_t version = old.version;
  const std::uint64_t before = services.settings.newest();
  if (services.settings.changed_since(present))
    return problem(kPrecondition, "The settings have changed meanwhile.");
  if (auto saved = services.settings.commit(std::move(old), call.identity.username, call.now_ms, true);
      !saved)
    return problem_of(saved.error());
  const std::uint64_t made = services.settings.current().version;
  services.audit(call, "settings.restore", std::to_string(version),
                 {{"version", made}, {"instead_of", before}});
  boost::json::object answer;
  answer["version"] = made;
  return HttpResponse::json(200, answer);
}

void restore(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  std::int64_t version = 0;
  std::int64_t present = -1;
  ObjectReader reader(call->body);
  reader.require("version").integer("version", version, 0, kMaxVersion);
  reader.integer("present", present, 0, kMaxVersion);
  if (auto good = reader.finish(); !good) return respond(problem_of(good.error()));
  if (services.settings.changed_since(present))
    return respond(problem(kPrecondition, "The settings have changed meanwhile."));
  // Left out where nobody waits any more: then nothing is put back.
  const auto found = std::make_shared<Result<Settings>>(tl::unexpected(Error{}));
  services.search_in_background(
      *call, respond,
      [found, version, shared = services.shared_settings, folder = services.settings.versions_folder()] {
        *found = kept_version(shared, folder, static_cast<std::uint64_t>(version));
      },
      [&services, call, respond, found, present] {
        respond(*found ? put_back(services, *call, present, std::move(**found)) : no_version(found->error()));
      });
}

}  // namespace

std::vector<Route> settings_routes(Services& services) {
  return {
      operation("GET", "/api/v1/settings/versions", Role::kViewer, "listSettingsVersions",
                "The kept versions of the settings and what each changed")
          .answers("SettingsVersions")
          .by(services, show_versions),
      operation("GET", "/api/v1/settings/versions/{version}", Role::kViewer, "getSettingsVersion",
                "One kept version, and what going back to it would change")
          .answers("SettingsVersion")
          .by(services, show_version),
      operation("POST", "/api/v1/settings/restore", Role::kAdmin, "restoreSettings",
                "Go back to a kept version: its content becomes a new version")
          .takes("SettingsRestore")
          .answers("SettingsSaved")
          .by(services, restore),
  };
}

}  // namespace wafd::console
