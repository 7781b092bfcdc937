// A sign-in provider as a function: what it publishes, and tokens that it signs by OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "console/base/web.h"
#include "console/oidc/base64url.h"

namespace wafd::test {

namespace json = boost::json;
using console::base64url;
using console::WebAnswer;
using console::WebRequest;

inline constexpr std::int64_t kNow = 1'700'000'000;

struct Freed {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};

inline std::string number_of(const EVP_PKEY* key, const char* name, int bytes = 0) {
  BIGNUM* number = nullptr;
  EXPECT_EQ(EVP_PKEY_get_bn_param(key, name, &number), 1);
  std::string out(static_cast<std::size_t>(bytes == 0 ? BN_num_bytes(number) : bytes), '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size()));
  BN_free(number);
  return out;
}

// A provider's key pair.
struct Signer {
  explicit Signer(std::string name, bool rsa, std::size_t bits = 2048)
      : kid(std::move(name)),
        algorithm(rsa ? "RS256" : "ES256"),
        key(rsa ? EVP_RSA_gen(static_cast<unsigned>(bits)) : EVP_EC_gen("P-256")) {}

  json::object jwk() const {
    json::object out{{"kid", kid}, {"use", "sig"}, {"alg", algorithm}};
    if (algorithm == "RS256") {
      out["kty"] = "RSA";
      out["n"] = base64url(number_of(key.get(), OSSL_PKEY_PARAM_RSA_N));
      out["e"] = base64url(number_of(key.get(), OSSL_PKEY_PARAM_RSA_E));
    } else {
      out["kty"] = "EC", out["crv"] = "P-256";
      out["x"] = base64url(number_of(key.get(), OSSL_PKEY_PARAM_EC_PUB_X, 32));
      out["y"] = base64url(number_of(key.get(), OSSL_PKEY_PARAM_EC_PUB_Y, 32));
    }
    return out;
  }

  std::string sign(const std::string& text) const {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    std::size_t size = 0;
    EXPECT_EQ(EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key.get()), 1);
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    EVP_DigestSign(context, nullptr, &size, bytes, text.size());
    std::string out(size, '\0');
    EVP_DigestSign(context, reinterpret_cast<unsigned char*>(out.data()), &size, bytes, text.size());
    EVP_MD_CTX_free(context);
    out.resize(size);
    if (algorithm == "RS256") return out;
    const auto* at = reinterpret_cast<const unsigned char*>(out.data());
    ECDSA_SIG* parts = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(out.size()));
    std::string raw(64, '\0');
    auto* to = reinterpret_cast<unsigned char*>(raw.data());
    BN_bn2binpad(ECDSA_SIG_get0_r(parts), to, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(parts), to + 32, 32);
    ECDSA_SIG_free(parts);
    return raw;
  }

  std::string token(const json::object& claims, json::object header = {}) const {
    if (!header.contains("alg")) header["alg"] = algorithm;
    if (!header.contains("kid")) header["kid"] = kid;
    const std::string text = base64url(json::serialize(header)) + "." + base64url(json::serialize(claims));
    return text + "." + base64url(sign(text));
  }

  std::string kid, algorithm;
  std::unique_ptr<EVP_PKEY, Freed> key;
};

inline json::object good_claims() {
  return {{"iss", "https://id.example"}, {"sub", "248289761001"}, {"aud", "wafd"}, {"nonce", "n-0S6"},
          {"exp", kNow + 300},           {"iat", kNow - 5}};
}

inline json::object metadata() {
  return {{"issuer", "https://id.example"},
          {"authorization_endpoint", "https://id.example/auth?tenant=1"},
          {"token_endpoint", "https://id.example/token"},
          {"jwks_uri", "https://id.example/jwks"},
          {"code_challenge_methods_supported", json::array{"S256"}},
          {"response_types_supported", json::array{"code"}},
          {"id_token_signing_alg_values_supported", json::array{"RS256", "PS256"}}};
}

// A provider as a function: what it publishes and the token that it gives.
struct Answers {
  Signer key{"first", false};
  std::vector<json::object> published{key.jwk()};
  json::object claims = good_claims();
  json::value userinfo = {{"sub", "248289761001"}, {"preferred_username", "jane"}, {"groups", {"ops"}}};
  std::string down;
  std::vector<std::string> asked;

  WebAnswer operator()(const WebRequest& request) {
    asked.push_back(request.url);
    if (!down.empty() && request.url.find(down) != std::string::npos)
      return {0, "", "nobody accepts connections there"};
    if (request.url.ends_with("openid-configuration")) {
      json::object document = metadata();
      document["userinfo_endpoint"] = "https://id.example/me";
      return {200, json::serialize(document), ""};
    }
    if (request.url.ends_with("/jwks"))
      return {200, json::serialize(json::object{{"keys", json::array(published.begin(), published.end())}}),
              ""};
    if (request.url.ends_with("/me")) return {200, json::serialize(userinfo), ""};
    return {200,
            json::serialize(json::object{
                {"id_token", key.token(claims)}, {"access_token", "at"}, {"token_type", "Bearer"}}),
            ""};
  }
};

}  // namespace wafd::test
