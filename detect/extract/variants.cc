#include "detect/extract/variants.h"

#include <algorithm>
#include <array>
#include <bit>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/decode/base/byte_kinds.h"
#include "detect/decode/base/decode_flags.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base32.h"
#include "detect/decode/base64.h"
#include "detect/decode/charset/charset.h"
#include "detect/decode/charset/utf7.h"
#include "detect/decode/content/inflate.h"
#include "detect/decode/css_escape.h"
#include "detect/decode/graphql.h"
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
#include "detect/extract/sums.h"

namespace wafd::detect {
namespace {

// Kinds of whole texts, beside those of bytes.
constexpr std::uint32_t kDigitsWhole = 1u << kKinds;     // perhaps nothing but digits of base64 and blanks
constexpr std::uint32_t kHexWhole = 1u << (kKinds + 1);  // perhaps nothing but hex digits
constexpr std::uint32_t kWords = 1u << (kKinds + 2);     // any text
constexpr std::size_t kAllKinds = kKinds + 3;

struct Decoder {
  std::string_view name;  // in decode paths
  std::uint32_t needs;    // one of these kinds
  std::size_t min_size;
  bool (*maybe)(std::string_view);
  bool (*decode)(std::string_view, std::string&, std::uint32_t&);
  ObfuscationLanguage
      obfuscation;          // of a language rather than a wrapping: nothing is decoded from its result
  bool reads_plus = false;  // where a plus is more than a space
  bool unpacks = false;     // its result may be bytes of any kind
  bool of_urls = false;     // undone only where a URL or a form is
};

// Likely wrappings first: a limit then leaves out the odd ones.
constexpr Decoder kTable[] = {
    {"percent", kPercentSign, 3, maybe_percent, percent_decode, ObfuscationLanguage::kNone},
    {"html", kAmpersand, 4, maybe_html_entity, html_entity_decode, ObfuscationLanguage::kNone},
    {"squeeze", kWords, kFillingBytes, maybe_filled, squeeze_decode, ObfuscationLanguage::kNone},
    {"base64", kDigitsWhole, 8, maybe_base64, base64_decode, ObfuscationLanguage::kNone, true, true},
    {"js", kBackslash, 2, maybe_js_escape, js_escape_decode, ObfuscationLanguage::kNone},
    {"json", kBackslash, 2, maybe_json_string, json_string_decode, ObfuscationLanguage::kNone},
    {"unicode", kHigh, 2, maybe_unicode_fold, unicode_fold_decode, ObfuscationLanguage::kNone},
    {"utf16", kNul | kHigh, 4, maybe_wide_text, wide_text_decode, ObfuscationLanguage::kNone},
    {"nul", kNul, 1, maybe_nul, nul_decode, ObfuscationLanguage::kNone},
    {"hex", kHexMark, 6, maybe_hex_mark, hex_decode, ObfuscationLanguage::kNone},
    {"hex", kHexWhole, 16, maybe_hex_digits, hex_decode, ObfuscationLanguage::kNone},
    {"base64_run", kWords, 16, maybe_base64_run, base64_run_decode, ObfuscationLanguage::kNone, true},
    {"base32", kDigitsWhole, 16, maybe_base32, base32_decode, ObfuscationLanguage::kNone},
    {"css", kBackslash | kStar, 2, maybe_css_escape, css_escape_decode, ObfuscationLanguage::kStyle},
    {"utf7", kPlusSign, 5, maybe_utf7, utf7_decode, ObfuscationLanguage::kNone, true},
    {"inflate", kControl | kHigh, 8, maybe_compressed, compressed_decode, ObfuscationLanguage::kNone, false,
     true},
    {"form", kPercentSign, 4, maybe_form, form_decode, ObfuscationLanguage::kNone},
    {"percent_stray", kPercentSign, 2, maybe_stray_percent, stray_percent_decode, ObfuscationLanguage::kNone,
     false, false, true},
    {"shell", kQuote, 3, maybe_shell_quote, shell_quote_decode, ObfuscationLanguage::kShell},
};

constexpr std::size_t kDecoders = std::size(kTable);

// By kind: the decoders that may do something to a text that has it.
constexpr std::array<std::uint32_t, kAllKinds> kDecodersOf = [] {
  std::array<std::uint32_t, kAllKinds> of{};
  for (std::size_t kind = 0; kind < kAllKinds; ++kind) {
    for (std::size_t d = 0; d < kDecoders; ++d) {
      if ((kTable[d].needs >> kind & 1) != 0) of[kind] |= 1u << d;
    }
  }
  return of;
}();

constexpr std::size_t index_of(std::string_view name) noexcept {
  return static_cast<std::size_t>(
      std::find_if(std::begin(kTable), std::end(kTable),
                   [name](const Decoder& decoder) { return decoder.name == name; }) -
      std::begin(kTable));
}
constexpr std::size_t kPercentDecoder = index_of("percent");
constexpr std::size_t kFormDecoder = index_of("form");
constexpr std::size_t kJsDecoder = index_of("js");
constexpr std::size_t kJsonDecoder = index_of("json");
constexpr std::size_t kSqueezeDecoder = index_of("squeeze");
// A text that is this short without its filling is judged as if it had none.
constexpr std::size_t kSqueezedBytes = 1024;
// All that is undone after a trick of URLs.
constexpr std::uint32_t kPercent = 1u << kPercentDecoder;

// Whether nothing but the coding of URLs was undone to come here.
bool is_of_url(const Variant& variant) noexcept {
  return variant.root || variant.decode_path.ends_with("percent") || variant.decode_path.ends_with("plus");
}

// The decoders of what a backslash stands for. A text is written in one of these languages.
constexpr std::uint32_t kBackslashes = [] {
  std::uint32_t decoders = 0;
  for (std::size_t d = 0; d < kDecoders; ++d) decoders |= (kTable[d].needs & kBackslash) != 0 ? 1u << d : 0u;
  return decoders;
}();

// The decoders that read what is no text.
constexpr std::uint32_t kUnpacking = [] {
  std::uint32_t unpacking = 0;
  for (std::size_t d = 0; d < kDecoders; ++d) unpacking |= kTable[d].unpacks ? 1u << d : 0u;
  return unpacking;
}();

// Kinds that depend on the text as a whole: its byte kinds and both of its ends.
std::uint32_t whole_kinds(std::string_view text, std::uint32_t kinds) noexcept {
  const char first = text.front();
  // A data URL has signs before its digits.
  const bool digits =
      (kinds & (kSign | kHigh)) == 0 || to_lower(first) == 'd' || first == ' ' || first == '\t';
  const bool hex = digits && hex_value(first) >= 0 && hex_value(text.back()) >= 0;
  return kWords | (digits ? kDigitsWhole : 0u) | (hex ? kHexWhole : 0u);
}

// Values that applications read as documents; pages of HTML are none.
bool declares_xml(std::string_view text) noexcept {
  if (!text.starts_with('<')) return false;
  return text.starts_with("<?xml") || text.starts_with("<!ENTITY") ||
         (text.starts_with("<!DOCTYPE ") && !istarts_with(text, "<!DOCTYPE html"));
}

std::uint32_t candidates(std::uint32_t kinds) noexcept {
  std::uint32_t decoders = 0;
  for (; kinds != 0; kinds &= kinds - 1)
    decoders |= kDecodersOf[static_cast<std::size_t>(std::countr_zero(kinds))];
  return decoders;
}

// Index of the judged variant with this text from `first` on, or all.size().
std::size_t find_text(const std::vector<Variant>& all, std::size_t first, std::string_view text) noexcept {
  while (first < all.size() && (all[first].text != text || !all[first].judged)) ++first;
  return first;
}

constexpr std::size_t kMinPackedBytes = 4096;

// A JSON Web Token (RFC 7519): what it claims stands between dots in base64, its header first: {" or { and
// white space.
bool looks_like_jwt(std::string_view text) noexcept {
  static constexpr ByteFinder kBytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.");
  return (text.starts_with("ey") || text.starts_with("ew")) &&
         std::count(text.begin(), text.end(), '.') == 2 && kBytes.find_other(text, 0) == text.size();
}

bool looks_like_json(std::string_view text) noexcept {
  text = trim(text);
  if (text.size() < 2) return false;
  return (text.front() == '{' && text.back() == '}') || (text.front() == '[' && text.back() == ']');
}

bool is_same_begin(std::string_view part, std::string_view text) noexcept {
  return text.starts_with(part.substr(0, kAroundBytes));
}

// Packed binary data that an application sends as a string, from begin to end. It has no escapes.
bool is_packed(std::string_view text) noexcept {
  return text.size() >= kMinPackedBytes && looks_binary(text) &&
         looks_binary(text.substr(text.size() - kMinPackedBytes)) && !maybe_wide_text(text);
}

// Of a part of these nothing could be read.
bool is_read_whole(std::string_view text) noexcept {
  return looks_like_json(text) || maybe_java_serialized(text);
}

}  // namespace

// Which variants of a field were made by which decoder from which. Two decodings of a text can mostly be
// undone in either order with the same result: what both together make is then made once.
class VariantMaker::Ways {
 public:
  // The variant that `decoder` made of `from`, or which it equals; -1: none.
  int child(std::size_t from, std::size_t decoder) const noexcept { return child_[from][decoder]; }
  void set_child(std::size_t from, std::size_t decoder, std::size_t to) noexcept {
    child_[from][decoder] = static_cast<std::int8_t>(to);
  }
  void begin(std::size_t variant) noexcept { child_[variant].fill(-1); }
  void made(std::size_t variant, std::size_t from, std::size_t decoder) noexcept {
    others_[variant] = others_[from];
    if ((kBackslashes >> decoder & 1) != 0)
      others_[variant] |= by_[from] == decoder ? kBackslashes : kBackslashes & ~(1u << decoder);
    from_[variant] = static_cast<std::uint8_t>(from);
    by_[variant] = static_cast<std::uint8_t>(decoder);
    set_child(from, decoder, variant);
  }
  // What of a text that `decoder` makes of `variant` is close enough to a change to be read first: less, if
  // what it undoes stood before `variant` was made, and was undone there.
  std::size_t near_bytes(std::size_t variant, std::size_t decoder) const noexcept {
    const bool both = by_[variant] != kRoot && by_[variant] != decoder && child(from_[variant], decoder) >= 0;
    return both ? kNearBytesOfTwo : kNearBytes;
  }
  // The decoders of languages other than the one whose escapes were undone to come to `variant`.
  std::uint32_t others(std::size_t variant) const noexcept { return others_[variant]; }
  // Whether what `decoder` would make of `variant` came out on the other way: first `decoder`, then what made
  // `variant`.
  bool came_otherwise(std::size_t variant, std::size_t decoder) noexcept {
    if (by_[variant] == kRoot || by_[variant] == decoder) return false;
    const int sibling = child(from_[variant], decoder);
    // Variants behind this one were not decoded yet. Of one that was cut, what both change is left.
    if (sibling < 0 || static_cast<std::size_t>(sibling) >= variant) return false;
    const int same = child(static_cast<std::size_t>(sibling), by_[variant]);
    // Itself, if its text came out once more: then nobody has decoded it.
    if (same < 0 || static_cast<std::size_t>(same) == variant) return false;
    set_child(variant, decoder, static_cast<std::size_t>(same));
    return true;
  }

 private:
  static constexpr std::uint8_t kRoot = 0xff;
  std::array<std::array<std::int8_t, kDecoders>, kMaxVariants> child_;
  std::array<std::uint32_t, kMaxVariants> others_{};
  std::array<std::uint8_t, kMaxVariants> from_{};
  std::array<std::uint8_t, kMaxVariants> by_ = [] {
    std::array<std::uint8_t, kMaxVariants> roots{};
    roots.fill(kRoot);
    return roots;
  }();
};

bool is_decoding(std::string_view name) noexcept {
  for (const Decoder& decoder : kTable) {
    if (decoder.name == name) return true;
  }
  for (const std::string_view other :
       {"plus",         "xml",   "php",     "java",   "graphql", "jwt",      "jwt_header",
        "cookie",       "gzip",  "deflate", "brotli", "bzip2",   "chunked",  "quoted_printable",
        "content_line", "utf16", "utf32",   "ebcdic", "iso2022", "protobuf", "grpc",
        "msgpack",      "cbor"}) {
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

void VariantMaker::open_containers(FieldList& fields, Variant& variant, std::uint32_t kinds,
                                   BodyReader& reader) {
  const std::string_view text = variant.text;
  const std::size_t before = fields.size();
  if (fields[variant.field].depth >= kMaxFieldDepth) return;
  const auto inside = [&](std::string_view step) {
    Field like = fields[variant.field];
    like.coding = Coding::kNone;
    ++like.depth;
    like.decode_path = fields.arena.join(variant.decode_path, '|', step);
    return like;
  };
  if ((kinds & kSign) != 0 && looks_like_jwt(text)) {
    Field like = inside("jwt");
    std::size_t begin = 0;
    for (std::size_t end = text.find('.'); end != std::string_view::npos; end = text.find('.', begin)) {
      like.decode_path = fields.arena.join(variant.decode_path, '|', begin == 0 ? "jwt_header" : "jwt");
      like.raw = text.substr(begin, end - begin);
      variant.container = fields.add(like);
      begin = end + 1;
    }
    return;
  }
  if ((kinds & kSign) != 0 && looks_like_json(text)) {
    variant.container = reader.read_json(text, inside("json"), fields);
    if (variant.container) return;
    fields.shrink(before);
  }
  if (declares_xml(text) && !fields[variant.field].decode_path.ends_with("xml")) {
    reader.read_xml(text, inside("xml"), fields);
    // It is judged as it stands too, by itself or, if it declares what it may hold, as the last of these
    // fields.
    const Field& last = fields[fields.size() - 1];
    variant.container = fields.size() != before && last.raw.data() == text.data() && last.raw == text;
    return;
  }
  if ((kinds & kQuote) != 0 && variant.depth == 0 && maybe_graphql(text)) {
    graphql_.clear();
    if (!graphql_strings(text, graphql_)) return;
    Field like = inside("graphql");
    for (const GraphqlString& literal : graphql_) {
      if (!literal.name.empty()) like.name = literal.name;
      like.raw = literal.text;
      if (!fields.add(like)) break;  // the document is judged as a whole too
    }
    return;
  }
  strings_.clear();
  const bool php =
      (kinds & kQuote) != 0 && maybe_php_serialized(text) && php_serialized_strings(text, strings_);
  const bool java =
      !php && (kinds & kHigh) != 0 && maybe_java_serialized(text) && java_serialized_strings(text, strings_);
  if (!php && !java) return;
  Field like = inside(php ? "php" : "java");
  for (const std::string_view string : strings_) {
    like.raw = string;
    if (!fields.add(like)) break;  // the value that holds them is judged as a whole too
  }
}

void VariantMaker::roots(FieldList& fields, std::uint32_t index, BodyReader& reader, CostBudget& budget,
                         std::vector<Variant>& out) {
  const Field field = fields[index];  // a copy: containers make the list grow
  const std::size_t first = out.size();
  Variant root;
  root.field = index;
  root.text = field.raw;
  root.decode_path = field.decode_path;
  root.verbatim = root.root = true;
  if (field.binary) {
    root.binary = true;
    open_containers(fields, root, kHigh, reader);
    out.push_back(root);
    return;
  }
  budget.add(field.raw.size() * CostBudget::kDecodeUnits);
  const std::uint32_t kinds = kinds_of(field.raw);
  const bool plus = field.coding == Coding::kForm && (kinds & kPlusSign) != 0;
  if (plus) {
    Variant spaced = root;
    decode_place(field, true, fields, spaced);
    out.push_back(spaced);
    root.kept_plus = true;
  }
  if (field.coding != Coding::kNone && (kinds & kPercentSign) != 0) decode_place(field, false, fields, root);
  if (plus) {
    const std::string_view sums = parts_with_sums(root.text, joined_);
    root.judged = !sums.empty();
    if (root.judged && sums.size() != root.text.size()) {
      const bool joined = sums.data() == joined_.data();
      root.uncut = root.text;
      root.front_cut = !is_same_begin(sums, root.text);
      root.text = joined ? fields.arena.copy(sums) : sums;
      root.verbatim &= !joined;
    }
    root.sums = root.judged && sums.size() > kWholeBytes;
  }
  out.push_back(root);
  for (std::size_t i = first; i < out.size(); ++i) {
    if (!out[i].judged) continue;
    out[i].kinds = kinds_of(out[i].text);
    open_containers(fields, out[i], out[i].kinds, reader);
  }
  // A document with its plus signs as spaces, and none with them as they are: they are spaces.
  if (plus && out[first].container && !out[first + 1].container && looks_like_json(out[first + 1].text))
    out[first + 1].judged = false;
}

void VariantMaker::deepen(FieldList& fields, std::size_t first, std::size_t count, BodyReader& reader,
                          CostBudget& budget, std::vector<Variant>& out) {
  family_.assign(out.begin() + static_cast<std::ptrdiff_t>(first),
                 out.begin() + static_cast<std::ptrdiff_t>(first + count));
  Ways ways;
  parts_.begin();
  for (const Variant& root : family_) {
    if (!is_read_whole(root.text)) parts_.add(root.text);
  }
  for (std::size_t at = 0; at < family_.size(); ++at) {
    ways.begin(at);
    for (std::uint32_t left = decoders_of(at, ways, fields, reader); left != 0; left &= left - 1) {
      if (decode(at, static_cast<std::size_t>(std::countr_zero(left)), ways, fields, budget)) continue;
      fields.limit_reached = true;
      break;
    }
  }
  out.insert(out.end(), family_.begin() + static_cast<std::ptrdiff_t>(count), family_.end());
}

std::uint32_t VariantMaker::decoders_of(std::size_t at, const Ways& ways, FieldList& fields,
                                        BodyReader& reader) {
  if (family_[at].obfuscation != ObfuscationLanguage::kNone) return 0;
  const std::string_view text = family_[at].text;
  const std::uint32_t kinds = family_[at].kinds != 0 ? family_[at].kinds : kinds_of(text);
  if (kinds == 0 && text.size() < 8) return 0;
  if (!family_[at].root && family_[at].judged) open_containers(fields, family_[at], kinds, reader);
  if (family_[at].container) return 0;
  const std::uint32_t wrapped = family_[at].binary || is_packed(text)                ? kUnpacking
                                : family_[at].decode_path.ends_with("percent_stray") ? kPercent
                                                                                     : ~0u;
  return candidates(kinds | whole_kinds(text, kinds)) & wrapped & ~ways.others(at);
}

bool VariantMaker::makes_more(std::size_t at, std::size_t d, Ways& ways, const FieldList& fields) const {
  const Decoder& decoder = kTable[d];
  const Variant& from = family_[at];
  if ((!from.judged || from.sums) && !decoder.reads_plus) return false;
  if (decoder.of_urls && (fields[from.field].coding == Coding::kNone || !is_of_url(from))) return false;
  if (from.text.size() < decoder.min_size || !decoder.maybe(from.text)) return false;
  if (ways.came_otherwise(at, d)) return false;
  // The escapes of JSON are ones of JavaScript, and of others a string of JSON has none.
  return d != kJsonDecoder || ways.child(at, kJsDecoder) < 0;
}

bool VariantMaker::decode(std::size_t at, std::size_t d, Ways& ways, FieldList& fields, CostBudget& budget) {
  if (!makes_more(at, d, ways, fields)) return true;
  const Decoder& decoder = kTable[d];
  const Variant& from = family_[at];
  // A long form in a value: its plus signs are judged as spaces, as those of a form are.
  const bool of_form = d == kPercentDecoder && from.text.size() > kWholeBytes && maybe_form(from.text);
  if (of_form && ways.came_otherwise(at, kFormDecoder)) return true;
  if (from.depth >= kMaxDecodeDepth || family_.size() >= kMaxVariants ||
      !budget.take(from.text.size() * CostBudget::kDecodeUnits + CostBudget::kTextUnits))
    return false;
  std::uint32_t flags = from.decode_flags;
  std::string& to = buffers_[0];
  if (!decoder.decode(from.text, to, flags) || to.empty()) return true;
  const bool in_parts =
      !of_form && !is_read_whole(to) && (d != kSqueezeDecoder || to.size() > kSqueezedBytes);
  const std::string_view part = of_form    ? parts_with_sums(to, joined_)
                                : in_parts ? parts_.of(from.text, to, ways.near_bytes(at, d))
                                           : std::string_view(to);
  // What was squeezed out leaves joints, around which an attack may be long.
  const auto near = in_parts && d != kSqueezeDecoder ? parts_.near_of(to) : std::nullopt;
  if (near && near->empty()) return true;
  if (part.empty() && !of_form) return true;
  std::size_t same = find_text(family_, 0, to);
  if (same == family_.size() && part.size() != to.size()) same = find_text(family_, 0, part);
  if (same != family_.size()) {
    ways.set_child(at, d, same);
    return true;
  }
  Variant made = made_of(from, part, to, d, fields);
  made.decode_flags = flags;
  if (near) {
    made.near = fields.arena.copy(*near);
    made.near_front_cut = from.front_cut || !is_same_begin(*near, to);
  }
  if (of_form) {
    // The whole only for what needs its plus signs.
    Variant whole = made;
    whole.text = fields.arena.copy(to);
    whole.judged = whole.front_cut = false;
    whole.uncut = {};
    ways.made(family_.size(), at, d);
    family_.push_back(whole);
    made.sums = true;
    if (part.empty() || family_.size() >= kMaxVariants) return true;
  }
  ways.made(family_.size(), at, d);
  family_.push_back(made);
  if (made.obfuscation == ObfuscationLanguage::kNone && !is_read_whole(made.text)) parts_.add(made.text);
  return true;
}

Variant VariantMaker::made_of(const Variant& from, std::string_view part, std::string_view whole,
                              std::size_t d, FieldList& fields) {
  const Decoder& decoder = kTable[d];
  Variant made = from;
  made.text = fields.arena.copy(part);
  made.decode_path = fields.arena.join(from.decode_path, '|', decoder.name);
  made.near = {};
  made.near_front_cut = false;
  made.kinds = 0;
  if (part.size() != whole.size()) {
    if (made.uncut.empty()) made.uncut = from.text;
    made.front_cut = from.front_cut || !is_same_begin(part, whole);
  }
  made.obfuscation = decoder.obfuscation;
  made.depth = static_cast<std::uint8_t>(from.depth + 1);
  made.kept_plus = from.kept_plus && !decoder.reads_plus && !decoder.unpacks;
  made.verbatim = made.root = false;
  // An archive in a document or a form; an address and a header have no room for one.
  const bool archive = fields[from.field].location == Location::kBody && is_tar(whole);
  made.binary = decoder.unpacks && (archive || (!is_nearly_text(whole) && !maybe_wide_text(whole)));
  made.judged = true;
  return made;
}

}  // namespace wafd::detect
