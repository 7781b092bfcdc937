// Short values that are nothing but a piece of a query: a name of a catalogue, an operator, quotes and signs.
#pragma once

#include <string_view>

#include "detect/analyze/base/evidence.h"

namespace wafd::detect::sql {

// Words with which a query goes on behind a quote that a value closes, beside what joins conditions.
inline constexpr std::string_view kBehindQuote[]{
    "union",     "insert", "update", "delete",  "drop",  "create",  "alter",  "having",  "truncate",
    "intersect", "except", "exec",   "execute", "grant", "declare", "revoke", "waitfor", "merge"};

// `text` is the whole value, or a name.
void read_piece(std::string_view text, bool in_name, EvidenceList& out);

}  // namespace wafd::detect::sql
