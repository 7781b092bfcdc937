#include "console/oidc/claims.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace wafd::console {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxTexts = 1000;

}  // namespace

std::optional<json::object> json_object(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse({text.data(), text.size()}, error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

std::string claim_text(const json::object& claims, std::string_view name) {
  const json::value* there = claims.if_contains(name);
  const json::string* text = there == nullptr ? nullptr : there->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

std::vector<std::string> claim_texts(const json::object& claims, std::string_view name) {
  const json::value* there = claims.if_contains(name);
  json::value whole;
  if (there == nullptr && name.starts_with('/')) {
    boost::system::error_code error;
    whole = claims;
    there = whole.find_pointer({name.data(), name.size()}, error);
  }
  std::vector<std::string> out;
  if (there == nullptr) return out;
  if (const json::string* one = there->if_string()) out.emplace_back(one->data(), one->size());
  if (const json::array* list = there->if_array())
    for (const json::value& item : *list)
      if (const json::string* text = item.if_string(); text != nullptr && out.size() < kMaxTexts)
        out.emplace_back(text->data(), text->size());
  return out;
}

}  // namespace wafd::console
