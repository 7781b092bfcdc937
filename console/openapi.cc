#include "console/openapi.h"

#include <string>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "console/schemas.h"
#include "detect/core/octets.h"

namespace wafd::console {
namespace {

boost::json::object reference(std::string_view schema) {
  return {{"$ref", "#/components/schemas/" + std::string(schema)}};
}

boost::json::object content(std::string_view type, boost::json::object schema) {
  boost::json::object media;
  media[type] = {{"schema", std::move(schema)}};
  return media;
}

boost::json::array parameters_of(const Route& route) {
  boost::json::array list;
  for (std::size_t at = 0; (at = route.pattern.find('{', at)) != std::string::npos; ++at) {
    const std::string name = route.pattern.substr(at + 1, route.pattern.find('}', at) - at - 1);
    list.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  for (const Parameter& parameter : route.parameters) {
    list.push_back({{"name", parameter.name},
                    {"in", "query"},
                    {"description", parameter.summary},
                    {"schema", boost::json::parse(parameter.schema)}});
  }
  return list;
}

boost::json::object operation_of(const Route& route) {
  boost::json::object operation;
  operation["operationId"] = route.operation;
  operation["summary"] = route.summary;
  if (boost::json::array parameters = parameters_of(route); !parameters.empty()) {
    operation["parameters"] = std::move(parameters);
  }
  if (!route.request.empty()) {
    operation["requestBody"] = {{"required", true},
                                {"content", content("application/json", reference(route.request))}};
  }
  boost::json::object success;
  success["description"] = route.summary;
  if (!route.answer.empty()) {
    success["content"] = content(route.answer_type, reference(route.answer));
  } else if (route.success != 204) {
    success["content"] = content(route.answer_type, {{"type", "string"}});
  }
  boost::json::object answers;
  answers[std::to_string(route.success)] = std::move(success);
  answers["default"] = {{"description", "What went wrong"},
                        {"content", content("application/problem+json", reference("Problem"))}};
  operation["responses"] = std::move(answers);
  if (route.role) {
    operation["description"] = std::string("Needs the role ") + to_string(*route.role) +
                               ", or a token of scope " + scope_of(*route.role) + ".";
  } else {
    operation["security"] = boost::json::array();
  }
  return operation;
}

}  // namespace

boost::json::object openapi_document(std::span<const Route> routes, std::string_view version) {
  boost::json::object paths;
  for (const Route& route : routes) {
    if (!route.pattern.starts_with("/api/") && route.answer.empty() &&
        route.answer_type != "text/plain; version=0.0.4")
      continue;
    boost::json::value& path = paths[route.pattern];
    if (!path.is_object()) path.emplace_object();
    path.get_object()[to_lower(route.method)] = operation_of(route);
  }
  boost::json::object schemes;
  schemes["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  schemes["session"] = {{"type", "apiKey"}, {"in", "cookie"}, {"name", "__Host-wafd"}};
  boost::json::object components;
  components["schemas"] = schemas();
  components["securitySchemes"] = std::move(schemes);
  boost::json::object document;
  document["openapi"] = "3.1.0";
  document["info"] = {{"title", "wafd console"},
                      {"version", version},
                      {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}};
  document["servers"] = boost::json::array{{{"url", "/"}}};
  document["security"] =
      boost::json::array{{{"token", boost::json::array()}}, {{"session", boost::json::array()}}};
  document["paths"] = std::move(paths);
  document["components"] = std::move(components);
  return document;
}

}  // namespace wafd::console
