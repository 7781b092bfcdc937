#include "console/base/http.h"

#include <boost/json/value.hpp>

#include "console/base/json_text.h"
#include "detect/core/bytes.h"

namespace wafd::console {

std::optional<std::string_view> HttpRequest::header(std::string_view name) const noexcept {
  std::optional<std::string_view> found;
  for (const Header& field : headers) {
    if (!iequals(field.name, name)) continue;
    if (found) return std::nullopt;
    found = field.value;
  }
  return found;
}

std::size_t HttpRequest::header_count(std::string_view name) const noexcept {
  std::size_t count = 0;
  for (const Header& field : headers) count += iequals(field.name, name) ? 1u : 0u;
  return count;
}

std::string_view HttpResponse::header(std::string_view name) const noexcept {
  for (const Header& field : headers) {
    if (iequals(field.name, name)) return field.value;
  }
  return {};
}

HttpResponse HttpResponse::json(int status, const boost::json::value& value) {
  return json_text(status, json_line(value));
}

HttpResponse HttpResponse::json_text(int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.headers.push_back({"Content-Type", "application/json"});
  response.body = std::move(text);
  return response;
}

HttpResponse HttpResponse::empty(int status) {
  HttpResponse response;
  response.status = status;
  return response;
}

}  // namespace wafd::console
