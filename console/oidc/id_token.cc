#include "console/oidc/id_token.h"

#include <algorithm>

#include <boost/json/value.hpp>

#include "console/base/secrets.h"
#include "console/base/strict_json.h"
#include "console/oidc/base64url.h"
#include "console/oidc/claims.h"
#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

namespace json = boost::json;

tl::unexpected<Error> refuse_token(std::string_view why) {
  return fail(ErrorCode::kDenied, "The provider's ID token is refused: " + std::string(why) + ".");
}

Result<json::object> object_of(std::string_view coded) {
  const auto text = decode_base64url(coded);
  if (!text) return refuse_token("a part of it is no base64url");
  auto object = json_object(*text);
  // Two members of one name are read differently by different readers.
  if (!object || member_given_twice(*text)) return refuse_token("a part of it is no JSON object");
  return std::move(*object);
}

// A NumericDate may have a fraction.
const json::value* number_claim(const json::object& claims, std::string_view name) {
  const json::value* there = claims.if_contains(name);
  return there != nullptr && there->is_number() ? there : nullptr;
}

double seconds(const json::value& of) { return of.to_number<double>(); }

Result<void> check_audience(const json::object& claims, const std::string& client_id) {
  const std::vector<std::string> audiences = claim_texts(claims, "aud");
  if (std::find(audiences.begin(), audiences.end(), client_id) == audiences.end())
    return refuse_token("it was made for another audience");
  const std::string party = claim_text(claims, "azp");
  if ((audiences.size() > 1 || claims.contains("azp")) && party != client_id)
    return refuse_token("it was made for another party (azp)");
  return {};
}

Result<void> check_times(const json::object& claims, std::int64_t now_s) {
  const auto now = static_cast<double>(now_s);
  constexpr auto kSkew = static_cast<double>(kClockSkewS);
  const json::value* expires = number_claim(claims, "exp");
  const json::value* issued = number_claim(claims, "iat");
  if (expires == nullptr || issued == nullptr)
    return refuse_token("it does not say when it was made and ends");
  if (now >= seconds(*expires) + kSkew) return refuse_token("it has expired; perhaps the clocks differ");
  if (seconds(*issued) > now + kSkew)
    return refuse_token("it was made in the future; perhaps the clocks differ");
  const json::value* begins = number_claim(claims, "nbf");
  if (claims.contains("nbf") && (begins == nullptr || seconds(*begins) > now + kSkew))
    return refuse_token("it does not hold yet; perhaps the clocks differ");
  return {};
}

}  // namespace

Result<IdToken> parse_id_token(std::string_view compact) {
  if (compact.size() > kMaxIdTokenBytes) return refuse_token("it is larger than 64 KiB");
  const std::size_t first = compact.find('.');
  const std::size_t second = first == std::string_view::npos ? first : compact.find('.', first + 1);
  if (second == std::string_view::npos || compact.find('.', second + 1) != std::string_view::npos)
    return refuse_token("it has not three parts");
  const auto header = object_of(compact.substr(0, first));
  if (!header) return tl::unexpected(header.error());
  auto claims = object_of(compact.substr(first + 1, second - first - 1));
  if (!claims) return tl::unexpected(claims.error());
  auto signature = decode_base64url(compact.substr(second + 1));
  if (!signature || signature->empty()) return refuse_token("it is not signed");
  const std::string algorithm = claim_text(*header, "alg");
  if (algorithm != "RS256" && algorithm != "ES256")
    return refuse_token("it is not signed by RS256 or ES256, which alone are taken");
  if (header->contains("crit"))
    return refuse_token("its header asks for something that is not known here (crit)");
  IdToken out;
  out.algorithm = algorithm == "RS256" ? SignatureAlgorithm::kRs256 : SignatureAlgorithm::kEs256;
  out.kid = claim_text(*header, "kid");
  out.signed_bytes = compact.substr(0, second);
  out.signature = std::move(*signature);
  out.claims = std::move(*claims);
  return out;
}

Result<void> check_signature(const IdToken& token, std::span<const Jwk> keys) {
  std::vector<const Jwk*> meant;
  for (const Jwk& key : keys)
    if (key.algorithm == token.algorithm && (token.kid.empty() || key.kid == token.kid))
      meant.push_back(&key);
  // Without a name there must be no choice (OpenID Connect Core, section 10.1).
  if (meant.empty() || (token.kid.empty() && meant.size() > 1))
    return fail(
        ErrorCode::kUnknown,
        "The provider's ID token is refused: it is signed by a key that the provider does not publish.");
  for (const Jwk* key : meant)
    if (signature_is_good(*key, token.signed_bytes, token.signature)) return {};
  return refuse_token("its signature is wrong");
}

Result<void> check_claims(const json::object& claims, const IdTokenExpectations& expected) {
  if (claim_text(claims, "iss") != expected.issuer) return refuse_token("it was made by another issuer");
  if (auto good = check_audience(claims, expected.client_id); !good) return good;
  if (auto good = check_times(claims, expected.now_s); !good) return good;
  if (!equal_secret(claim_text(claims, "nonce"), expected.nonce))
    return refuse_token("it belongs to another log-in (nonce)");
  const std::string subject = claim_text(claims, "sub");
  const bool sound =
      !subject.empty() && subject.size() <= kMaxSubjectBytes &&
      std::all_of(subject.begin(), subject.end(), [](char c) { return byte(c) >= 0x20 && byte(c) < 0x7f; });
  if (!sound) return refuse_token("it does not say who logged in (sub)");
  return {};
}

}  // namespace wafd::console
