// Paths among the words of a command: where they lead, and which programs they name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::shell {

enum class Path : std::uint8_t {
  kNone,
  kRelative,  // a/b, ./a
  kRooted,    // from the root, a drive, a home folder or upwards: /etc, c:\x, ~/a, ../a, %windir%, hklm\x
  kSecret,    // a file that only who attacks asks for: accounts, keys, histories, what processes were started
              // with
};
Path path_kind(std::string_view word) noexcept;

// Position of the last "/" or "\\", or std::string_view::npos.
std::size_t last_slash(std::string_view word) noexcept;

// /bin/NAME, /usr/local/sbin/NAME, c:\windows\system32\NAME, whatever the name.
bool is_program_path(std::string_view word) noexcept;

// A name that a web server runs: x.php, x.jsp.
bool is_script_name(std::string_view word) noexcept;

// With ? * [..] as shells read them (POSIX.1-2017 XCU 2.13); "*" and "?" match no slash. Time is the product
// of both sizes at worst.
bool glob_match(std::string_view pattern, std::string_view text) noexcept;

// Behind the brackets that begin at pattern[at]; `at`, if nothing closes them.
std::size_t behind_brackets(std::string_view pattern, std::size_t at) noexcept;

// A rooted path of at least one folder that has marks of patterns, as the one below asks for.
bool is_program_pattern(std::string_view pattern) noexcept;

// /???/c?t, /bin/ca[t], /u*/b*/id: a path with such marks, in a folder of programs, that a known command's
// path matches.
bool glob_names_program(std::string_view pattern) noexcept;

}  // namespace wafd::detect::shell
