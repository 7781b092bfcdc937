// Chunked framing (RFC 9112 section 7.1) that was left in a body.
#pragma once

#include <string>
#include <string_view>

namespace wafd::detect {

// Replaces `out` with the data of the chunks. False unless at least one chunk is whole and every one before
// the end of `in` is framed as the grammar says; a last one may be cut short. What follows the last chunk is
// left out.
bool chunked_decode(std::string_view in, std::string& out);

}  // namespace wafd::detect
