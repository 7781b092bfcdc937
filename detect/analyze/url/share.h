// Network shares and devices of Windows ("UNC paths", "Naming Files, Paths, and Namespaces").
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect::url {

enum class ShareKind : std::uint8_t {
  kNone,
  kNetwork,  // \\server\folder, as people name their own
  kForeign,  // on a machine elsewhere, or one that Windows has of itself: to connect is to log in
  kDevice,   // \\.\pipe\x, \\?\UNC\a\b: what checks of paths do not see
};

// Of a value that is one, its backslashes perhaps escaped by more.
ShareKind read_share(std::string_view text) noexcept;

}  // namespace wafd::detect::url
