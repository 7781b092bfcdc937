#include "console/api/routing/auth.h"

#include <algorithm>

#include <fmt/format.h>

#include "console/base/problem.h"
#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxCredentialBytes = 256;

HttpResponse unauthenticated(std::string_view detail) {
  HttpResponse response = problem(kUnauthenticated, detail);
  response.headers.push_back({"WWW-Authenticate", "Bearer realm=\"wafd\""});
  return response;
}

Identity of_session(const Session& session, const User& user) {
  Identity identity;
  identity.via = Identity::Via::kSession;
  identity.username = user.username;
  identity.role = user.role;
  identity.session_hash = session.hash;
  identity.expires_ms = session.created_ms + kSessionLifeMs;
  identity.masked = user.role == Role::kViewer;
  return identity;
}

Identity of_token(const Token& token) {
  Identity identity;
  identity.via = Identity::Via::kToken;
  identity.username = "token:" + token.name;
  identity.role = token.role;
  identity.token_id = token.id;
  identity.token_name = token.name;
  identity.expires_ms = token.expires_s * 1000;
  return identity;
}

}  // namespace

namespace {

std::string_view cookie_of(const HttpRequest& request, std::string_view name) noexcept {
  std::string_view found;
  for (const Header& field : request.headers) {
    if (!iequals(field.name, "Cookie")) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      const std::string_view pair = trim(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!pair.starts_with(name) || pair.substr(name.size(), 1) != "=") continue;
      if (!found.empty()) return {};
      found = pair.substr(name.size() + 1);
    }
  }
  return found;
}

}  // namespace

std::string_view session_cookie(const HttpRequest& request) noexcept {
  return cookie_of(request, kSessionCookie);
}

std::string_view device_cookie(const HttpRequest& request) noexcept {
  return cookie_of(request, kDeviceCookie);
}

std::string_view sign_in_cookie(const HttpRequest& request) noexcept {
  return cookie_of(request, kSignInCookie);
}

std::string set_sign_in_cookie(std::string_view value) {
  constexpr std::int64_t kLifeS = 600;
  return fmt::format("{}={}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age={}", kSignInCookie, value,
                     value.empty() ? 0 : kLifeS);
}

std::string set_device_cookie(std::string_view value) {
  return fmt::format("{}={}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age={}", kDeviceCookie, value,
                     kDeviceLifeS);
}

std::string set_cookie(std::string_view value) {
  return fmt::format("{}={}; Path=/; Secure; HttpOnly; SameSite=Strict{}", kSessionCookie, value,
                     value.empty() ? "; Max-Age=0" : fmt::format("; Max-Age={}", kSessionLifeMs / 1000));
}

Identified identify(const HttpRequest& request, CredentialStore& credentials, std::int64_t now_ms) {
  if (request.header_count("Authorization") > 0) {
    const auto header = request.header("Authorization");
    if (!header || !istarts_with(*header, "Bearer ") || header->size() > kMaxCredentialBytes) {
      return {{}, unauthenticated("Expected one Authorization header of the form: Bearer TOKEN.")};
    }
    const Token* token = credentials.use_token(trim(header->substr(7)), now_ms);
    if (token == nullptr)
      return {{}, unauthenticated("This token is not known, was revoked, or has expired.")};
    return {of_token(*token), std::nullopt};
  }
  const std::string_view cookie = session_cookie(request);
  if (cookie.empty() || cookie.size() > kMaxCredentialBytes) return {{}, unauthenticated("Log in first.")};
  const Session* session = credentials.use_session(cookie, now_ms);
  const User* user = session == nullptr ? nullptr : credentials.user(session->username);
  if (user == nullptr) return {{}, unauthenticated("The session has ended. Log in again.")};
  Identified out{of_session(*session, *user), std::nullopt};
  out.identity.of_files = credentials.is_own_session(session->hash);
  return out;
}

std::optional<HttpResponse> refuse_foreign(const HttpRequest& request, bool by_session) {
  if (request.header_count("Sec-Fetch-Site") > 0) {
    const auto site = request.header("Sec-Fetch-Site");
    if (!site || (*site != "same-origin" && *site != "none")) {
      return problem(kCsrf, "The request comes from a page of another origin (Sec-Fetch-Site).");
    }
  }
  if (request.header_count("Origin") > 0) {
    const auto origin = request.header("Origin");
    const auto host = request.header("Host");
    if (!origin || !host || !iequals(*origin, "https://" + std::string(*host))) {
      return problem(kCsrf, "The request comes from a page of another origin (Origin).");
    }
  }
  if (by_session && request.header(kCsrfHeader).value_or("") != "1") {
    return problem(kCsrf, "A change by a session needs the header X-Wafd-Csrf: 1.");
  }
  return std::nullopt;
}

bool still_good(const Identity& identity, const CredentialStore& credentials, std::int64_t now_ms) {
  switch (identity.via) {
    case Identity::Via::kNone:
      return false;
    case Identity::Via::kSession:
      return credentials.find_session(identity.session_hash, now_ms) != nullptr;
    case Identity::Via::kToken:
      return credentials.find_token(identity.token_id, now_ms) != nullptr;
  }
  return false;
}

}  // namespace wafd::console
