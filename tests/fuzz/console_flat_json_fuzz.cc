// Whatever a full JSON reader takes as a flat object, the walker reads too: the same names, and the same
// texts.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "console/events/flat_json.h"

namespace {

// Of JSON that is one: an object of scalars and of lists of scalars. Members that are given again are looked
// at too, which a parsed object does not show.
bool is_flat(std::string_view json) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if ((c == '{' && depth > 0) || (c == '[' && depth != 1)) return false;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
  }
  return true;
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
  const bool judge = !error && whole.is_object() && is_flat(text);
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
