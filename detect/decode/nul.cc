#include "detect/decode/nul.h"

#include <algorithm>
#include <cstring>

namespace wafd::detect {

bool maybe_nul(std::string_view in) noexcept { return std::memchr(in.data(), '\0', in.size()) != nullptr; }

bool nul_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  if (!maybe_nul(in)) return false;
  out.assign(in);
  out.erase(std::remove(out.begin(), out.end(), '\0'), out.end());
  flags |= kNulOctet;
  return true;
}

}  // namespace wafd::detect
