// Fields in the encoding that a request declares: what an application reads that believes it.
#pragma once

#include <cstddef>

#include "detect/decode/charset.h"
#include "detect/extract/fields.h"

namespace wafd::detect {

// The charset parameter of a media type.
Charset declared_charset(std::string_view content_type) noexcept;

// Appends each of the fields from `begin` once more, as `charset` reads its octets behind the place's own
// decoding. What the list cannot hold is left out, which marks the limit: the fields themselves are there.
void add_recoded(FieldList& fields, std::size_t begin, Charset charset);

// The same with the encoding that a field called "_charset_" names (RFC 7578 section 4.6), if there is one.
void add_as_charset_field_says(FieldList& fields, std::size_t begin);

}  // namespace wafd::detect
