// Sites, exceptions and lists: create, read, change, remove.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/api/routing/etag.h"
#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "console/settings/policy_json.h"

namespace wafd::console {
namespace {

// Describes one kind of settings object as a collection of the API.
template <class T>
struct Collection {
  std::string name;    // "sites"
  std::string one;     // "site", in audit entries
  std::string schema;  // of one object; NAMEs and NAMERequest follow
  std::string schemas;
  std::string request_schema;
  Role role;  // least role that may change it
  std::size_t max = 0;
  std::string T::*id = nullptr;
  std::vector<T> detect::PolicySettings::*items = nullptr;
  std::function<Result<T>(const boost::json::object&, T)> parse;
  std::function<void(T&, Services&, const Call&)> begin;  // id and author of a new one
  std::function<Result<void>(const T&)> check;            // may be empty
  std::function<Result<void>(const T&)> may_remove;       // may be empty
  // Refuses an object that conflicts with one of the others; may be empty.
  std::function<std::optional<HttpResponse>(const T&, const std::vector<T>&)> check_beside;
  std::function<void(const T&, const detect::UsageCounters&, boost::json::object&)> add_hits;
};

// As the API shows it: with its etag, which the hits are no part of.
template <class T>
boost::json::object shown(const Services& services, const Collection<T>& c, const T& item) {
  boost::json::object out = with_etag(to_json(item));
  c.add_hits(item, services.hits.total(), out);
  return out;
}

// Answers once the workers' hits are added up.
Handler with_hits(Services& services, std::function<HttpResponse(Call&)> handler) {
  return
      [&services, handler = std::move(handler)](const std::shared_ptr<Call>& call, const Respond& respond) {
        services.gather_hits([handler, call, respond] { respond(handler(*call)); });
      };
}

template <class T>
T* find_item(std::vector<T>& items, std::string T::*id, std::string_view wanted) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const T& item) { return item.*id == wanted; });
  return found == items.end() ? nullptr : &*found;
}

// An end that has passed already is a mistake, unless it stood there before: something kept though it is
// over.
template <class T>
Result<void> check_expiry(const T& item, const T* before, std::int64_t now_ms) {
  if constexpr (requires { item.expires_s; }) {
    const bool kept = before != nullptr && before->expires_s == item.expires_s;
    if (item.expires_s != 0 && item.expires_s * 1000 <= now_ms && !kept) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("expires_s: expected a time to come, in Unix seconds, or 0 for never, got {}",
                              item.expires_s));
    }
  }
  return {};
}

template <class T>
HttpResponse list_items(Services& services, const Collection<T>& c) {
  boost::json::array list;
  for (const T& item : services.settings.current().policy.*c.items)
    list.emplace_back(shown(services, c, item));
  boost::json::object answer;
  answer[c.name] = std::move(list);
  return HttpResponse::json(200, answer);
}

// The conflict with other settings: the words without the place in their list, which is the
// server's business, and the member of the form that they are about.
HttpResponse refused_commit(const Error& error) {
  const std::size_t end = error.what.find("].");
  if (error.code != ErrorCode::kConflict || end == std::string::npos) return problem_of(error);
  const std::string words = error.what.substr(end + 2);
  return problem(kConflict, words, {{"member", words.substr(0, words.find(':'))}});
}

template <class T>
HttpResponse create_item(Services& services, Call& call, const Collection<T>& c) {
  Settings next = services.settings.current();
  auto& items = next.policy.*c.items;
  if (items.size() >= c.max)
    return problem(kConflict, fmt::format("There are {} {} already.", c.max, c.name));
  T item;
  c.begin(item, services, call);
  auto parsed = c.parse(call.body, std::move(item));
  if (!parsed) return problem_of(parsed.error());
  if (auto good = check_expiry<T>(*parsed, nullptr, call.now_ms); !good) return problem_of(good.error());
  if (c.check) {
    if (auto good = c.check(*parsed); !good) return problem_of(good.error());
  }
  if (c.check_beside) {
    if (auto refused = c.check_beside(*parsed, items)) return std::move(*refused);
  }
  items.push_back(*parsed);
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved) {
    return refused_commit(saved.error());
  }
  const std::string id = (*parsed).*c.id;
  services.audit(call, c.one + ".create", id, to_json(*parsed));
  return answer_object(201, shown(services, c, *parsed), fmt::format("/api/v1/{}/{}", c.name, id));
}

template <class T>
HttpResponse change_item(Services& services, Call& call, const Collection<T>& c) {
  Settings next = services.settings.current();
  T* present = find_item(next.policy.*c.items, c.id, call.path[0]);
  if (present == nullptr) return problem(kNotFound, fmt::format("There is no {} of that id.", c.one));
  if (auto refused = refuse_outdated(call.request, to_json(*present))) return std::move(*refused);
  T fresh;
  fresh.*c.id = (*present).*c.id;
  if constexpr (requires { fresh.author; }) fresh.author = present->author;
  auto parsed = c.parse(call.body, std::move(fresh));
  if (!parsed) return problem_of(parsed.error());
  if (auto good = check_expiry<T>(*parsed, present, call.now_ms); !good) return problem_of(good.error());
  if (c.check) {
    if (auto good = c.check(*parsed); !good) return problem_of(good.error());
  }
  if (c.check_beside) {
    if (auto refused = c.check_beside(*parsed, next.policy.*c.items)) return std::move(*refused);
  }
  boost::json::object detail{{"before", to_json(*present)}, {"after", to_json(*parsed)}};
  *present = *parsed;
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved) {
    return refused_commit(saved.error());
  }
  services.audit(call, c.one + ".change", call.path[0], std::move(detail));
  return answer_object(200, shown(services, c, *parsed));
}

template <class T>
HttpResponse remove_item(Services& services, Call& call, const Collection<T>& c) {
  Settings next = services.settings.current();
  auto& items = next.policy.*c.items;
  T* present = find_item(items, c.id, call.path[0]);
  if (present == nullptr) return problem(kNotFound, fmt::format("There is no {} of that id.", c.one));
  if (auto refused = refuse_outdated(call.request, to_json(*present))) return std::move(*refused);
  if (c.may_remove) {
    if (auto good = c.may_remove(*present); !good) return problem_of(good.error());
  }
  boost::json::object detail = to_json(*present);
  items.erase(items.begin() + (present - items.data()));
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved) {
    return problem_of(saved.error());
  }
  services.audit(call, c.one + ".remove", call.path[0], std::move(detail));
  return HttpResponse::empty(204);
}

template <class T>
void add_collection(std::vector<Route>& routes, Services& services, Collection<T> made) {
  const auto c = std::make_shared<const Collection<T>>(std::move(made));
  const std::string all = "/api/v1/" + c->name;
  const std::string one = all + "/{id}";
  routes.push_back(operation("GET", all, Role::kViewer, "list" + c->schemas, "All " + c->name)
                       .answers(c->schemas)
                       .by(with_hits(services, [&services, c](Call&) { return list_items(services, *c); })));
  routes.push_back(operation("POST", all, c->role, "add" + c->schema, "Add to " + c->name)
                       .takes(c->request_schema)
                       .answers(c->schema, 201)
                       .by(at_once([&services, c](Call& call) { return create_item(services, call, *c); })));
  routes.push_back(operation("GET", one, Role::kViewer, "get" + c->schema, "One of " + c->name)
                       .answers(c->schema)
                       .by(with_hits(services, [&services, c](Call& call) {
                         Settings copy = services.settings.current();
                         T* present = find_item(copy.policy.*c->items, c->id, call.path[0]);
                         if (present == nullptr)
                           return problem(kNotFound, fmt::format("There is no {} of that id.", c->one));
                         return answer_object(200, shown(services, *c, *present));
                       })));
  routes.push_back(operation("PUT", one, c->role, "change" + c->schema, "Replace one of " + c->name)
                       .takes(c->request_schema)
                       .answers(c->schema)
                       .by(at_once([&services, c](Call& call) { return change_item(services, call, *c); })));
  routes.push_back(operation("DELETE", one, c->role, "remove" + c->schema, "Remove one of " + c->name)
                       .answers_nothing()
                       .by(at_once([&services, c](Call& call) { return remove_item(services, call, *c); })));
}

Result<void> check_site(const detect::SiteSettings& site) {
  if (site.uuid == "0" && !site.hosts.empty()) {
    return fail(ErrorCode::kInvalid,
                "hosts: expected none: the default site takes every host that no other site has");
  }
  if (site.uuid != "0" && site.hosts.empty())
    return fail(ErrorCode::kInvalid, "hosts: expected at least one");
  return {};
}

std::optional<HttpResponse> refuse_second_entry(const detect::ListEntry& entry,
                                                const std::vector<detect::ListEntry>& entries) {
  for (const detect::ListEntry& other : entries) {
    if (other.id == entry.id || other.kind != entry.kind || other.cidr != entry.cidr) continue;
    return problem(kConflict,
                   fmt::format("cidr: {} is on the {} list already: change that entry", entry.cidr,
                               to_string(entry.kind)),
                   {{"member", "cidr"}, {"id", other.id}});
  }
  return std::nullopt;
}

// A path of a request begins with a slash: another pattern would accept nothing and look as if it did.
Result<void> check_exception(const detect::ExceptionSettings& exception) {
  const std::string_view path = exception.path;
  if (path.empty() || path.starts_with('/') || path.starts_with('*')) return {};
  return fail(ErrorCode::kInvalid, "path: expected a path that begins with / or *");
}

std::string next_site_uuid(const Services& services) {
  std::uint64_t highest = 0;
  for (const auto& site : services.settings.current().policy.sites) {
    std::uint64_t number = 0;
    for (const char c : site.uuid.substr(0, 18)) number = number * 10 + static_cast<std::uint64_t>(c - '0');
    highest = std::max(highest, number);
  }
  return std::to_string(highest + 1);
}

// Hosts that were asked for and fell to the default site, newest first; those that a site has got since are
// left out.
HttpResponse list_unknown_hosts(const Services& services) {
  detect::PolicySettings sites;
  sites.sites = services.settings.current().policy.sites;
  const auto policy = detect::Policy::build(sites);
  if (!policy) return problem(kInternal, policy.error().what);
  const detect::UnknownHosts& unknown = services.hits.total().unknown;
  boost::json::array hosts;
  for (const auto& host : unknown.hosts()) {
    if (policy->site_of(host.name).uuid != detect::kDefaultSite) continue;
    hosts.push_back(
        {{"host", host.name}, {"count", host.count}, {"first_s", host.first_s}, {"last_s", host.last_s}});
  }
  boost::json::object answer;
  answer["hosts"] = std::move(hosts);
  answer["other"] = unknown.other;
  answer["forgotten"] = unknown.forgotten;
  return HttpResponse::json(200, answer);
}

}  // namespace

std::vector<Route> policy_routes(Services& services) {
  std::vector<Route> routes;

  Collection<detect::SiteSettings> sites;
  sites.name = "sites", sites.one = "site", sites.schema = "Site", sites.schemas = "Sites",
  sites.request_schema = "SiteRequest";
  sites.role = Role::kAdmin, sites.max = kMaxSites;
  sites.id = &detect::SiteSettings::uuid, sites.items = &detect::PolicySettings::sites;
  sites.parse = parse_site;
  sites.begin = [](detect::SiteSettings& site, Services& s, const Call&) { site.uuid = next_site_uuid(s); };
  sites.check = check_site;
  sites.add_hits = [](const detect::SiteSettings& site, const detect::UsageCounters& hits,
                      boost::json::object& out) { out["days"] = days_json(hits, site.uuid); };
  sites.may_remove = [](const detect::SiteSettings& site) -> Result<void> {
    if (site.uuid == "0") return fail(ErrorCode::kConflict, "The default site cannot be removed.");
    return {};
  };
  add_collection(routes, services, std::move(sites));

  Collection<detect::ExceptionSettings> exceptions;
  exceptions.name = "exceptions", exceptions.one = "exception", exceptions.schema = "Exception";
  exceptions.schemas = "Exceptions", exceptions.request_schema = "ExceptionRequest";
  exceptions.role = Role::kOperator, exceptions.max = kMaxExceptions;
  exceptions.id = &detect::ExceptionSettings::id, exceptions.items = &detect::PolicySettings::exceptions;
  exceptions.parse = parse_exception;
  exceptions.check = check_exception;
  exceptions.begin = [](detect::ExceptionSettings& exception, Services& s, const Call& call) {
    exception.id = make_id(s.random, 8);
    exception.author = call.identity.username;
  };
  exceptions.add_hits = [](const detect::ExceptionSettings& item, const detect::UsageCounters& hits,
                           boost::json::object& out) { out["hits"] = hits_json(hits.exceptions, item.id); };
  add_collection(routes, services, std::move(exceptions));

  Collection<detect::ListEntry> lists;
  lists.name = "lists", lists.one = "list", lists.schema = "ListEntry", lists.schemas = "Lists",
  lists.request_schema = "ListRequest";
  lists.role = Role::kOperator, lists.max = kMaxLists;
  lists.id = &detect::ListEntry::id, lists.items = &detect::PolicySettings::lists;
  lists.parse = parse_list_entry;
  lists.check_beside = refuse_second_entry;
  lists.begin = [](detect::ListEntry& entry, Services& s, const Call&) { entry.id = make_id(s.random, 8); };
  lists.add_hits = [](const detect::ListEntry& item, const detect::UsageCounters& hits,
                      boost::json::object& out) { out["hits"] = hits_json(hits.lists, item.id); };
  add_collection(routes, services, std::move(lists));

  routes.push_back(operation("GET", "/api/v1/sites/unknown", Role::kViewer, "listUnknownHosts",
                             "Hosts that no site has, to be adopted")
                       .answers("UnknownHosts")
                       .by(with_hits(services, [&services](Call&) { return list_unknown_hosts(services); })));
  return with_if_match(std::move(routes));
}

}  // namespace wafd::console
