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

// Reading twenty files and comparing them may take a while: elsewhere, then on the console loop.
template <class Work>
void elsewhere(Services& services, const Respond& respond, Work work) {
  const auto answer = std::make_shared<HttpResponse>();
  const bool taken = services.background.run([answer, work = std::move(work)] { *answer = work(); },
                                             [answer, respond] { respond(std::move(*answer)); });
  if (!taken) respond(problem_retry(kUnavailable, "Too much at once: try again.", 1));
}

boost::json::object head_of(const Settings& settings) {
  return {{"version", settings.version}, {"saved_ms", settings.saved_ms}, {"author", settings.author}};
}

HttpResponse list_versions(const std::string& folder, std::uint64_t current) {
  const std::vector<Settings> versions = read_versions(folder);
  boost::json::array out;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    boost::json::object one = head_of(versions[i]);
    one["current"] = versions[i].version == current;
    const bool known = i + 1 < versions.size() && versions[i + 1].version + 1 == versions[i].version;
    one["changes"] =
        known ? boost::json::value(settings_changes(versions[i + 1], versions[i])) : boost::json::value();
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

void show_version(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  const auto version = number_of(call->path[0]);
  if (!version) return respond(not_kept());
  elsewhere(services, respond,
            [folder = services.settings.versions_folder(), version = *version,
             current = services.settings.current()] {
              const auto old = read_version(folder, version);
              if (!old) return not_kept();
              boost::json::object answer = head_of(*old);
              answer["settings"] = to_json(*old, false);
              answer["undo"] = settings_changes(current, *old);
              return HttpResponse::json(200, answer);
            });
}

HttpResponse restore(Services& services, Call& call) {
  std::int64_t version = 0;
  std::int64_t present = -1;
  ObjectReader reader(call.body);
  reader.require("version").integer("version", version, 0, kMaxVersion);
  reader.integer("present", present, 0, kMaxVersion);
  if (auto good = reader.finish(); !good) return problem_of(good.error());
  const std::uint64_t before = services.settings.current().version;
  if (present >= 0 && static_cast<std::uint64_t>(present) != before)
    return problem(kPrecondition, "The settings have changed meanwhile.");
  auto old = read_version(services.settings.versions_folder(), static_cast<std::uint64_t>(version));
  if (!old) return not_kept();
  if (auto saved = services.settings.commit(std::move(*old), call.identity.username, call.now_ms); !saved)
    return problem_of(saved.error());
  const std::uint64_t made = services.settings.current().version;
  services.audit(call, "settings.restore", std::to_string(version),
                 {{"version", made}, {"instead_of", before}});
  boost::json::object answer;
  answer["version"] = made;
  return HttpResponse::json(200, answer);
}

}  // namespace

std::vector<Route> settings_routes(Services& services) {
  return {
      operation("GET", "/api/v1/settings/versions", Role::kViewer, "listSettingsVersions",
                "The kept versions of the settings and what each changed")
          .answers("SettingsVersions")
          .by([&services](const std::shared_ptr<Call>&, const Respond& respond) {
            elsewhere(
                services, respond,
                [folder = services.settings.versions_folder(),
                 current = services.settings.current().version] { return list_versions(folder, current); });
          }),
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
