// The properties of a Content-Type that decide how a body is read.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect {

enum class BodyType : std::uint8_t { kForm, kMultipart, kJson, kXml, kMail, kOther, kNone };

// Of a header's value the part before the parameters (RFC 9110 section 8.3.1), without blanks around it:
// "text/csv" of "text/csv; header=present".
std::string_view media_type_of(std::string_view content_type) noexcept;
// Of the header's value; kNone: it is empty. Applications take types that only hold these words for them.
BodyType declared_type(std::string_view value) noexcept;
// text/plain, as Engine.IO polls; what has no type may be read as a form.
bool is_plain_text_type(std::string_view value) noexcept;
// Text that people write for people (RFC 7763 and its like): Markdown, AsciiDoc, reStructuredText.
bool is_prose(std::string_view value) noexcept;
// Whether PUT stores such a body as the file that the path names (WebDAV, RFC 4918, 9.7; file managers;
// stores of objects): a text of several lines whose name ends as texts, pages and sources do that people
// keep. A program that a server runs is none, nor is what stands behind one in the path or in cgi-bin.
bool is_stored_file(std::string_view method, std::string_view path, std::string_view body) noexcept;

}  // namespace wafd::detect
