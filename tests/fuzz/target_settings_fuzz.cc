// Target objects of any shape: what is accepted is written and read back the same, and a refusal is one
// printable line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <boost/json.hpp>

#include "forward/target/target_settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace json = boost::json;
  json::parse_options options;
  options.max_depth = 16;
  boost::system::error_code ec;
  const json::value value = json::parse({reinterpret_cast<const char*>(data), size}, ec, {}, options);
  if (ec || !value.is_object()) return 0;
  const auto target = wafd::forward::parse_target(value.as_object());
  if (!target) {
    if (target.error().what.empty()) std::abort();
    for (const char c : target.error().what)
      if (c < 32 || c > 126) std::abort();
    return 0;
  }
  const json::object written = to_json(*target, true);
  const auto again = wafd::forward::parse_target(written);
  if (!again || to_json(*again, true) != written) std::abort();
  return 0;
}
