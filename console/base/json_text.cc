#include "console/base/json_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace wafd::console {
namespace {

// Depth is that of our own values: settings, never input as it came.
void append(const boost::json::value& value, std::size_t depth, std::string& out) {
  const std::string inner(2 * (depth + 1), ' ');
  const std::string outer(2 * depth, ' ');
  if (const auto* object = value.if_object(); object != nullptr && !object->empty()) {
    out += "{\n";
    std::size_t left = object->size();
    for (const auto& member : *object) {
      out += inner + boost::json::serialize(boost::json::value(member.key())) + ": ";
      append(member.value(), depth + 1, out);
      out += --left > 0 ? ",\n" : "\n";
    }
    out += outer + "}";
  } else if (const auto* list = value.if_array(); list != nullptr && !list->empty()) {
    out += "[\n";
    std::size_t left = list->size();
    for (const auto& item : *list) {
      out += inner;
      append(item, depth + 1, out);
      out += --left > 0 ? ",\n" : "\n";
    }
    out += outer + "]";
  } else {
    out += boost::json::serialize(value);
  }
}

// A double as JSON: what is no number is null.
std::string number_text(double number) {
  if (!std::isfinite(number)) return "null";
  if (std::abs(number) >= 1e15) return fmt::format("{:.0f}", number);
  std::string text = fmt::format("{:.3f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

void append_line(const boost::json::value& value, std::string& out) {
  if (const auto* object = value.if_object()) {
    out += '{';
    bool first = true;
    for (const auto& member : *object) {
      if (!first) out += ',';
      first = false;
      out += boost::json::serialize(member.key());
      out += ':';
      append_line(member.value(), out);
    }
    out += '}';
  } else if (const auto* list = value.if_array()) {
    out += '[';
    bool first = true;
    for (const auto& item : *list) {
      if (!first) out += ',';
      first = false;
      append_line(item, out);
    }
    out += ']';
  } else if (const double* number = value.if_double()) {
    out += number_text(*number);
  } else {
    out += boost::json::serialize(value);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void tell(char sign, std::string_view line, std::string& out) {
  out += sign;
  out += ' ';
  out += line;
  out += '\n';
}

}  // namespace

std::string_view text_member(const boost::json::object& from, std::string_view name) noexcept {
  const boost::json::value* found = from.if_contains(name);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string()) : std::string_view();
}

std::string json_line(const boost::json::value& value) {
  std::string out;
  append_line(value, out);
  return out;
}

std::string indented_json(const boost::json::value& value) {
  std::string out;
  append(value, 0, out);
  out += '\n';
  return out;
}

std::string differing_lines(std::string_view text_a, std::string_view text_b) {
  constexpr std::size_t kMaxLines = 5000;
  const std::vector<std::string_view> a = lines_of(text_a);
  const std::vector<std::string_view> b = lines_of(text_b);
  std::string out;
  if (a.size() > kMaxLines || b.size() > kMaxLines) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i < a.size() && i < b.size() && a[i] == b[i]) continue;
      if (i < a.size()) tell('-', a[i], out);
      if (i < b.size()) tell('+', b[i], out);
    }
    return out;
  }
  // common[i][j]: length of the longest common subsequence of a from i on and b from j on.
  const std::size_t width = b.size() + 1;
  std::vector<std::uint16_t> common((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i * width + j] = a[i] == b[j] ? static_cast<std::uint16_t>(common[(i + 1) * width + j + 1] + 1)
                                           : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      tell('-', a[i++], out);
    } else {
      tell('+', b[j++], out);
    }
  }
  return out;
}

}  // namespace wafd::console
