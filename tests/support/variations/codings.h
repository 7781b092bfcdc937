// The encodings that clients and attackers use for values: the encoders that the engine's decoders undo, and
// the few decoders that taking a request apart needs. Written on their own, so that engine and variations
// cannot share a mistake.
#pragma once

#include <string>
#include <string_view>

namespace wafd::variations {

bool is_utf8(std::string_view text);

// %HH for every byte but letters, digits and `keep`.
std::string percent_encode(std::string_view text, std::string_view keep);
std::string percent_encode_all(std::string_view text, bool lower_case);
std::string percent_decode(std::string_view text, bool plus);
// %uHHHH for ASCII that is no letter or digit, %HH for other bytes (IIS, classic ASP's escape()).
std::string percent_u(std::string_view text);
// Two-byte overlong UTF-8 (%C0%AF) for ASCII that is no letter, digit or space.
std::string overlong(std::string_view text);

std::string json_escape(std::string_view text);      // what must be escaped
std::string json_escape_all(std::string_view text);  // \u escapes for all of ASCII
std::string json_decode(std::string_view text);

std::string xml_escape(std::string_view text);  // what must be escaped
std::string xml_references(std::string_view text, bool hex,
                           bool all);  // &#..; for all ASCII, or no letters and digits
std::string xml_decode(std::string_view text);

std::string base64(std::string_view text, bool url_safe);
std::string gzip(std::string_view text);

}  // namespace wafd::variations
