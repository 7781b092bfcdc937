// URLs of webhooks and sign-in providers: what is taken apart and put together again is the same place.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "forward/notify/web_address.h"
#include "forward/target/target_settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafd::forward;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto address = parse_web_address(text);
  if (!address) return 0;
  if (!valid_host(address->host) || address->port == 0 || !address->path.starts_with('/')) std::abort();
  for (const char c : address->path)
    if (c <= 0x20 || c >= 0x7f || c == '#') std::abort();
  // Nobody's user name, and nothing that another reader would take for the host.
  if (address->host.find_first_of("@/\\?#") != std::string::npos) std::abort();
  const auto again = parse_web_address(address->origin() + address->path);
  if (!again || again->host != address->host || again->port != address->port ||
      again->encrypted != address->encrypted || again->path != address->path)
    std::abort();
  return 0;
}
