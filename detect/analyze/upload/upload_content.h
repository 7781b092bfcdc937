// What in the content of an uploaded file a server, or a program that it hands the file to, would run or
// obey.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect {

enum class UploadSign {
  kNone,
  kPageCode,     // <% … %> of ASP and JSP, <script runat=server>
  kShortTag,     // <?= … of PHP that runs a command, calls, or reads the request
  kProgram,      // the first octets are those of a program; only asked about files that say they are media
  kDrawing,      // drawing instructions that read files, fetch or run (PostScript, MVG, MSL, coders of
                 // ImageMagick)
  kArchivePath,  // an entry of an archive whose name leaves the folder that it is unpacked to
};

struct UploadFinding {
  UploadSign sign = UploadSign::kNone;
  std::size_t begin = 0;
  std::size_t end = 0;
  const char* reason = nullptr;
};

// Each says of the content, or of a piece of it, what it finds first. Linear in the text.
UploadFinding find_page_code(std::string_view text) noexcept;
UploadFinding find_short_tag(std::string_view text) noexcept;
// Executables of Windows, Linux, macOS, Android and Java by their headers; scripts by "#!" (PE format; System
// V ABI; Mach-O loader.h; JVM specification, 4.1; Dalvik executable format).
UploadFinding find_program(std::string_view text) noexcept;
// `media`: the file says that it is an image or the like.
UploadFinding find_drawing(std::string_view text, bool media) noexcept;
// Names of zip (APPNOTE, 4.3.7) and tar (POSIX, ustar) entries.
UploadFinding find_archive_path(std::string_view text) noexcept;

}  // namespace wafd::detect
