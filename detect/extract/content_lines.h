// Calendars and contacts as fields: content lines (iCalendar, RFC 5545 section 3.1; vCard, RFC 6350 section
// 3.2, and the versions before it), unfolded, with the escapes of text undone.
#pragma once

#include <string_view>

#include "detect/extract/fields.h"

namespace wafd::detect {

// Whether a body of that type, or one that begins so, is to be read here.
bool are_content_lines(std::string_view media_type, std::string_view text) noexcept;

// Adds the value of every property and of every parameter, named as they are, made after `like` (location,
// decode path, outer); the parent of a property is its component, of a parameter its property. Values that
// have a structure (N, ADR, ORG, RRULE) are a field for each part. Names are letters, digits and hyphens and
// no fields. Linear time. False: a line is no content line, and nothing was added.
bool read_content_lines(std::string_view text, const Field& like, FieldList& out);

}  // namespace wafd::detect
