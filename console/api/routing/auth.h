// Who sends a request, and whether a browser was made to send it by a foreign page.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "console/api/routing/route.h"
#include "console/base/http.h"
#include "console/credentials/store.h"

namespace wafd::console {

inline constexpr std::string_view kSessionCookie = "__Host-wafd";
inline constexpr std::string_view kDeviceCookie = "__Host-wafd-device";
inline constexpr std::string_view kSignInCookie = "__Host-wafd-oidc";
inline constexpr std::int64_t kDeviceLifeS = 400ll * 24 * 3600;  // what browsers keep at most
inline constexpr std::string_view kCsrfHeader = "X-Wafd-Csrf";

// The identity, or why there is none: an answer of 401. An Authorization header that is no good is never
// passed over for a cookie.
struct Identified {
  Identity identity;
  std::optional<HttpResponse> refused;
};
Identified identify(const HttpRequest& request, CredentialStore& credentials, std::int64_t now_ms);

// The value of the one session cookie; empty if there is none, or more than one.
std::string_view session_cookie(const HttpRequest& request) noexcept;
// Of the cookie by which a browser is known that logged in before; likewise.
std::string_view device_cookie(const HttpRequest& request) noexcept;
std::string set_device_cookie(std::string_view value);
// Of the browser that was sent to a sign-in provider; likewise.
std::string_view sign_in_cookie(const HttpRequest& request) noexcept;
std::string set_sign_in_cookie(std::string_view value);  // an empty value removes it
std::string set_cookie(std::string_view value);          // Set-Cookie; an empty value removes it

// For requests that change something. `by_session`: the custom header must be there too. Nothing: go ahead.
std::optional<HttpResponse> refuse_foreign(const HttpRequest& request, bool by_session);

// True while what `identity` rests on (session or token) is still good.
bool still_good(const Identity& identity, const CredentialStore& credentials, std::int64_t now_ms);

}  // namespace wafd::console
