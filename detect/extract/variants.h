// What a field may mean: its value as the place decodes it, and what further transformations make of that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/analyze/base/analyzer.h"
#include "detect/core/work.h"
#include "detect/decode/graphql.h"
#include "detect/extract/body.h"
#include "detect/extract/changed_parts.h"
#include "detect/extract/fields.h"

namespace wafd::detect {

struct Variant {
  std::string_view text;
  std::string_view decode_path;    // "percent|base64"; empty: as it stood in the request
  std::uint32_t field = 0;         // index in the FieldList
  std::uint32_t decode_flags = 0;  // DecodeFlag bits met on the way
  std::uint8_t depth = 0;          // transformations beyond those of the place
  bool verbatim = false;           // `text` is Field::raw itself
  bool container = false;  // read whole as JSON: its members are fields, the text itself is not judged
  bool judged = true;      // false: only what is decoded from it is
  Trick trick = Trick::kNone;
};

// Limits for one field. Breadth first, so that what a limit leaves out is the deepest wrapping; it is
// flagged.
inline constexpr std::size_t kMaxVariants = 32;
inline constexpr std::uint8_t kMaxDecodeDepth = 6;

// The name of a transformation as decode paths have it, those of places and containers included.
bool is_decoding(std::string_view name) noexcept;

// Keeps buffers between requests. One thread at a time.
class VariantMaker {
 public:
  // Appends the variants of fields[index]. Values that hold values (JSON, serialised objects) append fields,
  // which the caller comes to later. Texts live as long as the request's octets and the list's arena. Beyond
  // what `work` allows, only the place's own decoding is done.
  void expand(FieldList& fields, std::uint32_t index, BodyReader& reader, Work& work,
              std::vector<Variant>& out);

 private:
  bool decode_place(const Field& field, bool plus, FieldList& fields, Variant& variant);
  // `kinds`: of the variant's octets.
  void open_containers(FieldList& fields, Variant& variant, std::uint32_t kinds, BodyReader& reader,
                       Work& work);

  std::string buffers_[2];
  ChangedParts parts_;
  std::vector<std::string_view> strings_;
  std::vector<GraphqlString> graphql_;
};

}  // namespace wafd::detect
