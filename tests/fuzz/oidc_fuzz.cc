// Answers of a sign-in provider: tokens, keys and its description, any bytes. A refusal is one printable
// line, and nothing is good without a signature.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "console/oidc/base64url.h"
#include "console/oidc/claims.h"
#include "console/oidc/id_token.h"
#include "console/oidc/provider.h"
#include "detect/core/bytes.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_words(const wafd::Error& error) {
  require(!error.what.empty());
  for (const char c : error.what) require(c >= 32 && c < 127);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafd::console;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require(decode_base64url(base64url(text)) == std::string(text));
  const auto keys = parse_jwks(text);
  if (!keys) check_words(keys.error());
  // As it came, and its three lines as the parts of a token.
  std::string coded;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    coded += (coded.empty() ? "" : ".") + base64url(line);
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : rest.size());
  }
  for (const std::string& compact : {std::string(text), coded}) {
    const auto token = parse_id_token(compact);
    if (!token) {
      check_words(token.error());
      continue;
    }
    require(!check_signature(*token, {}));
    if (const auto good = check_claims(token->claims, {"https://id.example", "wafd", "n", 1}); !good)
      check_words(good.error());
  }
  const auto metadata = parse_metadata(text, "https://id.example");
  if (!metadata) check_words(metadata.error());
  if (metadata) require(wafd::istarts_with(metadata->token_endpoint, "https://"));
  return 0;
}
