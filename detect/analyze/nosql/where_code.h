// JavaScript that goes on behind the value of a condition ($where, $function of MongoDB, views of CouchDB):
//   ' || this.password.match(/^a/) || '    1; return true    do{…}while(…)
#pragma once

#include <string_view>

#include "detect/analyze/base/evidence.h"

namespace wafd::detect::nosql {

// Behind a closed quote and behind a constant at the beginning; a condition on the stored document, or a loop
// that waits, as a whole. Linear time.
void find_where_code(std::string_view text, std::uint8_t behind_quote, std::uint8_t whole, EvidenceList& out);

}  // namespace wafd::detect::nosql
