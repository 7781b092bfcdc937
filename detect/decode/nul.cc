#include "detect/decode/nul.h"

#include <algorithm>

namespace wafd::detect {

bool maybe_nul(std::string_view in) noexcept { return in.find('\0') != std::string_view::npos; }

bool nul_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  if (!maybe_nul(in)) return false;
  out.assign(in);
  out.erase(std::remove(out.begin(), out.end(), '\0'), out.end());
  flags |= kNulByte;
  return true;
}

}  // namespace wafd::detect
