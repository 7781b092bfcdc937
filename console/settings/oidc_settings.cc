#include "console/settings/oidc_settings.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "files/given_text.h"
#include "forward/notify/web_address.h"

namespace wafd::console {
namespace {

namespace json = boost::json;
using Oidc = OidcSettings;

constexpr std::int64_t kMaxUrlBytes = 2048;
constexpr std::int64_t kMaxClaimBytes = 256;
constexpr std::int64_t kMaxSecretBytes = 4096;
constexpr std::int64_t kMaxCaBytes = 64 << 10;
constexpr std::size_t kMaxScopes = 32;
constexpr std::size_t kMaxGroups = 200;
constexpr std::size_t kMaxContexts = 16;

constexpr Choice<OidcDefaultRole> kDefaultRoles[] = {{"none", OidcDefaultRole::kNone},
                                                     {"viewer", OidcDefaultRole::kViewer}};

void check_issuer(ObjectReader& in, Oidc& o) {
  if (o.issuer.empty()) return;
  const auto address = forward::parse_web_address(o.issuer);
  if (!address || !address->encrypted || address->path.find('?') != std::string::npos)
    in.refuse("issuer", "https://, a host and perhaps a path, without a query");
}

void check_ca(ObjectReader& in, Oidc& o) {
  if (!o.ca.empty() && !names_file(o.ca) && !o.ca.starts_with("-----BEGIN "))
    in.fail_with("ca: expected PEM text (-----BEGIN ...) or file:/PATH");
}

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return byte(c) >= 0x20 && byte(c) != 0x7f; });
}

// RFC 6749 section 3.3: what a space-delimited list can hold.
bool one_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return byte(c) > 0x20 && byte(c) < 0x7f && c != '"' && c != '\\'; });
}

void check_scopes(ObjectReader& in, Oidc& o) {
  for (std::size_t i = 0; in.ok() && i < o.scopes.size(); ++i)
    if (!one_word(o.scopes[i])) in.fail_with(fmt::format("scopes[{}]: expected a word without spaces", i));
  if (in.ok() && std::find(o.scopes.begin(), o.scopes.end(), "openid") == o.scopes.end())
    in.refuse("scopes", "a list with openid in it");
}

void check_contexts(ObjectReader& in, Oidc& o) {
  for (std::size_t i = 0; in.ok() && i < o.acr_values.size(); ++i)
    if (!one_word(o.acr_values[i]))
      in.fail_with(fmt::format("acr_values[{}]: expected a word without spaces", i));
}

template <std::string Oidc::*M>
void check_line(ObjectReader& in, Oidc& o, std::string_view name) {
  if (!printable(o.*M)) in.fail_with(fmt::format("{}: expected text without control characters", name));
}

constexpr ObjectRow<Oidc> kOidc[] = {
    rows::boolean<&Oidc::enabled>("enabled", {"Whether people may sign in by the provider."}),
    rows::plain<&Oidc::label>("label", 0, 64, false,
                              {"What stands on the button; empty: the provider's host."}),
    rows::text<&Oidc::issuer>("issuer", 0, kMaxUrlBytes,
                              published("The provider's issuer URL, exactly as the provider writes it: "
                                        "ISSUER/.well-known/openid-configuration is read."))
        .checked(check_issuer),
    rows::text<&Oidc::client_id>("client_id", 0, kMaxClaimBytes, {"wafd's client id at the provider."})
        .checked([](ObjectReader& in, Oidc& o) { check_line<&Oidc::client_id>(in, o, "client_id"); }),
    rows::text<&Oidc::client_secret>(
        "client_secret", 0, kMaxSecretBytes,
        {"Its secret, or file:/PATH; empty: a public client, protected by PKCE alone; never answered."})
        .checked([](ObjectReader& in, Oidc& o) { check_line<&Oidc::client_secret>(in, o, "client_secret"); })
        .secret(),
    rows::answered<Oidc>("client_secret_set", R"({"type": "boolean", "readOnly": true})",
                         {"Whether there is a secret."}),
    rows::text<&Oidc::ca>(
        "ca", 0, kMaxCaBytes,
        {"Who may have signed the provider's certificate: PEM text or file:/PATH; empty: the "
         "system's."})
        .checked(check_ca),
    rows::texts<&Oidc::scopes>("scopes", kMaxScopes, 1, kMaxClaimBytes,
                               published("What is asked for; openid must be there."))
        .checked(check_scopes),
    rows::text<&Oidc::username_claim>("username_claim", 1, kMaxClaimBytes,
                                      {"The claim that gives a new user's name."}),
    rows::text<&Oidc::groups_claim>(
        "groups_claim", 1, kMaxClaimBytes,
        published("The claim with the user's groups, of the ID token or else of the userinfo endpoint; "
                  "/realm_access/roles leads into objects (RFC 6901).")),
    rows::texts<&Oidc::admin_groups>("admin_groups", kMaxGroups, 1, kMaxClaimBytes,
                                     published("Groups whose members are admins; the highest role counts.")),
    rows::texts<&Oidc::operator_groups>("operator_groups", kMaxGroups, 1, kMaxClaimBytes,
                                        {"Groups whose members are operators."}),
    rows::texts<&Oidc::viewer_groups>("viewer_groups", kMaxGroups, 1, kMaxClaimBytes,
                                      {"Groups whose members are viewers."}),
    rows::word<&Oidc::default_role, kDefaultRoles>(
        "default_role", "", published("Of people in none of these groups; none: they cannot sign in.")),
    rows::texts<&Oidc::acr_values>(
        "acr_values", kMaxContexts, 1, kMaxClaimBytes,
        published("Asked for and, in the ID token's acr, taken for a second factor, as is mfa in its amr."))
        .checked(check_contexts),
    rows::boolean<&Oidc::trust_second_factor>(
        "trust_second_factor",
        published("Where a role needs a second factor: taken to be the provider's matter, so that the ID "
                  "token need not tell of one.")),
    rows::boolean<&Oidc::provider_log_out>(
        "provider_log_out", published("Whether who logs out here is sent to the provider's log-out.")),
    rows::answered<Oidc>("redirect_path", R"({"type": "string", "readOnly": true})",
                         published("Behind the console's own https://HOST:PORT: the redirect URI to register "
                                   "at the provider.")),
    rows::answered<Oidc>("etag", R"({"type": "string", "readOnly": true})",
                         {"Of the answer; sent back as If-Match."}),
};

void keep_secret(ObjectReader& in, Oidc& o, const Oidc& previous) {
  if (previous.client_secret.empty()) return;
  const char* changed = o.issuer != previous.issuer ? "issuer" : o.ca != previous.ca ? "ca" : nullptr;
  if (changed == nullptr)
    o.client_secret = previous.client_secret;
  else if (!o.issuer.empty())
    in.fail_with(
        fmt::format("client_secret: expected again, because {} is not as it was saved with", changed));
}

void check_oidc(ObjectReader& in, const Oidc& o) {
  if (!o.enabled) return;
  if (o.issuer.empty()) in.fail_with("issuer: expected the provider's issuer URL");
  if (o.client_id.empty()) in.fail_with("client_id: expected the id that the provider gave to wafd");
  const bool somebody = !o.admin_groups.empty() || !o.operator_groups.empty() || !o.viewer_groups.empty() ||
                        o.default_role != OidcDefaultRole::kNone;
  if (!somebody)
    in.fail_with("default_role: expected a group for one of the roles, or viewer; else nobody could sign in");
}

}  // namespace

Result<OidcSettings> parse_oidc(const json::object& object, const OidcSettings* previous) {
  OidcSettings out;
  ObjectReader in(object);
  read_rows_with_secrets(in, object, kOidc, out);
  if (in.ok() && previous != nullptr && !is_set(object, "client_secret")) keep_secret(in, out, *previous);
  if (in.ok()) check_oidc(in, out);
  if (auto good = in.finish(); !good) return tl::unexpected(good.error());
  return out;
}

json::object to_json(const OidcSettings& settings, bool with_secrets) {
  json::object out = write_rows(kOidc, settings);
  if (!with_secrets) hide_secret(out, "client_secret");
  return out;
}

ObjectDescription describe_oidc() { return describe_rows(kOidc, false); }

}  // namespace wafd::console
