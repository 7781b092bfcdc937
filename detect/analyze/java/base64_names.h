// A class name inside of a longer base64 text shows in three ways, by how many bytes stand before it (RFC
// 4648). Whole values at the first alignment are decoded before; these are the pieces that begin elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect::java {

struct HiddenName {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view name;  // as Java writes it; empty: there is none
};

// The first name of a class of chains, or of one that starts processes, in base64 anywhere in the text.
// Linear.
HiddenName base64_name(std::string_view text) noexcept;

// The text is nothing but base64 of "runtime", at any alignment: a probe for filters of class names.
bool is_base64_runtime(std::string_view text) noexcept;

// One of them, letters without case, is in every text in which there is something to find; in lower case.
std::vector<std::string> base64_literals();

}  // namespace wafd::detect::java
