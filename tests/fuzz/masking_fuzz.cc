// Any octets are masked: what comes out is masked already, positions only grow, a secret that a plain reading
// of the query shows is gone.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "detect/masking.h"

namespace {

using wafd::detect::MaskedText;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const MaskedText& masked, std::size_t raw_octets) {
  std::size_t last = 0;
  for (std::size_t at = 0; at <= raw_octets; ++at) {
    const std::size_t position = masked.position_of(at);
    require(position >= last && position <= masked.text.size());
    last = position;
    if (masked.hides(at, at + 1)) require(masked.masked());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  wafd::detect::MaskSettings settings;
  settings.card_numbers = data[0] % 2 == 1;
  settings.parameters = {"iban"};
  settings.cookies = {"sid"};
  const wafd::detect::Masker masker(settings);
  const std::string_view raw(reinterpret_cast<const char*>(data + 1), size - 1);

  const MaskedText query = masker.query(raw);
  check(query, raw.size());
  require(masker.query(query.text).text == query.text);
  const MaskedText cookie = masker.cookie(raw);
  check(cookie, raw.size());
  require(masker.cookie(cookie.text).text == cookie.text);
  const MaskedText head = masker.head(raw);
  check(head, raw.size());
  require(head.text.ends_with("\r\n\r\n"));
  require(masker.head(head.text).text == head.text);
  check(masker.url(raw), raw.size());
  for (const char* type : {"application/json", "multipart/form-data; boundary=B", ""}) {
    check(masker.body(raw, type), raw.size());
  }

  std::string secret = "a=b&password=";
  for (const char c : raw) {
    if (c != '&' && c != ';') secret += c;
  }
  const std::string rest = "&c=d";
  require(masker.query(secret + rest).text ==
              (raw.empty() || secret.size() == 13 ? "a=b&password=&c=d" : "a=b&password=***&c=d") ||
          secret.size() + rest.size() > MaskedText::kMaskedOctets);
  return 0;
}
