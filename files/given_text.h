// Texts of settings that may stand in a file: PEM and secrets, given as they are or as file:/PATH. Read when
// they are asked for, so that a file may be replaced while the daemon runs. Any thread. Errors begin with the
// member.
#pragma once

#include <string>
#include <string_view>

#include "detect/core/error.h"

namespace wafd {

inline constexpr std::string_view kFilePrefix = "file:";

// Whether `given` names a file; everything else is the text itself.
inline bool names_file(std::string_view given) noexcept { return given.starts_with("file:/"); }
// The path that it names then.
inline std::string file_named_by(const std::string& given) { return given.substr(kFilePrefix.size()); }

// PEM: a regular file of 1 byte to 1 MiB.
Result<std::string> read_pem(std::string_view member, const std::string& given);
Result<std::string> read_pem_file(std::string_view member, const std::string& path);

// A password or key: the file's one line, at most 4096 bytes, without line ends behind it (editors and `echo`
// leave one). A file of several lines is refused: which of them was meant is not guessed.
Result<std::string> read_secret(std::string_view member, const std::string& given);

}  // namespace wafd
