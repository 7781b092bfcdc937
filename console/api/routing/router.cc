#include "console/api/routing/router.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace wafd::console {
namespace {

std::vector<std::string> split(std::string_view pattern) {
  std::vector<std::string> out;
  for (std::size_t at = 1; at < pattern.size();) {
    const std::size_t slash = std::min(pattern.find('/', at), pattern.size());
    out.emplace_back(pattern.substr(at, slash - at));
    at = slash + 1;
  }
  return out;
}

bool is_capture(std::string_view segment) noexcept { return segment.starts_with('{'); }

// Literal segments win over captures: true if `pattern` matches, with the number of captures in `captures`.
bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path,
             std::size_t& captures) {
  if (pattern.size() != path.size()) return false;
  captures = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (is_capture(pattern[i])) {
      ++captures;
    } else if (pattern[i] != path[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace

Route operation(std::string method, std::string pattern, std::optional<Role> role, std::string id,
                std::string summary) {
  return {std::move(method), std::move(pattern), role, std::move(id), std::move(summary)};
}

Route Route::asks(std::vector<Parameter> of_query) && {
  parameters = std::move(of_query);
  return std::move(*this);
}

Route Route::takes(std::string schema) && {
  request = std::move(schema);
  return std::move(*this);
}

Route Route::answers(std::string schema, int status) && {
  answer = std::move(schema);
  success = status;
  return std::move(*this);
}

Route Route::answers_text(std::string type) && {
  answer_type = std::move(type);
  return std::move(*this);
}

Route Route::answers_nothing() && {
  success = 204;
  return std::move(*this);
}

Route Route::by(Handler what) && {
  handler = std::move(what);
  return std::move(*this);
}

Handler at_once(std::function<HttpResponse(Call&)> handler) {
  return [handler = std::move(handler)](const std::shared_ptr<Call>& call, const Respond& respond) {
    respond(handler(*call));
  };
}

std::vector<Route> with_if_match(std::vector<Route> routes) {
  for (Route& route : routes) route.if_match = route.method == "PUT" || route.method == "DELETE";
  return routes;
}

std::vector<Route> with_enrolling(std::vector<Route> routes) {
  for (Route& route : routes) route.enrolling = true;
  return routes;
}

void Router::add(Route route) {
  assert(std::none_of(routes_.begin(), routes_.end(), [&](const Route& other) {
    return other.method == route.method && other.pattern == route.pattern;
  }));
  segments_.push_back(split(route.pattern));
  routes_.push_back(std::move(route));
}

Router::Match Router::find(std::string_view method, const Target& target) const {
  Match match;
  std::size_t fewest = static_cast<std::size_t>(-1);
  std::vector<std::size_t> there;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    std::size_t captures = 0;
    if (!matches(segments_[i], target.segments, captures) || captures > fewest) continue;
    if (captures < fewest) there.clear();
    fewest = captures;
    there.push_back(i);
  }
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const std::size_t i : there) {
    const Route& route = routes_[i];
    if (!match.allow.empty()) match.allow += ", ";
    match.allow += route.method == "GET" ? "GET, HEAD" : route.method;
    if (route.method != wanted) continue;
    match.route = &route;
    for (std::size_t at = 0; at < target.segments.size(); ++at) {
      if (is_capture(segments_[i][at])) match.path.push_back(target.segments[at]);
    }
  }
  return match;
}

}  // namespace wafd::console
