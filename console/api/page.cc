#include "console/api/page.h"

#include <algorithm>
#include <string>

#include "console/api/oidc.h"
#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

// No script but our own files, nothing from elsewhere, no frame around it, and no string that becomes markup.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

// Calls `each` with the trimmed items of a comma-separated header.
template <class Each>
void for_each_item(std::string_view list, Each each) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    each(trim(list.substr(0, end)));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

bool has_zero_weight(std::string_view parameters) noexcept {
  const std::size_t q = ifind(parameters, "q=");
  if (q == std::string_view::npos) return false;
  const std::string_view weight = trim(parameters.substr(q + 2));
  return !weight.empty() && weight.front() == '0' &&
         weight.find_first_of("123456789") == std::string_view::npos;
}

HttpResponse answer(const Asset& asset, const Call& call) {
  HttpResponse response;
  const std::string_view coding = choose_coding(asset, call.request.header("Accept-Encoding").value_or(""));
  // Each coding is a representation of its own.
  const std::string etag =
      '"' + std::string(asset.etag) + (coding.empty() ? "" : "-" + std::string(coding)) + '"';
  response.headers.push_back({"ETag", etag});
  response.headers.push_back({"Vary", "Accept-Encoding"});
  response.headers.push_back(
      {"Cache-Control", asset.immutable ? "public, max-age=31536000, immutable" : "no-cache"});
  response.headers.push_back({"Content-Security-Policy", std::string(kContentSecurityPolicy)});
  bool same = false;
  for_each_item(call.request.header("If-None-Match").value_or(""), [&](std::string_view item) {
    if (item.starts_with("W/")) item.remove_prefix(2);
    same = same || item == etag || item == "*";
  });
  if (same) {
    response.status = 304;
    return response;
  }
  response.headers.push_back({"Content-Type", std::string(asset.content_type)});
  if (!coding.empty()) response.headers.push_back({"Content-Encoding", std::string(coding)});
  response.fixed_body = coding == "br" ? asset.brotli : coding == "gzip" ? asset.gzip : asset.identity;
  return response;
}

}  // namespace

std::string_view choose_coding(const Asset& asset, std::string_view accept_encoding) {
  bool brotli = false;
  bool gzip = false;
  for_each_item(accept_encoding, [&](std::string_view item) {
    const std::size_t semicolon = std::min(item.find(';'), item.size());
    const std::string_view name = trim(item.substr(0, semicolon));
    const bool wanted = !has_zero_weight(item.substr(semicolon));
    if (iequals(name, "br")) brotli = wanted;
    if (iequals(name, "gzip")) gzip = wanted;
  });
  if (brotli && !asset.brotli.empty()) return "br";
  if (gzip && !asset.gzip.empty()) return "gzip";
  return "";
}

std::vector<Route> page_routes(std::span<const Asset> assets) {
  std::vector<Route> routes;
  for (const Asset& asset : assets) {
    Route route;
    route.method = "GET";
    route.pattern = std::string(asset.path);
    route.operation = "asset";
    route.summary = "A file of the page";
    route.answer_type = std::string(asset.content_type);
    route.any_parameters = true;  // the page reads its view state from the query string
    route.handler = at_once([asset](Call& call) { return answer(asset, call); });
    if (asset.path == "/") {
      // Where a sign-in provider sends the browser back to: the same page, which reads the answer.
      Route back = route;
      back.pattern = std::string(kOidcRedirectPath);
      routes.push_back(std::move(back));
    }
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace wafd::console
