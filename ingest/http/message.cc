#include "ingest/http/message.h"

#include "detect/core/bytes.h"

namespace wafd::http {

std::string_view value_of(const Fields& fields, std::string_view name) noexcept {
  for (const auto& [n, v] : fields) {
    if (iequals(n, name)) return v;
  }
  return {};
}

std::size_t count_of(const Fields& fields, std::string_view name) noexcept {
  std::size_t count = 0;
  for (const auto& field : fields) count += iequals(field.first, name) ? 1 : 0;
  return count;
}

}  // namespace wafd::http
