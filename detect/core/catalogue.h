// Catalogues of translations: a line for each text, the English one, a tab, the translated one. What is put
// in stands as {} in both, where the order differs as {0}, {1} in the translated one. # begins a comment.
#pragma once

#include <map>
#include <string_view>

namespace wafd {

// Views on `text`. A line without a tab is left out; of two for one English text the first counts.
std::map<std::string_view, std::string_view> read_catalogue(std::string_view text);

}  // namespace wafd
