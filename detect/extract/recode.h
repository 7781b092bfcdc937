// Fields in the encoding that a request declares: what an application reads that believes it.
#pragma once

#include <cstddef>

#include "detect/decode/charset/charset.h"
#include "detect/extract/fields.h"

namespace wafd::detect {

// The next charset parameter of a media type from `from` on, which is moved behind it; at the end of the
// value there is none.
Charset declared_charset(std::string_view content_type, std::size_t& from) noexcept;

// Appends each of the fields from `begin` to `end` once more, as `charset` reads its bytes behind the
// place's own decoding; an unknown one marks them as uninspected. What the list cannot hold is left out,
// which marks the limit: the fields themselves are there.
void add_recoded(FieldList& fields, std::size_t begin, std::size_t end, Charset charset);

// The same with the encoding that a field called "_charset_" names (RFC 7578 section 4.6), if there is one.
void add_as_charset_field_says(FieldList& fields, std::size_t begin);

}  // namespace wafd::detect
