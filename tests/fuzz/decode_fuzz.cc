// Every transformation on any bytes: bounded output, an honest pretest, and no effect when it says there was
// none.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "detect/core/bytes.h"
#include "detect/decode/base32.h"
#include "detect/decode/base64.h"
#include "detect/decode/charset/charset.h"
#include "detect/decode/charset/utf7.h"
#include "detect/decode/content/chunked.h"
#include "detect/decode/content/inflate.h"
#include "detect/decode/content/quoted_printable.h"
#include "detect/decode/css_escape.h"
#include "detect/decode/hex.h"
#include "detect/decode/html_entity.h"
#include "detect/decode/js_escape.h"
#include "detect/decode/json_string.h"
#include "detect/decode/nul.h"
#include "detect/decode/percent.h"
#include "detect/decode/plus.h"
#include "detect/decode/serialized.h"
#include "detect/decode/shell_quote.h"
#include "detect/decode/squeeze.h"
#include "detect/decode/unicode_fold.h"

namespace {

using namespace wafd::detect;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Transformation {
  bool (*decode)(std::string_view, std::string&, std::uint32_t&);
  bool (*maybe)(std::string_view) noexcept;
  std::size_t growth;
};

constexpr Transformation kAll[] = {
    {percent_decode, maybe_percent, 1},
    {plus_decode, maybe_plus, 1},
    {nul_decode, maybe_nul, 1},
    {html_entity_decode, maybe_html_entity, 1},
    {js_escape_decode, maybe_js_escape, 1},
    {css_escape_decode, maybe_css_escape, 1},
    {json_string_decode, maybe_json_string, 1},
    {base64_decode, maybe_base64, 1},
    {base64_run_decode, maybe_base64_run, 1},
    {hex_decode, maybe_hex, 1},
    {utf7_decode, maybe_utf7, 2},
    {stray_percent_decode, maybe_stray_percent, 1},
    {form_decode, maybe_form, 1},
    {shell_quote_decode, maybe_shell_quote, 1},
    {unicode_fold_decode, maybe_unicode_fold, 1},
    {base32_decode, maybe_base32, 1},
    {quoted_printable_decode, maybe_quoted_printable, 1},
    {wide_text_decode, maybe_wide_text, 3},
    {squeeze_decode, maybe_filled, 1},
};

// Names of encodings, and decoding by each; ASCII in two bytes each comes back.
void charsets(std::string_view text) {
  std::string out;
  for (const char* name : {"utf-16", "utf-16be", "utf-32", "ibm037", "ibm1026", "iso-2022-jp", "utf-7"}) {
    charset_decode(text, charset_named(name), out);
    require(out.size() <= 3 * text.size());
  }
  const Charset named = charset_named(text);
  require(named.page == 0 || named.kind == CharsetKind::kEbcdic);
  std::string wide;
  for (const char c : text) wide += {c, '\0'};
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  if (ascii && text.size() >= 3 && sniff_charset(wide).kind == CharsetKind::kUtf16) {
    require(charset_decode(wide, sniff_charset(wide), out) && out == text);
  }
  if (chunked_decode(text, out)) require(out.size() < text.size());
}

// Every byte escaped in every spelling must come back.
void round_trips(std::string_view text) {
  std::string percent;
  std::string js;
  for (const char c : text) {
    const std::string hex = wafd::to_hex(std::string_view(&c, 1));
    percent += "%" + hex;
    if (wafd::byte(c) < 0x80) js += "\\x" + hex;
  }
  std::string out;
  std::uint32_t flags = 0;
  if (!text.empty()) {
    require(percent_decode(percent, out, flags));
    require((flags & kOverlongUtf8) != 0 || out == text);
  }
  if (!js.empty() && js.size() == 4 * text.size()) {
    require(js_escape_decode(js, out, flags));
    require(out == text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string out;
  for (const Transformation& t : kAll) {
    std::uint32_t flags = 0;
    const bool changed = t.decode(text, out, flags);
    require(!changed || t.maybe(text));
    require(!changed || out.size() <= t.growth * size);
  }
  std::vector<std::string_view> strings;
  require(!php_serialized_strings(text, strings) || maybe_php_serialized(text));
  java_serialized_strings(text, strings);
  for (const auto s : strings) require(s.data() >= text.data() && s.data() + s.size() <= text.data() + size);
  constexpr InflateLimits kLimits{.max_output_bytes = 1u << 18};
  for (const auto coding : {ContentCoding::kGzip, ContentCoding::kDeflate, ContentCoding::kBrotli,
                            ContentCoding::kBzip2, ContentCoding::kSnappy}) {
    inflate(text, coding, kLimits, out);
    require(out.size() <= kLimits.max_output_bytes);
  }
  round_trips(text.substr(0, 200));
  charsets(text);
  return 0;
}
