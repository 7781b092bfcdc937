// Names of uploaded files, as servers and file systems take them apart.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect::upload {

enum class ExtensionUse : std::uint8_t {
  kScript,  // a server runs it
  kActive,  // a browser or a desktop does
};
struct Extension {
  std::string_view text;
  ExtensionUse use;
};

enum class NameUse : std::uint8_t {
  kOther,
  kScript,     // a.php
  kDisguised,  // a.php.jpg, a.php;.jpg, a.php::$DATA: some server takes it for a script
  kActive,     // a.html
};
struct FileName {
  NameUse use = NameUse::kOther;
  bool server_file = false;   // .htaccess
  bool session_file = false;  // of PHP: sess_0123456789abcdefghij
};

FileName read_file_name(std::string_view text) noexcept;

}  // namespace wafd::detect::upload
