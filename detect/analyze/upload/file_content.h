// Parts of an uploaded file's content that a server, or a program that it hands the file to, would run or
// obey.
#pragma once

#include <cstddef>
#include <string_view>

#include "detect/analyze/base/evidence.h"

namespace wafd::detect::upload {

struct ContentFinding {
  std::size_t begin = 0;
  std::size_t end = 0;  // 0: none
  Certainty certainty = Certainty::kCertain;
  std::string_view what;

  explicit operator bool() const noexcept { return end != 0; }
};

// Each says of the content, or of a piece of it, what it finds first. Linear in the text.

// <% … %> of ASP and JSP, <script runat=server> of ASP.NET.
ContentFinding find_page_code(std::string_view text) noexcept;
// <? and <?= of PHP that run a command, call, or read the request; in `media` (an image, sound, video) any
// program.
ContentFinding find_short_tag(std::string_view text, bool media) noexcept;
// Executables of Windows, Linux, macOS, Android and Java by their headers; scripts by "#!" (PE format; System
// V ABI; Mach-O loader.h; JVM specification, 4.1; Dalvik executable format).
ContentFinding find_program(std::string_view text) noexcept;
// Drawing instructions that read files, fetch or run (PostScript, MVG, MSL, coders of ImageMagick). Likely: a
// program that draws, and nothing in it that acts.
ContentFinding find_drawing(std::string_view text) noexcept;
// A list of media (RFC 8216) by which a converter would read files of its own machine.
ContentFinding find_playlist(std::string_view text) noexcept;
// An entry of zip (APPNOTE, 4.3.7) or tar (POSIX, ustar) whose name leaves the folder that it is unpacked to,
// or a link of tar to the accounts of the machine.
ContentFinding find_archive_path(std::string_view text) noexcept;

}  // namespace wafd::detect::upload
