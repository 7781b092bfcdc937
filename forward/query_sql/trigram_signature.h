// Which three bytes stand in a row in some texts, as the bits of a Bloom filter: where one of a word's is
// missing, none of the texts holds the word. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wafd::forward {

// Upper and lower case are the same. Of what is stored this is the format: another hash, other bits or other
// texts need a column of their own (forward/io/postgres/migrations).
class TrigramSignature {
 public:
  static constexpr std::size_t kBits = 1024;

  // Of a text below three bytes nothing.
  void add(std::string_view text) noexcept;
  bool empty() const noexcept;
  // `x` and hex digits, as PostgreSQL reads a value of bit(1024).
  void append_to(std::string& out) const;
  std::string text() const;

 private:
  std::array<char, kBits> has_{};  // a byte a bit, which is written without being read
};

}  // namespace wafd::forward
