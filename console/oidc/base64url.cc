#include "console/oidc/base64url.h"

#include <algorithm>

#include "console/base/secrets.h"
#include "detect/core/bytes.h"
#include "forward/notify/digests.h"

namespace wafd::console {

std::string base64url(std::string_view bytes) {
  std::string out = forward::base64(bytes);
  out.erase(std::min(out.find('='), out.size()));
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

std::optional<std::string> decode_base64url(std::string_view text) {
  const bool sound =
      std::all_of(text.begin(), text.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_'; });
  if (!sound) return std::nullopt;
  std::string padded(text);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  padded.append((4 - padded.size() % 4) % 4, '=');
  std::string out;
  if (!decode_base64(padded, out)) return std::nullopt;
  return out;
}

}  // namespace wafd::console
