// ID tokens, keys, what providers publish, and log-ins that have begun. Tokens are signed here by OpenSSL.
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "console/oidc/base64url.h"
#include "console/oidc/claims.h"
#include "console/oidc/id_token.h"
#include "console/oidc/pending.h"
#include "console/oidc/provider.h"
#include "console/oidc/sign_in.h"
#include "tests/support/oidc_provider.h"

namespace wafd::console {
namespace {

namespace json = boost::json;

using test::Answers;
using test::good_claims;
using test::kNow;
using test::metadata;
using test::Signer;

class CountingRandom final : public Random {
 public:
  void fill(std::span<std::byte> out) noexcept override {
    ++calls_;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::byte>((calls_ >> (8 * (i % 4))) + i);
  }

 private:
  std::size_t calls_ = 0;
};

std::vector<Jwk> keys_of(std::initializer_list<json::object> keys) {
  const json::object set{{"keys", json::array(keys.begin(), keys.end())}};
  auto parsed = parse_jwks(json::serialize(set));
  EXPECT_TRUE(parsed);
  return parsed ? std::move(*parsed) : std::vector<Jwk>();
}

std::string verdict(const std::string& token, std::span<const Jwk> keys) {
  const auto parsed = parse_id_token(token);
  if (!parsed) return parsed.error().what;
  if (auto good = check_signature(*parsed, keys); !good) return good.error().what;
  const auto good = check_claims(parsed->claims, {"https://id.example", "wafd", "n-0S6", kNow});
  return good ? "good" : good.error().what;
}

std::string refused(std::string_view why) {
  return "The provider's ID token is refused: " + std::string(why) + ".";
}

TEST(IdToken, IsGoodByBothAlgorithmsAndByItsOwnKeyAlone) {
  const Signer rsa("r", true), ec("e", false), other("r", true);
  const auto keys = keys_of({rsa.jwk(), ec.jwk()});
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(verdict(rsa.token(good_claims()), keys), "good");
  EXPECT_EQ(verdict(ec.token(good_claims()), keys), "good");
  EXPECT_EQ(verdict(other.token(good_claims()), keys), refused("its signature is wrong"));
  EXPECT_EQ(verdict(Signer("x", true).token(good_claims()), keys),
            refused("it is signed by a key that the provider does not publish"));
  // Without a name: one key is no choice, two are.
  EXPECT_EQ(verdict(rsa.token(good_claims(), {{"kid", ""}}), keys), "good");
  EXPECT_EQ(verdict(rsa.token(good_claims(), {{"kid", ""}}), keys_of({rsa.jwk(), other.jwk()})),
            refused("it is signed by a key that the provider does not publish"));
  // Every byte of it counts.
  const std::string good = ec.token(good_claims());
  for (std::size_t at = 0; at < good.size(); at += 13) {
    std::string bad = good;
    bad[at] = bad[at] == 'A' ? 'B' : 'A';
    if (bad == good) continue;
    EXPECT_NE(verdict(bad, keys), "good") << at;
  }
}

TEST(IdToken, OtherAlgorithmsAreNotTaken) {
  const Signer rsa("r", true);
  const auto keys = keys_of({rsa.jwk()});
  const std::string algorithm = refused("it is not signed by RS256 or ES256, which alone are taken");
  EXPECT_EQ(verdict(rsa.token(good_claims(), {{"alg", "HS256"}}), keys), algorithm);
  EXPECT_EQ(verdict(rsa.token(good_claims(), {{"alg", "none"}}), keys), algorithm);
  EXPECT_EQ(verdict(rsa.token(good_claims(), {{"alg", "rs256"}}), keys), algorithm);
  EXPECT_EQ(verdict(rsa.token(good_claims(), {{"alg", "ES256"}}), keys),
            refused("it is signed by a key that the provider does not publish"));
  EXPECT_EQ(verdict(rsa.token(good_claims(), {{"crit", json::array{"b64"}}}), keys),
            refused("its header asks for something that is not known here (crit)"));
  const std::string good = rsa.token(good_claims());
  EXPECT_EQ(verdict(good.substr(0, good.rfind('.') + 1), keys), refused("it is not signed"));
  EXPECT_EQ(verdict(good.substr(0, good.rfind('.')), keys), refused("it has not three parts"));
  EXPECT_EQ(verdict(good + ".x", keys), refused("it has not three parts"));
  EXPECT_EQ(verdict("a=.b.c", keys), refused("a part of it is no base64url"));
  EXPECT_EQ(verdict(base64url(R"({"alg":"RS256","alg":"ES256"})") + ".e30.AA", keys),
            refused("a part of it is no JSON object"));
  EXPECT_EQ(verdict(std::string(kMaxIdTokenBytes + 1, 'a'), keys), refused("it is larger than 64 KiB"));
}

TEST(IdToken, ClaimsAreCheckedOneByOne) {
  struct Row {
    const char* claim;
    json::value value;
    std::string says;
  };
  const Row rows[] = {
      {"iss", "https://id.example/", refused("it was made by another issuer")},
      {"iss", nullptr, refused("it was made by another issuer")},
      {"aud", "other", refused("it was made for another audience")},
      {"aud", json::array{"wafd", "other"}, refused("it was made for another party (azp)")},
      {"aud", json::array{"wafd"}, "good"},
      {"azp", "other", refused("it was made for another party (azp)")},
      {"azp", "wafd", "good"},
      {"nonce", "n-other", refused("it belongs to another log-in (nonce)")},
      {"nonce", nullptr, refused("it belongs to another log-in (nonce)")},
      {"exp", kNow - kClockSkewS, refused("it has expired; perhaps the clocks differ")},
      {"exp", kNow - kClockSkewS + 1, "good"},
      {"exp", "never", refused("it does not say when it was made and ends")},
      {"iat", kNow + kClockSkewS + 1, refused("it was made in the future; perhaps the clocks differ")},
      {"iat", kNow + kClockSkewS, "good"},
      {"iat", nullptr, refused("it does not say when it was made and ends")},
      {"nbf", kNow + kClockSkewS + 1, refused("it does not hold yet; perhaps the clocks differ")},
      {"sub", "", refused("it does not say who logged in (sub)")},
      {"sub", json::string(256, 's'), refused("it does not say who logged in (sub)")},
      {"sub", 7, refused("it does not say who logged in (sub)")},
  };
  for (const Row& row : rows) {
    json::object claims = good_claims();
    claims[row.claim] = row.value;
    const auto got = check_claims(claims, {"https://id.example", "wafd", "n-0S6", kNow});
    EXPECT_EQ(got ? "good" : got.error().what, row.says) << row.claim << " " << json::serialize(row.value);
  }
  json::object both = good_claims();
  both["aud"] = json::array{"wafd", "other"}, both["azp"] = "wafd";
  EXPECT_TRUE(check_claims(both, {"https://id.example", "wafd", "n-0S6", kNow}));
}

TEST(Jwks, PassesOverWhatMayNotSign) {
  const Signer rsa("r", true), ec("e", false), weak("w", true, 1024);
  json::object encrypts = rsa.jwk(), operation = rsa.jwk(), pss = rsa.jwk(), off_curve = ec.jwk();
  encrypts["use"] = "enc", operation["key_ops"] = json::array{"encrypt"}, pss["alg"] = "PS256";
  off_curve["x"] = base64url(std::string(32, '\1'));
  EXPECT_EQ(keys_of({encrypts, operation, pss, weak.jwk(), {{"kty", "oct"}, {"k", "c2VjcmV0"}}}).size(), 0u);
  const auto keys = keys_of({off_curve});
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(verdict(ec.token(good_claims()), keys), refused("its signature is wrong"));
  EXPECT_FALSE(parse_jwks("{}"));
  EXPECT_FALSE(parse_jwks("[]"));
  json::array many;
  for (std::size_t i = 0; i <= kMaxKeys; ++i) many.push_back(json::object{});
  EXPECT_EQ(parse_jwks(json::serialize(json::object{{"keys", many}})).error().code, ErrorCode::kTooLarge);
}

TEST(Claims, ArePlainNamesOrPointers) {
  const json::object claims = json::parse(R"({"groups":["a","b",3],"one":"c","realm_access":{"roles":["d"]},
      "https://x.example/groups":["e"]})")
                                  .as_object();
  EXPECT_EQ(claim_texts(claims, "groups"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(claim_texts(claims, "one"), (std::vector<std::string>{"c"}));
  EXPECT_EQ(claim_texts(claims, "/realm_access/roles"), (std::vector<std::string>{"d"}));
  EXPECT_EQ(claim_texts(claims, "https://x.example/groups"), (std::vector<std::string>{"e"}));
  EXPECT_TRUE(claim_texts(claims, "/realm_access/none").empty());
  EXPECT_TRUE(claim_texts(claims, "none").empty());
}

TEST(Provider, DescriptionsAreRefusedInWords) {
  struct Row {
    const char* member;
    json::value value;
    const char* says;
  };
  const Row rows[] = {
      {"issuer", "https://evil.example", "it is of another issuer than the one that was set"},
      {"token_endpoint", "http://id.example/token", "token_endpoint is no https URL"},
      {"authorization_endpoint", "javascript:alert(1)", "authorization_endpoint is no https URL"},
      {"jwks_uri", nullptr, "jwks_uri is no https URL"},
      {"end_session_endpoint", "http://id.example/end", "end_session_endpoint is no https URL"},
      {"code_challenge_methods_supported", json::array{"plain"}, "it does not know PKCE (S256)"},
      {"response_types_supported", json::array{"id_token"}, "it does not know the code flow"},
      {"id_token_signing_alg_values_supported", json::array{"HS256"},
       "it signs neither by RS256 nor by ES256"},
  };
  ASSERT_TRUE(parse_metadata(json::serialize(metadata()), "https://id.example"));
  for (const Row& row : rows) {
    json::object document = metadata();
    document[row.member] = row.value;
    const auto got = parse_metadata(json::serialize(document), "https://id.example");
    ASSERT_FALSE(got) << row.member;
    EXPECT_EQ(got.error().what,
              std::string("The sign-in provider's description is refused: ") + row.says + ".");
  }
  EXPECT_EQ(discovery_url("https://id.example/realm/"),
            "https://id.example/realm/.well-known/openid-configuration");
}

TEST(Provider, AddressesAndRequestsAreWrittenByTheBook) {
  const auto provider = parse_metadata(json::serialize(metadata()), "https://id.example");
  ASSERT_TRUE(provider);
  OidcSettings settings;
  settings.client_id = "wa fd";
  settings.acr_values = {"urn:mfa"};
  // Verifier and challenge of RFC 7636, appendix B.
  const SignInAttempt attempt{"st&te", "n", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                              "https://waf.example:8743/oidc/callback", "https://id.example"};
  EXPECT_EQ(authorization_url(*provider, settings, attempt),
            "https://id.example/auth?tenant=1&response_type=code&client_id=wa%20fd&redirect_uri="
            "https%3A%2F%2Fwaf.example%3A8743%2Foidc%2Fcallback&scope=openid%20profile&state=st%26te&nonce=n&"
            "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&"
            "acr_values=urn%3Amfa");
  const WebRequest secret = token_request(*provider, settings, "p:w", attempt, "c de");
  EXPECT_EQ(secret.headers.back().value, "Basic d2ElMjBmZDpwJTNBdw==");
  EXPECT_EQ(secret.body.find("client_id"), std::string::npos);
  const WebRequest open = token_request(*provider, settings, "", attempt, "c de");
  EXPECT_EQ(open.body,
            "grant_type=authorization_code&code=c%20de&redirect_uri=https%3A%2F%2Fwaf.example%3A8743%2Foidc%"
            "2Fcallback&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk&client_id=wa%20fd");
  EXPECT_EQ(parse_token_answer({400, R"({"error":"invalid_grant"})", ""}).error().what,
            "The sign-in provider refused the code: invalid_grant (status 400).");
  EXPECT_EQ(parse_token_answer({400, R"({"error":"call 555-0100"})", ""}).error().what,
            "The sign-in provider refused the code: an error (status 400).");
  EXPECT_EQ(parse_token_answer({200, "{}", ""}).error().what, "The sign-in provider gave no ID token.");
}

TEST(Pending, IsGoodOnceForItsBrowserAndTenMinutes) {
  CountingRandom random;
  PendingSignIns pending;
  const auto begun = pending.begin("r", "i", "192.0.2.1", random, 0);
  EXPECT_FALSE(pending.take(begun.attempt.state, "another browser", 1)) << "and it is not used up by that";
  EXPECT_FALSE(pending.take("another state", begun.browser, 1));
  const auto taken = pending.take(begun.attempt.state, begun.browser, 1);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->nonce, begun.attempt.nonce);
  EXPECT_FALSE(pending.take(begun.attempt.state, begun.browser, 1)) << "replayed";
  const auto late = pending.begin("r", "i", "192.0.2.1", random, 0);
  EXPECT_FALSE(pending.take(late.attempt.state, late.browser, PendingSignIns::kPendingMs));
}

TEST(Pending, ACrowdPushesOutItsOwn) {
  CountingRandom random;
  PendingSignIns pending;
  const auto mine = pending.begin("r", "i", "198.51.100.7", random, 0);
  for (std::size_t i = 0; i < PendingSignIns::kMaxPending + 100; ++i)
    pending.begin("r", "i", "192.0.2.1", random, 1);
  EXPECT_EQ(pending.size(), PendingSignIns::kMaxPending);
  EXPECT_TRUE(pending.take(mine.attempt.state, mine.browser, 2));
}

struct Redeeming : ::testing::Test {
  Answers answers;
  SignInContext context{{}, {}, kNow * 1000, {}};
  SignInAttempt attempt{"s", "n-0S6", "v", "https://waf.example/oidc/callback", "https://id.example"};

  void SetUp() override {
    context.settings.issuer = "https://id.example";
    context.settings.client_id = "wafd";
    context.fetch = [this](const WebRequest& request) { return answers(request); };
  }
  std::string redeemed(const std::string& issuer = "") {
    const auto who = redeem(context, attempt, {"code", issuer});
    if (!who) return who.error().what;
    std::string out = who->subject + " " + who->username + (who->second_factor ? " mfa" : "");
    for (const std::string& group : who->groups) out += " " + group;
    return out;
  }
};

TEST_F(Redeeming, TakesClaimsFromTheTokenAndElseFromUserinfoOfTheSameSubject) {
  EXPECT_EQ(redeemed(), "248289761001 jane ops");
  answers.claims["preferred_username"] = "janet", answers.claims["groups"] = json::array{"admins"};
  answers.claims["amr"] = json::array{"pwd", "mfa"};
  answers.asked.clear();
  EXPECT_EQ(redeemed(), "248289761001 janet mfa admins");
  EXPECT_EQ(answers.asked, (std::vector<std::string>{"https://id.example/token"})) << "the rest is known";
  answers.claims = good_claims();
  answers.userinfo.as_object()["sub"] = "another";
  EXPECT_EQ(redeemed(), "248289761001 ") << "claims of somebody else";
}

TEST_F(Redeeming, FollowsNewKeysAndSaysWhatIsWrong) {
  EXPECT_EQ(redeemed(), "248289761001 jane ops");
  Signer next("second", false);
  answers.key = std::move(next);
  EXPECT_EQ(redeemed(), refused("it is signed by a key that the provider does not publish"));
  answers.published.push_back(answers.key.jwk());
  EXPECT_EQ(redeemed(), "248289761001 jane ops") << "keys are read again";
  EXPECT_EQ(redeemed("https://evil.example"),
            "The answer does not come from the provider that was asked (iss).");
  EXPECT_EQ(redeemed("https://id.example"), "248289761001 jane ops");
  answers.down = "/token";
  EXPECT_EQ(redeemed(), "The sign-in provider does not answer: nobody accepts connections there.");
  attempt.issuer = "https://before.example";
  EXPECT_EQ(redeemed(), "The sign-in provider was changed meanwhile: begin again.");
}

}  // namespace
}  // namespace wafd::console
