// Channels, alert rules, the test of a channel, and how sending went.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/api/routing/etag.h"
#include "console/api/routing/test_limiter.h"
#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "forward/notify/web_address.h"
#include "forward/target/destination.h"

namespace wafd::console {
namespace {

using forward::AlertSettings;
using forward::ChannelSettings;

// Alerts and channels have the same operations; these are the differences.
struct Channels {
  using Object = ChannelSettings;
  static constexpr auto kList = &Settings::channels;
  static constexpr const char* kName = "channel";
  static constexpr const char* kPath = "/api/v1/notify/channels/";
  static constexpr std::size_t kMost = forward::kMaxChannels;
  static boost::json::object shown(const Object& object) { return forward::to_json(object, false); }
  // Secrets are shown to nobody, but who changes one has changed the channel.
  static std::string hidden(const Services& services, const Object& object) {
    return keyed_digest(services.etag_key, boost::json::serialize(forward::to_json(object, true)));
  }
  static Result<Object> parse(const boost::json::object& from, const Object* previous, const Settings&) {
    return forward::parse_channel(from, previous);
  }
};

struct Alerts {
  using Object = AlertSettings;
  static constexpr auto kList = &Settings::alerts;
  static constexpr const char* kName = "alert";
  static constexpr const char* kPath = "/api/v1/notify/alerts/";
  static constexpr std::size_t kMost = forward::kMaxAlerts;
  static boost::json::object shown(const Object& object) { return forward::to_json(object); }
  static std::string hidden(const Services&, const Object&) { return {}; }
  static Result<Object> parse(const boost::json::object& from, const Object*, const Settings& settings) {
    auto alert = forward::parse_alert(from);
    if (!alert) return alert;
    if (auto good = check_channels(*alert, settings.channels); !good) return tl::unexpected(good.error());
    return alert;
  }
};

// An address that needs no resolving is judged at once; a name when it is connected to.
std::optional<HttpResponse> refuse(const Services& services, const ChannelSettings& channel) {
  std::string host = channel.host;
  auto port = static_cast<std::uint16_t>(channel.port);
  const bool mail = channel.kind == forward::ChannelKind::kMail;
  if (!mail) {
    const auto web = forward::parse_web_address(channel.url);
    if (!web) return std::nullopt;
    host = web->host;
    port = web->port;
  }
  const auto address = IpAddress::parse(host);
  if (!address) return std::nullopt;
  const auto local = services.local_addresses ? services.local_addresses() : std::vector<IpAddress>();
  auto good =
      forward::check_destination(*address, port, forward::Transport::kTcp, services.own_listeners, local);
  if (good) return std::nullopt;
  const char* member = mail ? "host" : "url";
  return problem(kForbiddenDestination, std::string(member) + ": " + good.error().what, {{"member", member}});
}

std::optional<HttpResponse> refuse(const Services&, const AlertSettings&) { return std::nullopt; }

// A channel that alerts name goes only after them: they would tell nobody, or everybody.
std::optional<HttpResponse> refuse_removal(const Settings& settings, const ChannelSettings& channel) {
  for (const AlertSettings& alert : settings.alerts)
    if (std::find(alert.channels.begin(), alert.channels.end(), channel.id) != alert.channels.end())
      return problem(kConflict, fmt::format("The alert {} goes there.", alert.name));
  return std::nullopt;
}

std::optional<HttpResponse> refuse_removal(const Settings&, const AlertSettings&) { return std::nullopt; }

template <class Resource>
boost::json::object tagged(const Services& services, const typename Resource::Object& object) {
  return with_etag(Resource::shown(object), Resource::hidden(services, object));
}

template <class Resource>
typename Resource::Object* find(Settings& settings, std::string_view id) {
  auto& list = settings.*Resource::kList;
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.id == id; });
  return found == list.end() ? nullptr : &*found;
}

template <class Resource>
HttpResponse none() {
  return problem(kNotFound, fmt::format("There is no {} of that id.", Resource::kName));
}

template <class Resource>
HttpResponse list_objects(const Services& services) {
  boost::json::array all;
  for (const auto& object : services.settings.current().*Resource::kList)
    all.emplace_back(tagged<Resource>(services, object));
  boost::json::object answer;
  answer[fmt::format("{}s", Resource::kName)] = std::move(all);
  return HttpResponse::json(200, answer);
}

template <class Resource>
HttpResponse show_object(const Services& services, const Call& call) {
  for (const auto& object : services.settings.current().*Resource::kList)
    if (object.id == call.path[0]) return answer_object(200, tagged<Resource>(services, object));
  return none<Resource>();
}

boost::json::object without_etag(boost::json::object object) {
  object.erase("etag");
  return object;
}

template <class Resource>
std::optional<HttpResponse> refuse_object_name(const Settings& settings,
                                               const typename Resource::Object& object) {
  for (const auto& other : settings.*Resource::kList)
    if (other.name == object.name && other.id != object.id)
      return problem(kConflict,
                     fmt::format("There is {} {} of that name already.",
                                 Resource::kName[0] == 'a' ? "an" : "a", Resource::kName),
                     {{"member", "name"}});
  return std::nullopt;
}

template <class Resource>
HttpResponse create_object(Services& services, Call& call) {
  Settings next = services.settings.current();
  auto& all = next.*Resource::kList;
  if (all.size() >= Resource::kMost)
    return problem(kConflict, fmt::format("There are {} {}s already.", Resource::kMost, Resource::kName));
  boost::json::object from = without_etag(call.body);
  from["id"] = make_id(services.random, 8);
  auto object = Resource::parse(from, nullptr, next);
  if (!object) return problem_of(object.error());
  if (auto refused = refuse(services, *object)) return std::move(*refused);
  if (auto refused = refuse_object_name<Resource>(next, *object)) return std::move(*refused);
  all.push_back(*object);
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved)
    return problem_of(saved.error());
  services.audit(call, fmt::format("notify.{}.create", Resource::kName), object->id,
                 Resource::shown(*object));
  return answer_object(201, tagged<Resource>(services, *object), Resource::kPath + object->id);
}

template <class Resource>
HttpResponse change_object(Services& services, Call& call) {
  Settings next = services.settings.current();
  auto* present = find<Resource>(next, call.path[0]);
  if (present == nullptr) return none<Resource>();
  if (auto refused =
          refuse_outdated(call.request, Resource::shown(*present), Resource::hidden(services, *present)))
    return std::move(*refused);
  boost::json::object from = without_etag(call.body);
  from["id"] = present->id;
  auto object = Resource::parse(from, present, next);
  if (!object) return problem_of(object.error());
  if (auto refused = refuse(services, *object)) return std::move(*refused);
  if (auto refused = refuse_object_name<Resource>(next, *object)) return std::move(*refused);
  boost::json::object detail{{"before", Resource::shown(*present)}, {"after", Resource::shown(*object)}};
  *present = *object;
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved)
    return problem_of(saved.error());
  services.audit(call, fmt::format("notify.{}.change", Resource::kName), object->id, std::move(detail));
  return answer_object(200, tagged<Resource>(services, *object));
}

template <class Resource>
HttpResponse remove_object(Services& services, Call& call) {
  Settings next = services.settings.current();
  auto* present = find<Resource>(next, call.path[0]);
  if (present == nullptr) return none<Resource>();
  if (auto refused =
          refuse_outdated(call.request, Resource::shown(*present), Resource::hidden(services, *present)))
    return std::move(*refused);
  if (auto refused = refuse_removal(next, *present)) return std::move(*refused);
  boost::json::object detail = Resource::shown(*present);
  auto& all = next.*Resource::kList;
  all.erase(all.begin() + (present - all.data()));
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved)
    return problem_of(saved.error());
  services.audit(call, fmt::format("notify.{}.remove", Resource::kName), call.path[0], std::move(detail));
  return HttpResponse::empty(204);
}

// --- the test and the state -------------------------------------------------------------------------------

// A form as it stands, with the secrets of the stored channel if it has an id.
Result<ChannelSettings> channel_of_form(Services& services, boost::json::object from) {
  Settings current = services.settings.current();
  const ChannelSettings* stored = nullptr;
  if (const auto* id = from.if_contains("id");
      id != nullptr && id->is_string() && !id->get_string().empty()) {
    stored = find<Channels>(current, std::string_view(id->get_string()));
    if (stored == nullptr) return fail(ErrorCode::kInvalid, "id: expected that of a stored channel");
    if (from.size() == 1) return *stored;
  }
  if (!from.contains("name")) from["name"] = "test";
  return forward::parse_channel(without_etag(std::move(from)), stored);
}

boost::json::object send_result_json(const forward::SendResult& result) {
  boost::json::array stages;
  for (const forward::TestStage& stage : result.stages)
    stages.push_back(
        {{"name", stage.name},
         {"ok", stage.ok},
         {"ms", stage.ms},
         {"detail", stage.detail},
         {"error", stage.error.empty() ? boost::json::value() : boost::json::value(stage.error)}});
  return {
      {"verdict", result.sent ? "accepted" : "failed"}, {"text", result.text}, {"stages", std::move(stages)}};
}

void test_channel(Services& services, TestLimiter& limiter, const std::shared_ptr<Call>& call,
                  const Respond& respond) {
  auto channel = channel_of_form(services, call->body);
  if (!channel) return respond(problem_of(channel.error()));
  if (auto refused = refuse(services, *channel)) return respond(std::move(*refused));
  if (const std::int64_t wait_s = limiter.begin(services.steady_ms()); wait_s > 0)
    return respond(problem_retry(kTooMany, "One test at a time, and six a minute.", wait_s));
  const auto web = forward::parse_web_address(channel->url);
  const std::string destination = channel->kind == forward::ChannelKind::kMail
                                      ? fmt::format("smtp://{}:{}", channel->host, channel->port)
                                      : (web ? web->origin() : std::string());
  services.notifier->test(std::move(*channel), [&services, &limiter, call, respond,
                                                destination](forward::SendResult result) {
    services.post([&services, &limiter, call, respond, destination, result = std::move(result)] {
      limiter.end();
      services.audit(*call, "notify.test", destination, {{"verdict", result.sent ? "accepted" : "failed"}});
      respond(HttpResponse::json(200, send_result_json(result)));
    });
  });
}

boost::json::object notifier_json(const forward::NotifierStatus& status) {
  boost::json::array channels, history;
  for (const auto& channel : status.channels)
    channels.push_back(
        {{"id", channel.id},
         {"waiting", channel.waiting},
         {"next_ms", channel.next_ms == 0 ? boost::json::value() : boost::json::value(channel.next_ms)},
         {"dropped", channel.dropped}});
  for (const auto& one : status.history)
    history.push_back({{"time_ms", one.time_ms},
                       {"channel", one.channel},
                       {"name", one.name},
                       {"subject", one.subject},
                       {"notifications", one.notifications},
                       {"attempt", one.attempt},
                       {"sent", one.sent},
                       {"text", one.text}});
  return {{"channels", std::move(channels)},
          {"active", boost::json::array(status.active.begin(), status.active.end())},
          {"history", std::move(history)},
          {"overtaken", status.overtaken},
          {"notice", status.notice}};
}

template <class Resource>
void add_routes(Services& services, std::vector<Route>& out, Role who, const std::string& name,
                const std::string& what) {
  const std::string all = fmt::format("/api/v1/notify/{}s", Resource::kName), one = all + "/{id}";
  out.push_back(operation("GET", all, Role::kViewer, "list" + name + "s", "All " + what + "s")
                    .answers(name + "s")
                    .by(at_once([&services](Call&) { return list_objects<Resource>(services); })));
  out.push_back(
      operation("POST", all, who, "add" + name, "Add one of the " + what + "s")
          .takes(name + "Request")
          .answers(name, 201)
          .by(at_once([&services](Call& call) { return create_object<Resource>(services, call); })));
  out.push_back(operation("GET", one, Role::kViewer, "get" + name, "One of the " + what + "s")
                    .answers(name)
                    .by(at_once([&services](Call& call) { return show_object<Resource>(services, call); })));
  out.push_back(
      operation("PUT", one, who, "change" + name, "Replace one of the " + what + "s")
          .takes(name + "Request")
          .answers(name)
          .by(at_once([&services](Call& call) { return change_object<Resource>(services, call); })));
  out.push_back(
      operation("DELETE", one, who, "remove" + name, "Remove one of the " + what + "s")
          .answers_nothing()
          .by(at_once([&services](Call& call) { return remove_object<Resource>(services, call); })));
}

}  // namespace

std::vector<Route> notify_routes(Services& services) {
  const auto limiter = std::make_shared<TestLimiter>();
  std::vector<Route> out;
  add_routes<Channels>(services, out, Role::kAdmin, "Channel", "notification channel");
  add_routes<Alerts>(services, out, Role::kOperator, "Alert", "alert rule");
  out = with_if_match(std::move(out));
  out.push_back(operation("POST", "/api/v1/notify/test", Role::kAdmin, "testChannel",
                          "Send a test message by a channel, stored or not, and say in stages how it went")
                    .takes("ChannelTestRequest")
                    .answers("ChannelTestResult")
                    .by([&services, limiter](const std::shared_ptr<Call>& call, const Respond& respond) {
                      test_channel(services, *limiter, call, respond);
                    }));
  out.push_back(operation("GET", "/api/v1/notify/status", Role::kViewer, "getNotifyStatus",
                          "What was sent, what waits, and which alerts hold now")
                    .answers("NotifyStatus")
                    .by([&services](const std::shared_ptr<Call>&, const Respond& respond) {
                      services.notifier->status([&services, respond](forward::NotifierStatus status) {
                        services.post([respond, status = std::move(status)] {
                          respond(HttpResponse::json(200, notifier_json(status)));
                        });
                      });
                    }));
  return out;
}

}  // namespace wafd::console
