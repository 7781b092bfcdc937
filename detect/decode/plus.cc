#include "detect/decode/plus.h"

namespace wafd::detect {

bool maybe_plus(std::string_view in) noexcept { return in.find('+') != std::string_view::npos; }

bool plus_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  if (!maybe_plus(in)) return false;
  out.assign(in);
  for (char& c : out) c = c == '+' ? ' ' : c;
  return true;
}

}  // namespace wafd::detect
