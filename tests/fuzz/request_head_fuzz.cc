// Any bytes give a head whose views lie inside them, in order, and without line ends; parsing again gives
// the same.
#include <cstdlib>

#include "detect/core/request_head.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static wafd::RequestHead head;
  head.parse(text);
  for (const std::string_view part :
       {head.request_line, head.method, head.target, head.path, head.query, head.version, head.host()}) {
    require(inside(part, text) && part.find('\n') == std::string_view::npos);
  }
  require(inside(head.path, head.target) && inside(head.query, head.target));
  require(head.fields.size() <= wafd::kMaxHeaderFields || (head.flags & wafd::kHeadTooManyFields) != 0);
  const char* at = head.request_line.data() + head.request_line.size();
  for (const wafd::HeaderField& field : head.fields) {
    require(inside(field.name, text) && inside(field.value, text));
    require(field.name.find('\n') == std::string_view::npos &&
            field.value.find('\n') == std::string_view::npos);
    require(field.name.empty() || field.name.data() >= at);
    if (!field.value.empty()) at = field.value.data() + field.value.size();
  }
  wafd::RequestHead again;
  again.parse(text);
  require(again.flags == head.flags && again.fields.size() == head.fields.size());
  return 0;
}
