// Comma-separated values as fields (RFC 4180): every cell, named by the cell of the first record above it.
#pragma once

#include <string_view>

#include "detect/extract/fields.h"

namespace wafd::detect {

// Whether a body of that type is to be read here.
bool is_csv(std::string_view media_type) noexcept;

// Adds every cell but numbers and single words of letters and digits, made after `like` (location, decode
// path, outer). Where the first record has no comma, semicolons or tabs part the cells, as spreadsheets write
// them. Behind 32,768 cells the rest is one field. Linear time. False: a quote is never closed, and nothing
// was added.
bool read_csv(std::string_view text, const Field& like, FieldList& out);

}  // namespace wafd::detect
