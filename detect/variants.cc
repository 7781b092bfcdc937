#include "detect/variants.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/cut_near.h"
#include "detect/decode/base32.h"
#include "detect/decode/base64.h"
#include "detect/decode/charset.h"
#include "detect/decode/css_escape.h"
#include "detect/decode/decode_flags.h"
#include "detect/decode/graphql.h"
#include "detect/decode/hex.h"
#include "detect/decode/html_entity.h"
#include "detect/decode/inflate.h"
#include "detect/decode/js_escape.h"
#include "detect/decode/json_string.h"
#include "detect/decode/nul.h"
#include "detect/decode/percent.h"
#include "detect/decode/plus.h"
#include "detect/decode/serialized.h"
#include "detect/decode/shell_quote.h"
#include "detect/decode/sql_comment.h"
#include "detect/decode/unicode_fold.h"
#include "detect/decode/utf7.h"

namespace wafd::detect {
namespace {

// Kinds of octets that a text holds. A decoder that needs a kind which is not there is not even asked.
enum Kind : std::uint32_t {
  kWord = 1u << 0,    // letters and digits
  kBase64 = 1u << 1,  // + / = - _
  kPercentSign = 1u << 2,
  kAmpersand = 1u << 3,
  kBackslash = 1u << 4,
  kPlusSign = 1u << 5,
  kStar = 1u << 6,
  kHigh = 1u << 7,  // octets from 0x80
  kNul = 1u << 8,
  kQuote = 1u << 9,  // ' " ` ^ $ {
  kColon = 1u << 10,
  kControl = 1u << 11,
  kOther = 1u << 12,
  kOpening = 1u << 13,  // ( [ <
};

constexpr std::array<std::uint32_t, 256> kKinds = [] {
  std::array<std::uint32_t, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    const char ch = static_cast<char>(c);
    table[c] = is_alnum(ch) ? kWord
               : c >= 0x80  ? kHigh
               : c == 0     ? kNul | kControl
               : c < 0x20   ? kControl
                            : kOther;
  }
  for (const char c : std::string_view("/=-_")) table[octet(c)] = kBase64;
  table[octet('+')] = kBase64 | kPlusSign;
  table[octet('%')] = kPercentSign;
  table[octet('&')] = kAmpersand;
  table[octet('\\')] = kBackslash | kQuote;
  table[octet('*')] = kStar;
  table[octet(':')] = kColon;
  for (const char c : std::string_view("'\"`^${")) table[octet(c)] = kQuote;
  for (const char c : std::string_view("([<")) table[octet(c)] = kOpening;
  return table;
}();

std::uint32_t kinds_of(std::string_view text) noexcept {
  std::uint32_t kinds = 0;
  for (const char c : text) kinds |= kKinds[octet(c)];
  return kinds;
}

struct Decoder {
  std::string_view name;  // in decode paths
  std::uint32_t needs;    // one of these kinds; 0: none
  std::size_t min_size;
  bool (*maybe)(std::string_view);
  bool (*decode)(std::string_view, std::string&, std::uint32_t&);
  Trick trick;  // of a language rather than a wrapping: nothing is decoded from its result
};

// Likely wrappings first: a limit then leaves out the odd ones.
constexpr Decoder kDecoders[] = {
    {"percent", kPercentSign, 3, maybe_percent, percent_decode, Trick::kNone},
    {"html", kAmpersand, 4, maybe_html_entity, html_entity_decode, Trick::kNone},
    {"base64", 0, 8, maybe_base64, base64_decode, Trick::kNone},
    {"js", kBackslash, 2, maybe_js_escape, js_escape_decode, Trick::kNone},
    {"json", kBackslash, 2, maybe_json_string, json_string_decode, Trick::kNone},
    {"unicode", kHigh, 2, maybe_unicode_fold, unicode_fold_decode, Trick::kNone},
    {"utf16", kNul | kHigh, 4, maybe_wide_text, wide_text_decode, Trick::kNone},
    {"nul", kNul, 1, maybe_nul, nul_decode, Trick::kNone},
    {"hex", 0, 6, maybe_hex, hex_decode, Trick::kNone},
    {"base64_run", 0, 16, maybe_base64_run, base64_run_decode, Trick::kNone},
    {"base32", 0, 16, maybe_base32, base32_decode, Trick::kNone},
    {"css", kBackslash | kStar, 2, maybe_css_escape, css_escape_decode, Trick::kNone},
    {"utf7", kPlusSign, 5, maybe_utf7, utf7_decode, Trick::kNone},
    {"inflate", kControl | kHigh, 8, maybe_compressed, compressed_decode, Trick::kNone},
    {"shell", kQuote, 3, maybe_shell_quote, shell_quote_decode, Trick::kShell},
    {"sql_comment", kStar, 4, maybe_sql_comment, sql_comment_decode, Trick::kSql},
};

bool is_new(const std::vector<Variant>& all, std::size_t first, std::string_view text) noexcept {
  for (std::size_t i = first; i < all.size(); ++i) {
    if (all[i].text == text) return false;
  }
  return true;
}

// Scripts that read a query by themselves leave the plus as it is, where it adds to a string or to what a
// call gives, and base64 may hold one. Between words it is a space.
bool plus_may_matter(std::string_view text) noexcept {
  const std::uint32_t kinds = kinds_of(text);
  return (kinds & (kQuote | kOpening)) != 0 || (kinds & ~(kWord | kBase64 | kPlusSign)) == 0;
}

// Decodings change few octets of long texts. What lies far from them is judged in the text they were made
// from: of `made` only the part around what differs from `from` is kept.
constexpr std::size_t kWholeBytes = 2048;
constexpr std::size_t kAroundBytes = 512;

std::string_view changed_part(std::string_view from, std::string_view made) noexcept {
  if (made.size() <= kWholeBytes) return made;
  const std::size_t shorter = std::min(from.size(), made.size());
  std::size_t begin = static_cast<std::size_t>(
      std::mismatch(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(shorter), from.begin()).first -
      made.begin());
  std::size_t same = 0;  // octets at the end
  while (same < shorter - begin && made[made.size() - 1 - same] == from[from.size() - 1 - same]) ++same;
  std::size_t end = made.size() - same;
  begin = begin > 2 * kAroundBytes ? cut_near(made, begin - kAroundBytes, kAroundBytes / 2) : 0;
  end = std::min(made.size(), end + kAroundBytes);
  return made.substr(begin, end - begin);
}

bool looks_like_json(std::string_view text) noexcept {
  text = trim(text);
  if (text.size() < 2) return false;
  return (text.front() == '{' && text.back() == '}') || (text.front() == '[' && text.back() == ']');
}

}  // namespace

bool is_decoding(std::string_view name) noexcept {
  for (const Decoder& decoder : kDecoders) {
    if (decoder.name == name) return true;
  }
  for (const std::string_view other :
       {"plus", "xml", "php", "java", "graphql", "gzip", "deflate", "brotli", "chunked", "quoted_printable",
        "utf16", "utf32", "ebcdic", "iso2022"}) {
    if (other == name) return true;
  }
  return false;
}

// The value as the place itself gives it to the application. False if that is the raw value.
bool VariantMaker::decode_place(const Field& field, bool plus, FieldList& fields, Variant& variant) {
  std::string_view text = field.raw;
  std::string_view path = field.decode_path;
  bool changed = false;
  if (plus && plus_decode(text, buffers_[0], variant.decode_flags)) {
    text = buffers_[0];
    path = fields.arena.join(path, '|', "plus");
    changed = true;
  }
  if (text.find('%') != std::string_view::npos && percent_decode(text, buffers_[1], variant.decode_flags)) {
    text = buffers_[1];
    path = path.empty() ? std::string_view("percent") : fields.arena.join(path, '|', "percent");
    changed = true;
  }
  variant.text = changed ? fields.arena.copy(text) : text;
  variant.decode_path = path;
  variant.verbatim = !changed;
  return changed;
}

void VariantMaker::open_containers(FieldList& fields, Variant& variant, BodyReader& reader, Work& work) {
  const Field around = fields[variant.field];
  if (around.depth >= kMaxFieldDepth) return;
  Field like = around;
  like.coding = Coding::kNone;
  like.depth = static_cast<std::uint8_t>(around.depth + 1);
  like.outer = around.outer;
  if (looks_like_json(variant.text)) {
    work.add(variant.text.size() * Work::kDecodeUnits);
    const std::size_t before = fields.size();
    like.decode_path = fields.arena.join(variant.decode_path, '|', "json");
    if (reader.read_json(variant.text, like, fields)) {
      variant.container = true;
      return;
    }
    fields.shrink(before);
  }
  if (variant.depth == 0 && maybe_graphql(variant.text)) {
    work.add(variant.text.size());
    graphql_.clear();
    if (!graphql_strings(variant.text, graphql_)) return;
    like.decode_path = fields.arena.join(variant.decode_path, '|', "graphql");
    for (const GraphqlString& literal : graphql_) {
      if (!literal.name.empty()) like.name = literal.name;
      like.raw = literal.text;
      if (!fields.add(like)) break;  // the document is judged as a whole too
    }
    return;
  }
  strings_.clear();
  const bool php = maybe_php_serialized(variant.text) && php_serialized_strings(variant.text, strings_);
  if (!php && !(maybe_java_serialized(variant.text) && java_serialized_strings(variant.text, strings_)))
    return;
  like.decode_path = fields.arena.join(variant.decode_path, '|', php ? "php" : "java");
  for (const std::string_view text : strings_) {
    like.raw = text;
    if (!fields.add(like)) break;  // the value that holds them is judged as a whole too
  }
}

void VariantMaker::expand(FieldList& fields, std::uint32_t index, BodyReader& reader, Work& work,
                          std::vector<Variant>& out) {
  const Field field = fields[index];  // a copy: containers make the list grow
  const std::size_t first = out.size();
  Variant root;
  root.field = index;
  root.text = field.raw;
  root.decode_path = field.decode_path;
  root.verbatim = true;
  if (field.coding == Coding::kNone || field.binary) {
    out.push_back(root);
    if (field.binary) return;
  } else {
    const std::uint32_t raw_kinds = kinds_of(field.raw);
    const bool plus = field.coding == Coding::kForm && (raw_kinds & kPlusSign) != 0;
    if (plus) {
      Variant spaced = root;
      decode_place(field, true, fields, spaced);
      out.push_back(spaced);
    }
    if ((raw_kinds & kPercentSign) != 0) decode_place(field, false, fields, root);
    if (!plus || plus_may_matter(root.text)) out.push_back(root);
  }

  for (std::size_t at = first; at < out.size(); ++at) {
    if (out[at].trick != Trick::kNone) continue;
    const std::uint32_t kinds = kinds_of(out[at].text);
    if ((kinds & ~(kWord | kBase64)) == 0 && out[at].text.size() < 8) continue;
    open_containers(fields, out[at], reader, work);
    if (out[at].container) continue;
    for (const Decoder& decoder : kDecoders) {
      const Variant& from = out[at];
      if (decoder.needs != 0 && (kinds & decoder.needs) == 0) continue;
      if (from.text.size() < decoder.min_size || !decoder.maybe(from.text)) continue;
      if (from.depth >= kMaxDecodeDepth || out.size() - first >= kMaxVariants ||
          !work.may_decode(from.text.size())) {
        fields.limit_reached = true;
        break;
      }
      std::uint32_t flags = from.decode_flags;
      work.add(from.text.size() * Work::kDecodeUnits);
      std::string& to = buffers_[0];
      if (!decoder.decode(from.text, to, flags) || to.empty() || !is_new(out, first, to)) continue;
      Variant made = from;
      made.text = fields.arena.copy(changed_part(from.text, to));
      made.decode_path = fields.arena.join(from.decode_path, '|', decoder.name);
      made.decode_flags = flags;
      made.trick = decoder.trick;
      made.depth = static_cast<std::uint8_t>(from.depth + 1);
      made.verbatim = false;
      out.push_back(made);
    }
  }
}

}  // namespace wafd::detect
