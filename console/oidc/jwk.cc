#include "console/oidc/jwk.h"

#include <memory>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "console/oidc/base64url.h"
#include "console/oidc/claims.h"
#include "detect/core/free_with.h"

namespace wafd::console {
namespace {

namespace json = boost::json;

constexpr std::size_t kP256Bytes = 32;

using Number = std::unique_ptr<BIGNUM, FreeWith<BN_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, FreeWith<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, FreeWith<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, FreeWith<EVP_PKEY_CTX_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeWith<EVP_MD_CTX_free>>;
using EcSignature = std::unique_ptr<ECDSA_SIG, FreeWith<ECDSA_SIG_free>>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Number number(std::string_view big_endian) {
  return Number(BN_bin2bn(bytes_of(big_endian), static_cast<int>(big_endian.size()), nullptr));
}

// A number without the zeros before it.
std::optional<std::string> number_of(const json::object& object, std::string_view name) {
  auto bytes = decode_base64url(claim_text(object, name));
  if (!bytes) return std::nullopt;
  bytes->erase(0, std::min(bytes->find_first_not_of('\0'), bytes->size()));
  if (bytes->empty()) return std::nullopt;
  return bytes;
}

bool may_sign(const json::object& key) {
  if (const std::string use = claim_text(key, "use"); !use.empty() && use != "sig") return false;
  const json::value* operations = key.if_contains("key_ops");
  if (operations == nullptr) return true;
  const json::array* list = operations->if_array();
  if (list == nullptr) return false;
  for (const json::value& one : *list)
    if (one == "verify") return true;
  return false;
}

std::optional<Jwk> read_key(const json::object& from) {
  Jwk out;
  out.kid = claim_text(from, "kid");
  const std::string type = claim_text(from, "kty"), algorithm = claim_text(from, "alg");
  if (!may_sign(from)) return std::nullopt;
  if (type == "RSA" && (algorithm.empty() || algorithm == "RS256")) {
    auto modulus = number_of(from, "n"), exponent = number_of(from, "e");
    if (!modulus || !exponent || modulus->size() < kMinRsaBytes || modulus->size() > kMaxRsaBytes ||
        exponent->size() > 8)
      return std::nullopt;
    out.a = std::move(*modulus), out.b = std::move(*exponent);
    return out;
  }
  if (type == "EC" && claim_text(from, "crv") == "P-256" && (algorithm.empty() || algorithm == "ES256")) {
    auto x = decode_base64url(claim_text(from, "x")), y = decode_base64url(claim_text(from, "y"));
    if (!x || !y || x->size() != kP256Bytes || y->size() != kP256Bytes) return std::nullopt;
    out.algorithm = SignatureAlgorithm::kEs256;
    out.a = std::move(*x), out.b = std::move(*y);
    return out;
  }
  return std::nullopt;
}

// Null if it is no key, such as a point that is not on the curve.
Key made(const char* kind, OSSL_PARAM_BLD* builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* key = nullptr;
  if (params == nullptr || context == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1)
    return nullptr;
  return Key(key);
}

Key rsa_key(const Jwk& from) {
  const Builder builder(OSSL_PARAM_BLD_new());
  const Number n = number(from.a), e = number(from.b);
  if (builder == nullptr || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
    return nullptr;
  return made("RSA", builder.get());
}

Key p256_key(const Jwk& from) {
  const Builder builder(OSSL_PARAM_BLD_new());
  const std::string point = '\x04' + from.a + from.b;  // uncompressed, SEC 1
  if (builder == nullptr ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) !=
          1)
    return nullptr;
  return made("EC", builder.get());
}

// Two numbers as OpenSSL wants them.
std::string der_of(std::string_view signature) {
  if (signature.size() != 2 * kP256Bytes) return {};
  const EcSignature made_of(ECDSA_SIG_new());
  Number r = number(signature.substr(0, kP256Bytes)), s = number(signature.substr(kP256Bytes));
  if (made_of == nullptr || ECDSA_SIG_set0(made_of.get(), r.get(), s.get()) != 1) return {};
  (void)r.release(), (void)s.release();  // they are its own now
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(made_of.get(), &der);
  if (size <= 0) return {};
  std::string out(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return out;
}

}  // namespace

Result<std::vector<Jwk>> parse_jwks(std::string_view text) {
  const auto object = json_object(text);
  const json::value* keys = object ? object->if_contains("keys") : nullptr;
  const json::array* list = keys == nullptr ? nullptr : keys->if_array();
  if (list == nullptr) return fail(ErrorCode::kInvalid, "its keys are no JWK Set");
  if (list->size() > kMaxKeys) return fail(ErrorCode::kTooLarge, "it has more than 64 keys");
  std::vector<Jwk> out;
  for (const json::value& one : *list)
    if (const json::object* key = one.if_object())
      if (auto read = read_key(*key)) out.push_back(std::move(*read));
  return out;
}

bool signature_is_good(const Jwk& of, std::string_view signed_bytes, std::string_view signature) {
  const bool rsa = of.algorithm == SignatureAlgorithm::kRs256;
  const Key key = rsa ? rsa_key(of) : p256_key(of);
  const std::string proof = rsa ? std::string(signature) : der_of(signature);
  const DigestContext context(EVP_MD_CTX_new());
  if (key == nullptr || proof.empty() || context == nullptr) return false;
  // PKCS #1 v1.5 is what RSA keys do unless something else is set.
  return EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(proof), proof.size(), bytes_of(signed_bytes),
                          signed_bytes.size()) == 1;
}

}  // namespace wafd::console
