#include "forward/target/member_reader.h"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace wafd::forward {
namespace {

namespace json = boost::json;

constexpr std::size_t kShown = 60;

// Enough of a value to recognise it, in printable ASCII: error texts go to terminals, logs and pages.
std::string shown(const json::value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return value.as_array().empty() ? "[]" : "a list";
  std::string text = json::serialize(value);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  for (char& c : text)
    if (c < 32 || c > 126) c = '?';
  return text;
}

}  // namespace

std::optional<std::int64_t> as_integer(const json::value& value) {
  if (value.is_int64()) return value.as_int64();
  if (value.is_uint64()) {
    if (value.as_uint64() > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(value.as_uint64());
  }
  if (value.is_double()) {
    const double d = value.as_double();
    if (std::floor(d) == d && std::fabs(d) < 9e15) return static_cast<std::int64_t>(d);
  }
  return std::nullopt;
}

MemberReader::MemberReader(const json::object& object, std::string prefix)
    : object_(object), prefix_(std::move(prefix)) {}

const json::value* MemberReader::take(std::string_view name) {
  known_.push_back(name);
  return failed() ? nullptr : object_.if_contains(name);
}

void MemberReader::fail_with(std::string what) {
  if (!error_) error_ = Error{ErrorCode::kInvalid, 0, std::move(what)};
}

void MemberReader::fail_at(std::string_view name, std::string_view expected, const json::value& got) {
  const bool full = name.starts_with(prefix_);  // callers may pass the whole path
  fail_with(fmt::format("{}{}: expected {}, got {}", full ? "" : prefix_, name, expected, shown(got)));
}

bool MemberReader::boolean(std::string_view name, bool& out) {
  const json::value* v = take(name);
  if (!v) return false;
  if (!v->is_bool()) return fail_at(name, "true or false", *v), false;
  out = v->as_bool();
  return true;
}

bool MemberReader::text(std::string_view name, std::string& out, std::size_t least, std::size_t most,
                        bool required) {
  const json::value* v = take(name);
  if (!v) {
    if (required && !failed()) fail_with(fmt::format("{}{}: required", prefix_, name));
    return false;
  }
  const json::string* s = v->if_string();
  if (!s) return fail_at(name, "a string", *v), false;
  if (s->size() < least || s->size() > most)
    return fail_at(name, fmt::format("a string of {} to {} characters", least, most), *v), false;
  out.assign(s->begin(), s->end());
  return true;
}

std::optional<std::int64_t> MemberReader::number(std::string_view name, std::int64_t least,
                                                 std::int64_t most) {
  const json::value* v = take(name);
  if (!v) return std::nullopt;
  const auto n = as_integer(*v);
  if (!n || *n < least || *n > most) {
    fail_at(name, fmt::format("an integer from {} to {}", least, most), *v);
    return std::nullopt;
  }
  return n;
}

std::optional<std::size_t> MemberReader::pick(std::string_view name,
                                              const std::vector<std::string_view>& names, bool required) {
  const json::value* v = take(name);
  if (!v) {
    if (required && !failed()) fail_with(fmt::format("{}{}: required", prefix_, name));
    return std::nullopt;
  }
  if (const json::string* s = v->if_string()) {
    const auto found = std::find(names.begin(), names.end(), std::string_view(s->data(), s->size()));
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  fail_at(name, fmt::format("one of \"{}\"", fmt::join(names, "\", \"")), *v);
  return std::nullopt;
}

const json::array* MemberReader::array(std::string_view name, std::size_t most) {
  const json::value* v = take(name);
  if (!v) return nullptr;
  const json::array* a = v->if_array();
  if (!a || a->size() > most) return fail_at(name, fmt::format("a list of at most {}", most), *v), nullptr;
  return a;
}

const json::object* MemberReader::object(std::string_view name) {
  const json::value* v = take(name);
  if (!v || v->is_null()) return nullptr;
  const json::object* o = v->if_object();
  if (!o) return fail_at(name, "an object", *v), nullptr;
  return o;
}

void MemberReader::finish() {
  if (failed()) return;
  for (const auto& member : object_) {
    if (std::find(known_.begin(), known_.end(), std::string_view(member.key())) != known_.end()) continue;
    std::string name(member.key().substr(0, kShown));
    for (char& c : name)
      if (c < 32 || c > 126) c = '?';
    return fail_with(fmt::format("{}{}: no such member", prefix_, name));
  }
}

}  // namespace wafd::forward
