// Operands of XPath (W3C XPath 1.0 section 3): paths and calls, in a text that may begin and end anywhere in
// an expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::xml {

// How much of an operand is of XPath alone.
enum class Operand : std::uint8_t {
  kNone,       // no operand, or one that the grammar does not allow to go on so
  kAmbiguous,  // other languages and prose have such, too: contains(a,'b'), /a/b
  kNodes,      // it is about nodes of a document
};
struct OperandEnd {
  Operand kind = Operand::kNone;
  std::size_t end = 0;
};

// At `at`, where no white space stands. Reads at most kMaxOperandBytes.
OperandEnd read_operand(std::string_view text, std::size_t at) noexcept;
inline constexpr std::size_t kMaxOperandBytes = 96;

// A path alone: its end, or `at`. kNodes: from anywhere in the document, with a predicate, an axis or a test.
OperandEnd read_path(std::string_view text, std::size_t at) noexcept;

bool is_axis(std::string_view name) noexcept;
// A name with its hyphens at `at`, perhaps empty.
std::string_view xpath_name_at(std::string_view text, std::size_t at) noexcept;

}  // namespace wafd::detect::xml
