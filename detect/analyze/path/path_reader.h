// Reads text as a file path the way servers resolve it: both slashes, dot segments in all their spellings,
// NUL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wafd::detect {

struct PathReading {
  std::size_t ups = 0;     // ".." segments, disguised ones included
  std::size_t escape = 0;  // how far above its start the path goes at its highest
  bool disguised = false;  // "..;/", "....//", ". ./", "%2e" left over: only a filter needs that
  bool backslash = false;
  bool nul_suffix = false;  // NUL before a file extension
  std::string
      target;  // what is left, lower case, with '/' and without dot segments; begins with '/' if absolute
};

// `path` is one path, without white space around it; at most 4096 octets of it are read.
PathReading read_path(std::string_view path);

// Cheap: some segment of `path` is one that the path of a sensitive file begins with.
bool may_be_sensitive(std::string_view path) noexcept;

// A file that an application never serves and that attackers ask for first: by its path (target of
// read_path), or by its last part (".ssh/id_rsa", "web-inf/web.xml"). `rooted`: the place in the tree is
// known.
bool sensitive_file(std::string_view target, bool rooted);

// Named as files are that hold settings or a shell's history: .env, .bashrc, php.ini.
bool is_settings_file(std::string_view target) noexcept;

}  // namespace wafd::detect
