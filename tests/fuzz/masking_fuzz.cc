// Any bytes are masked: positions only grow, and whatever stands before it, a secret that follows is gone.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "detect/redact/masking.h"

namespace {

using wafd::detect::MaskedText;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const MaskedText& masked, std::size_t raw_bytes) {
  std::size_t last = 0;
  for (std::size_t at = 0; at <= raw_bytes; ++at) {
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
  // libFuzzer learns the word from the comparisons below; where it stands openly, it is no secret.
  if (raw.find("Zq7hunter") != std::string_view::npos) return 0;

  const MaskedText query = masker.query(raw);
  check(query, raw.size());
  const MaskedText cookie = masker.cookie(raw);
  check(cookie, raw.size());
  const MaskedText head = masker.head(raw);
  check(head, raw.size());
  require(head.text.ends_with("\r\n\r\n"));
  const auto hidden = [](const MaskedText& masked) {
    return masked.text.find("Zq7hunter") == std::string::npos;
  };
  const std::string before(raw);
  if (raw.size() < MaskedText::kMaskedBytes / 2) {
    require(hidden(masker.query(before + "&password=Zq7hunter")));
    require(hidden(masker.query(before + "&a={\"pwd\":\"Zq7hunter\"}")));
    require(hidden(masker.cookie(before + "; sid=Zq7hunter; b")));
    require(hidden(masker.head(before + "\nAuthorization: Zq7hunter\r\nA: b\r\n\r\n")));
    require(hidden(masker.head(before + "\nCookie: a=1; sid=Zq7hunter")));
    require(hidden(masker.body("a=b&" + before + "&iban=Zq7hunter", "")));
  }
  check(masker.url(raw), raw.size());
  for (const char* type : {"application/json", "multipart/form-data; boundary=B", ""}) {
    check(masker.body(raw, type), raw.size());
    check(masker.body(raw, type, "gzip, br"), raw.size());
  }
  std::string excerpt(raw.substr(raw.size() / 2));
  head.scrub(excerpt);
  query.scrub(excerpt);
  // XML: whatever stands around it, the text of a secret element is gone.
  const std::string xml =
      "<a><!--" + std::string(raw.substr(0, raw.find('-'))) + "--><password>Zq7hunter</password></a>";
  if (xml.size() <= MaskedText::kMaskedBytes)
    require(masker.body(xml, "").text.find("Zq7hunter") == std::string::npos);

  std::string secret = "a=b&password=";
  for (const char c : raw) {
    if (c != '&' && c != ';') secret += c;
  }
  const std::string rest = "&c=d";
  require(masker.query(secret + rest).text ==
              (raw.empty() || secret.size() == 13 ? "a=b&password=&c=d" : "a=b&password=***&c=d") ||
          secret.size() + rest.size() > MaskedText::kMaskedBytes);
  return 0;
}
