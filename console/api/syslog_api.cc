// Syslog targets and the connection test.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/api/receiver_snippets.h"
#include "console/api/routing/etag.h"
#include "console/api/routing/test_limiter.h"
#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "console/settings/target_preview.h"
#include "forward/query/event_query.h"
#include "forward/target/destination.h"
#include "forward/target/presets.h"
#include "forward/target/target_warnings.h"

namespace wafd::console {
namespace {

using forward::TargetSettings;
using Statuses = std::vector<forward::TargetStatus>;

// Members that only answers have.
constexpr std::string_view kReadOnly[] = {"status", "etag", "warnings"};

boost::json::object without_state(boost::json::object object) {
  for (const std::string_view name : kReadOnly) object.erase(name);
  return object;
}

// Secrets are shown to nobody, but who changes one has changed the target.
std::string hidden_part(const Services& services, const TargetSettings& target) {
  return keyed_digest(services.etag_key, boost::json::serialize(forward::to_json(target, true)));
}

boost::json::object target_json(const Services& services, const TargetSettings& target,
                                const Statuses& statuses) {
  boost::json::object object = with_etag(forward::to_json(target, false), hidden_part(services, target));
  boost::json::array warnings;
  for (const std::string& warning : forward::target_warnings(target)) warnings.emplace_back(warning);
  object["warnings"] = std::move(warnings);
  object["status"] = nullptr;
  for (const forward::TargetStatus& status : statuses) {
    if (status.id == target.id) object["status"] = to_json(status);
  }
  return object;
}

// Calls back on the console loop.
void with_statuses(Services& services, std::function<void(Statuses)> then) {
  services.delivery.status([&services, then = std::move(then)](Statuses statuses) {
    services.post([then, statuses = std::move(statuses)] { then(statuses); });
  });
}

// Addresses that need no resolving are judged at once; names are judged when their addresses are known.
std::optional<HttpResponse> refuse_destination(const Services& services, const TargetSettings& target) {
  const auto local = services.local_addresses ? services.local_addresses() : std::vector<IpAddress>();
  const auto judge = [&](const std::string& host, std::uint16_t port,
                         std::string member) -> std::optional<HttpResponse> {
    const auto address = IpAddress::parse(host);
    if (!address) return std::nullopt;
    auto good = forward::check_destination(*address, port, target.transport, services.own_listeners, local);
    if (good) return std::nullopt;
    return problem(kForbiddenDestination, member + ": " + good.error().what, {{"member", member}});
  };
  if (auto refused = judge(target.host, target.port, "host")) return refused;
  for (std::size_t i = 0; i < target.backups.size(); ++i) {
    if (auto refused =
            judge(target.backups[i].host, target.backups[i].port, fmt::format("backups[{}].host", i)))
      return refused;
  }
  return std::nullopt;
}

// Checks of a whole target beyond its single members; before it is saved also whether its certificates are
// good.
Result<TargetSettings> read_target(const Services& services, const boost::json::object& object,
                                   const TargetSettings* previous, bool to_save,
                                   forward::SecretUse use = forward::SecretUse::kConnects) {
  auto target = forward::parse_target(object, previous, use);
  if (!target) return target;
  if (auto query = forward::EventQuery::parse(target->filter); !query) {
    return fail(ErrorCode::kInvalid,
                fmt::format("filter: at character {}: {}", query.error().offset + 1, query.error().what));
  }
  if (to_save)
    if (auto good = services.delivery.check(*target); !good) return tl::unexpected(good.error());
  return target;
}

TargetSettings* find_target(Settings& settings, std::string_view id) {
  const auto found = std::find_if(settings.targets.begin(), settings.targets.end(),
                                  [&](const TargetSettings& target) { return target.id == id; });
  return found == settings.targets.end() ? nullptr : &*found;
}

std::optional<HttpResponse> refuse_target_name(const Settings& settings, const TargetSettings& target) {
  for (const TargetSettings& other : settings.targets) {
    if (other.name == target.name && other.id != target.id) {
      return problem(kConflict, "A target of that name exists.", {{"member", "name"}});
    }
  }
  return std::nullopt;
}

void list_targets(Services& services, const Respond& respond) {
  with_statuses(services, [&services, respond](const Statuses& statuses) {
    boost::json::array targets;
    for (const TargetSettings& target : services.settings.current().targets) {
      targets.emplace_back(target_json(services, target, statuses));
    }
    boost::json::object answer;
    answer["targets"] = std::move(targets);
    respond(HttpResponse::json(200, answer));
  });
}

void show_target(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  with_statuses(services, [&services, call, respond](const Statuses& statuses) {
    for (const TargetSettings& target : services.settings.current().targets) {
      if (target.id == call->path[0])
        return respond(answer_object(200, target_json(services, target, statuses)));
    }
    respond(problem(kNotFound, "There is no target of that id."));
  });
}

HttpResponse create_target(Services& services, Call& call) {
  Settings next = services.settings.current();
  if (next.targets.size() >= kMaxTargets) return problem(kConflict, "There are 64 targets already.");
  boost::json::object object = without_state(call.body);
  object["id"] = make_id(services.random, 8);
  auto target = read_target(services, object, nullptr, true);
  if (!target) return problem_of(target.error());
  if (auto refused = refuse_destination(services, *target)) return std::move(*refused);
  if (auto refused = refuse_target_name(next, *target)) return std::move(*refused);
  next.targets.push_back(*target);
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved) {
    return problem_of(saved.error());
  }
  services.audit(call, "syslog.target.create", target->id, forward::to_json(*target, false));
  return answer_object(201, target_json(services, *target, {}), "/api/v1/syslog/targets/" + target->id);
}

HttpResponse change_target(Services& services, Call& call) {
  Settings next = services.settings.current();
  TargetSettings* present = find_target(next, call.path[0]);
  if (present == nullptr) return problem(kNotFound, "There is no target of that id.");
  if (auto refused =
          refuse_outdated(call.request, forward::to_json(*present, false), hidden_part(services, *present)))
    return std::move(*refused);
  boost::json::object object = without_state(call.body);
  object["id"] = present->id;
  auto target = read_target(services, object, present, true);
  if (!target) return problem_of(target.error());
  if (auto refused = refuse_destination(services, *target)) return std::move(*refused);
  if (auto refused = refuse_target_name(next, *target)) return std::move(*refused);
  boost::json::object detail{{"before", forward::to_json(*present, false)},
                             {"after", forward::to_json(*target, false)}};
  *present = *target;
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved) {
    return problem_of(saved.error());
  }
  services.audit(call, "syslog.target.change", target->id, std::move(detail));
  return answer_object(200, target_json(services, *target, {}));
}

HttpResponse remove_target(Services& services, Call& call) {
  Settings next = services.settings.current();
  TargetSettings* present = find_target(next, call.path[0]);
  if (present == nullptr) return problem(kNotFound, "There is no target of that id.");
  if (auto refused =
          refuse_outdated(call.request, forward::to_json(*present, false), hidden_part(services, *present)))
    return std::move(*refused);
  boost::json::object detail = forward::to_json(*present, false);
  next.targets.erase(next.targets.begin() + (present - next.targets.data()));
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved) {
    return problem_of(saved.error());
  }
  services.audit(call, "syslog.target.remove", call.path[0], std::move(detail));
  return HttpResponse::empty(204);
}

// --- the form
// ----------------------------------------------------------------------------------------------------

// A form as it stands, with the secrets of the stored target if it has an id.
Result<TargetSettings> target_of_form(Services& services, boost::json::object object,
                                      forward::SecretUse use) {
  object.erase("send");
  Settings current = services.settings.current();
  const TargetSettings* stored = nullptr;
  if (const boost::json::value* id = object.if_contains("id");
      id != nullptr && id->is_string() && !id->get_string().empty()) {
    stored = find_target(current, std::string_view(id->get_string()));
    if (stored == nullptr) return fail(ErrorCode::kInvalid, "id: expected that of a stored target");
    if (object.size() == 1) return *stored;
  } else {
    object["id"] = "test-" + make_id(services.random, 4);
  }
  if (!object.contains("name")) object["name"] = "test";
  return read_target(services, without_state(std::move(object)), stored, false, use);
}

void preview_target(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  boost::json::object object = call->body;
  std::optional<EventId> wanted;
  if (const boost::json::value* id = object.if_contains("event_id")) {
    wanted = id->is_string() ? EventId::parse(std::string_view(id->get_string())) : std::nullopt;
    if (!wanted) return respond(problem_of({ErrorCode::kInvalid, 0, "event_id: expected 32 hex digits"}));
    object.erase("event_id");
  }
  auto target = target_of_form(services, std::move(object), forward::SecretUse::kShowsOnly);
  if (!target) return respond(problem_of(target.error()));
  const auto made = std::make_shared<std::optional<boost::json::object>>();
  services.read_in_background(
      *call, respond,
      [made, &services, wanted, target = std::move(*target), fresh = EventId::make(services.random)] {
        *made = preview_message(target, services.ring, services.node, services.zone, wanted, fresh,
                                services.clock.unix_us());
      },
      [made, respond] {
        respond(*made ? HttpResponse::json(200, **made)
                      : problem(kNotFound, "The ring does not hold this event."));
      });
}

HttpResponse show_preset(const Call& call) {
  for (const auto& value : forward::presets_json()) {
    boost::json::object preset = value.as_object();
    if (preset.at("id").as_string() != call.path[0]) continue;
    boost::json::array snippets;
    for (const auto& name : preset.at("files").as_array()) {
      snippets.push_back({{"name", name}, {"text", receiver_snippet(std::string_view(name.as_string()))}});
    }
    preset["snippets"] = std::move(snippets);
    return HttpResponse::json(200, preset);
  }
  return problem(kNotFound, "There is no preset of that id.");
}

// --- the test
// ----------------------------------------------------------------------------------------------------

boost::json::object test_result_json(const forward::TestResult& result) {
  boost::json::array stages;
  for (const forward::TestStage& stage : result.stages) {
    boost::json::object detail = stage.detail;
    if (stage.name == "write" && !result.event_id.empty()) detail["event_id"] = result.event_id;
    stages.push_back(
        {{"name", stage.name},
         {"ok", stage.ok},
         {"ms", stage.ms},
         {"detail", std::move(detail)},
         {"error", stage.error.empty() ? boost::json::value() : boost::json::value(stage.error)}});
  }
  return {{"verdict", result.verdict},
          {"text", result.text},
          {"message", result.message},
          {"stages", std::move(stages)}};
}

void test_target(Services& services, TestLimiter& limiter, const std::shared_ptr<Call>& call,
                 const Respond& respond) {
  forward::TestKind kind = forward::TestKind::kConnectivity;
  if (const boost::json::value* send = call->body.if_contains("send")) {
    const bool sample = send->is_string() && send->get_string() == "sample";
    if (!sample && !(send->is_string() && send->get_string() == "connectivity")) {
      return respond(problem_of({ErrorCode::kInvalid, 0, "send: expected connectivity or sample"}));
    }
    if (sample) kind = forward::TestKind::kSample;
  }
  auto target = target_of_form(services, call->body, forward::SecretUse::kConnects);
  if (!target) return respond(problem_of(target.error()));
  if (auto refused = refuse_destination(services, *target)) return respond(std::move(*refused));
  if (const std::int64_t wait_s = limiter.begin(services.steady_ms()); wait_s > 0) {
    return respond(problem_retry(kTooMany, "One test at a time, and six a minute.", wait_s));
  }
  const std::string destination =
      fmt::format("{}://{}:{}", forward::to_string(target->transport), target->host, target->port);
  services.delivery.test(
      std::move(*target), kind,
      [&services, &limiter, call, respond, destination](forward::TestResult result) {
        services.post([&services, &limiter, call, respond, destination, result = std::move(result)] {
          limiter.end();
          services.audit(*call, "syslog.test", destination, {{"verdict", result.verdict}});
          respond(HttpResponse::json(200, test_result_json(result)));
        });
      });
}

}  // namespace

std::vector<Route> syslog_routes(Services& services) {
  const auto limiter = std::make_shared<TestLimiter>();
  return with_if_match({
      operation("GET", "/api/v1/syslog/targets", Role::kViewer, "listTargets",
                "All syslog targets with their state")
          .answers("Targets")
          .by(services, list_targets),
      operation("POST", "/api/v1/syslog/targets", Role::kAdmin, "addTarget", "Add a syslog target")
          .takes("TargetRequest")
          .answers("Target", 201)
          .by(services, create_target),
      operation("GET", "/api/v1/syslog/targets/{id}", Role::kViewer, "getTarget", "One syslog target")
          .answers("Target")
          .by(services, show_target),
      operation("PUT", "/api/v1/syslog/targets/{id}", Role::kAdmin, "changeTarget",
                "Replace a syslog target; its cursor stays")
          .takes("TargetRequest")
          .answers("Target")
          .by(services, change_target),
      operation("DELETE", "/api/v1/syslog/targets/{id}", Role::kAdmin, "removeTarget",
                "Remove a syslog target")
          .answers_nothing()
          .by(services, remove_target),
      operation("GET", "/api/v1/syslog/presets", Role::kViewer, "listPresets",
                "What a target must be set to for the receivers that wafd knows")
          .answers("Presets")
          .by(at_once([](Call&) {
            return HttpResponse::json(200, {{"presets", forward::presets_json()}});
          })),
      operation("GET", "/api/v1/syslog/presets/{id}", Role::kViewer, "getPreset",
                "One preset with what to paste on the receiver")
          .answers("Preset")
          .by(at_once([](Call& call) { return show_preset(call); })),
      operation("POST", "/api/v1/syslog/preview", Role::kViewer, "previewTarget",
                "The newest event as a target, stored or not, would get it; nothing is sent")
          .takes("PreviewRequest")
          .answers("Preview")
          .by(services, preview_target),
      operation("POST", "/api/v1/syslog/test", Role::kAdmin, "testTarget",
                "Test a syslog target, stored or not, in stages")
          .takes("TestRequest")
          .answers("TestResult")
          .by([&services, limiter](const std::shared_ptr<Call>& call, const Respond& respond) {
            test_target(services, *limiter, call, respond);
          }),
  });
}

}  // namespace wafd::console
