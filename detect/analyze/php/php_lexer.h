// PHP tokens (language reference, "Lexical structure") from any octets, tag or no tag.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <vector>

namespace wafd::detect {

enum class PhpKind : std::uint8_t { kWord, kVariable, kString, kNumber, kPunct };

struct PhpToken {
  PhpKind kind = PhpKind::kPunct;
  char punct = 0;             // octet of a kPunct
  bool space_before = false;  // white space or a comment stands before it
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view text;  // words; variables without '$'; strings without quotes, as written; else as written
};

inline constexpr std::size_t kMaxPhpTokens = 16384;

// Tokens of `code`, comments skipped (//, #, /* */). A quote without its fellow is a kPunct.
void read_php(std::string_view code, std::pmr::vector<PhpToken>& out);

}  // namespace wafd::detect
