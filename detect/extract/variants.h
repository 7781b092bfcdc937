// The readings of a field: its value as its place decodes it, and what further decoders make of that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/analyze/base/analyzer.h"
#include "detect/core/cost_budget.h"
#include "detect/decode/graphql.h"
#include "detect/extract/body.h"
#include "detect/extract/delta_extractor.h"
#include "detect/extract/fields.h"

namespace wafd::detect {

struct Variant {
  std::string_view text;
  std::string_view decode_path;    // "percent|base64"; empty: as it stood in the request
  std::string_view uncut;          // if `text` is parts of a decoding: what it was made from, whole
  std::string_view near;           // of `text` what is closest to changed bytes; empty: about all of it
  std::uint32_t field = 0;         // index in the FieldList
  std::uint32_t decode_flags = 0;  // DecodeFlag bits met on the way
  std::uint32_t kinds = 0;         // of the text's bytes (kinds_of()); 0: perhaps not looked at
  std::uint8_t depth = 0;          // transformations beyond those of the place
  bool kept_plus = false;          // of a form, by who decodes its %HH and not its plus signs
  bool verbatim = false;           // `text` is Field::raw itself
  bool root = false;               // the place's own decoding
  bool container = false;       // read whole as JSON: its members are fields, the text itself is not judged
  bool binary = false;          // what a decoding made is no text
  bool front_cut = false;       // something was left out before `text`
  bool near_front_cut = false;  // before `near`
  bool judged = true;           // false: only what is decoded from it is
  bool sums = false;  // plus signs beside others, of a long text: another variant has them all as spaces
  ObfuscationLanguage obfuscation = ObfuscationLanguage::kNone;
};

// Limits for one field. Breadth first, so that what a limit leaves out is the deepest wrapping; it is
// flagged.
inline constexpr std::size_t kMaxVariants = 64;
inline constexpr std::uint8_t kMaxDecodeDepth = 6;

// The name of a transformation as decode paths have it, those of places and containers included.
bool is_decoding(std::string_view name) noexcept;

// Keeps buffers between requests. One thread at a time.
class VariantMaker {
 public:
  // Appends what the place itself makes of fields[index]: one variant, or two where a plus may be a space.
  // Values that hold values (JSON, serialised objects) append fields, which the caller comes to later. Texts
  // live as long as the request's bytes and the list's arena.
  void roots(FieldList& fields, std::uint32_t index, BodyReader& reader, CostBudget& budget,
             std::vector<Variant>& out);
  // Appends what further decodings make of the `count` roots from out[first] on, which are those of one field
  // and the last of `out` if none was deepened since. Breadth first, within the present field's budget; what
  // that leaves out is flagged in `fields`.
  void deepen(FieldList& fields, std::size_t first, std::size_t count, BodyReader& reader, CostBudget& budget,
              std::vector<Variant>& out);

 private:
  class Ways;

  bool decode_place(const Field& field, bool plus, FieldList& fields, Variant& variant);
  // `kinds`: of the variant's bytes.
  void open_containers(FieldList& fields, Variant& variant, std::uint32_t kinds, BodyReader& reader);

  // The decoders that may do something to family_[at], in bits. Opens what it contains.
  std::uint32_t decoders_of(std::size_t at, const Ways& ways, FieldList& fields, BodyReader& reader);
  // Whether decoder `d` may make of it what no other way has made.
  bool makes_more(std::size_t at, std::size_t d, Ways& ways, const FieldList& fields) const;
  // Adds to family_ what it makes, if that is new. False: a limit does not allow it.
  bool decode(std::size_t at, std::size_t d, Ways& ways, FieldList& fields, CostBudget& budget);
  // Of what decoder `d` made of `from`, the part to be judged.
  static Variant made_of(const Variant& from, std::string_view part, std::string_view whole, std::size_t d,
                         FieldList& fields);

  std::string buffers_[2];
  std::string joined_;  // parts with sums
  DeltaExtractor parts_;
  std::vector<std::string_view> strings_;
  std::vector<GraphqlString> graphql_;
  std::vector<Variant> family_;  // the variants of the field at hand
};

}  // namespace wafd::detect
