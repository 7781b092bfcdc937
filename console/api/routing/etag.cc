#include "console/api/routing/etag.h"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "detect/core/bytes.h"
#include "files/small_file.h"

namespace wafd::console {

std::string etag_key_of(const std::string& state_dir, Random& random) {
  constexpr std::size_t kKeyBytes = 43;  // of make_secret()
  const std::string path = state_dir + "/etag-key";
  if (auto kept = read_file(path, kKeyBytes); kept && kept->size() == kKeyBytes) return std::move(*kept);
  std::string made = make_secret(random);
  (void)write_file(path, made);
  return made;
}

boost::json::object with_etag(boost::json::object object, std::string_view hidden) {
  const std::string tag = etag_of(boost::json::serialize(object) + std::string(hidden));
  object["etag"] = tag;
  return object;
}

std::optional<HttpResponse> refuse_outdated(const HttpRequest& request, const boost::json::object& present,
                                            std::string_view hidden) {
  if (request.header_count("If-Match") == 0) return std::nullopt;
  const boost::json::object tagged = with_etag(present, hidden);
  const std::string_view tag = tagged.at("etag").as_string();
  std::string_view rest = request.header("If-Match").value_or("");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::string_view item = trim(rest.substr(0, end));
    if (item == "*") return std::nullopt;
    if (item.size() >= 2 && item.front() == '"' && item.back() == '"') item = item.substr(1, item.size() - 2);
    if (item == tag) return std::nullopt;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return problem(kPrecondition, "Someone changed this meanwhile: read it again, then make your change.",
                 {{"etag", tag}});
}

HttpResponse answer_object(int status, const boost::json::object& tagged, std::string_view location) {
  HttpResponse response = HttpResponse::json(status, tagged);
  response.headers.push_back(
      {"ETag", '"' + std::string(std::string_view(tagged.at("etag").as_string())) + '"'});
  if (!location.empty()) response.headers.push_back({"Location", std::string(location)});
  return response;
}

}  // namespace wafd::console
