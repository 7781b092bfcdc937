// Plus signs of a form that may be plus signs: most applications read them as spaces, and scripts that read a
// query by themselves leave them as they are.
#pragma once

#include <string>
#include <string_view>

namespace wafd::detect {

// Of `text`, whose other escapes are undone, what has to be judged with its plus signs as they stand: all of
// a short text (kWholeBytes) with a sum in it, of a longer one the parts around its sums. Empty: between
// words a plus is a space all the same. Beside a quote, a bracket or another sign it may add to a string or
// to what a call gives; in a text that writes the spaces of a sentence so, only where an operand ends before
// it and one begins behind it, one of them a string. A view of `text`, or of `joined`. Linear time.
std::string_view parts_with_sums(std::string_view text, std::string& joined);

}  // namespace wafd::detect
