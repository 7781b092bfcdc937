// Settings that are accepted, written and read again are the same settings.
#include <cstdint>
#include <cstdlib>

#include <boost/json/serialize.hpp>

#include "console/settings/store.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto settings =
      wafd::console::parse_settings(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!settings) return 0;
  const std::string text = boost::json::serialize(wafd::console::to_json(*settings, true));
  const auto again = wafd::console::parse_settings(text);
  if (!again) std::abort();
  if (boost::json::serialize(wafd::console::to_json(*again, true)) != text) std::abort();
  return 0;
}
