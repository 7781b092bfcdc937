// YAML as fields (YAML 1.2.2, chapters 5 to 8): every key and every scalar as a parser would hand it on,
// plain, quoted or of a block, folded and unescaped.
#pragma once

#include <string_view>

#include "detect/extract/fields.h"

namespace wafd::detect {

// Whether a body of that type is to be read here (RFC 9512, and the names from before it).
bool is_yaml(std::string_view media_type) noexcept;

// Adds keys and scalars but numbers, made after `like` (location, decode path, outer). `name` is the key of a
// value, `parent` the key of the mapping that it stands in. Documents may follow one another. Linear time.
// False: what was read is in `out`, and the text is to be judged as it stands, too, because it breaks, has
// line ends that not all parsers know, or has tags (which name types that a parser makes).
bool read_yaml(std::string_view text, const Field& like, FieldList& out);

}  // namespace wafd::detect
