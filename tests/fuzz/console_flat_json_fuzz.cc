// Whatever a full JSON reader takes as a flat object, the walker reads too: the same names, and the same
// texts.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "console/events/flat_json.h"

namespace {

bool is_scalar(const boost::json::value& value) { return !value.is_object() && !value.is_array(); }

bool is_flat(const boost::json::object& object) {
  return std::all_of(object.begin(), object.end(), [](const auto& member) {
    const boost::json::array* list = member.value().if_array();
    return is_scalar(member.value()) ||
           (list != nullptr && std::all_of(list->begin(), list->end(), is_scalar));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  boost::system::error_code error;
  const boost::json::value whole = boost::json::parse({text.data(), text.size()}, error);
  wafd::console::FlatJson walker(text);
  std::string_view name;
  std::string_view value;
  std::size_t members = 0;
  std::size_t different = 0;
  const bool judge = !error && whole.is_object() && is_flat(whole.get_object());
  while (walker.next(name, value)) {
    ++members;
    const std::string plain = wafd::console::plain_text(value);
    if (!judge) continue;
    const std::string key = wafd::console::plain_text('"' + std::string(name) + '"');
    const boost::json::value* twin = whole.get_object().if_contains(key);
    if (twin == nullptr) std::abort();
    if (twin->is_string() && value.front() == '"' && std::string_view(twin->get_string()) != plain)
      ++different;
  }
  // Of members given twice the full reader keeps one, so texts may differ only where some are.
  if (judge && different > 0 && members == whole.get_object().size()) std::abort();
  if (judge && (!walker.sound() || members < whole.get_object().size())) std::abort();
  return 0;
}
