#include "detect/core/rule_id.h"

#include <cstdint>

namespace wafd::detect {
namespace {

constexpr std::uint64_t kFnvOffset = 14695981039346656037ull;
constexpr std::uint64_t kFnvPrime = 1099511628211ull;

std::uint64_t fnv_step(std::uint64_t digest, char c) noexcept {
  return (digest ^ static_cast<unsigned char>(c)) * kFnvPrime;
}

// FNV-1a leaves similar keys with similar upper digits; the mixer spreads them.
std::uint64_t mix(std::uint64_t value) noexcept {
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdull;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return value ^ (value >> 33);
}

void append_hex(std::uint64_t value, std::string& out) {
  for (int shift = 60; shift >= 0; shift -= 4) out.push_back("0123456789abcdef"[(value >> shift) & 15u]);
}

}  // namespace

std::string rule_id(std::string_view module, std::string_view key) {
  std::string out(module);
  out.push_back('/');
  const std::size_t head = out.size();
  out.append(key);
  std::uint64_t forward = kFnvOffset;
  for (const char c : out) forward = fnv_step(forward, c);
  std::uint64_t backward = kFnvOffset;
  for (std::size_t i = out.size(); i > 0; --i) backward = fnv_step(backward, out[i - 1]);
  out.resize(head);
  append_hex(mix(forward), out);
  append_hex(mix(backward), out);
  return out;
}

}  // namespace wafd::detect
