#include "json/object_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/plain_text.h"

namespace wafd {
namespace {

// Text given by a client, made safe to repeat in a message: printable ASCII, 40 bytes at most.
std::string quoted(std::string_view text) {
  return "\"" + printable_ascii(text, 40) + (text.size() > 40 ? "…\"" : "\"");
}

constexpr std::size_t kShownBytes = 60;

// Enough of a value to recognise it, in printable ASCII: error texts go to terminals, logs and pages.
std::string excerpt(const boost::json::value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return value.as_array().empty() ? "[]" : "a list";
  std::string text = boost::json::serialize(value);
  if (text.size() > kShownBytes) text.replace(kShownBytes, std::string::npos, "...");
  return printable_ascii(text);
}

std::string_view kind_in_words(const boost::json::value& value) noexcept {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "true or false";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_:
      return "a number";
    case boost::json::kind::string:
      return "text";
    case boost::json::kind::array:
      return "a list";
    case boost::json::kind::object:
      return "an object";
  }
  return "something else";
}

}  // namespace

std::optional<std::int64_t> as_integer(const boost::json::value& value) {
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

ObjectReader::ObjectReader(const boost::json::object& object, std::string path, Wording wording)
    : object_(object), path_(std::move(path)), wording_(wording) {}

std::string ObjectReader::shown(const boost::json::value* got) const {
  if (got == nullptr) return "nothing";
  if (wording_ == Wording::kTarget) return excerpt(*got);
  if (const auto* word = got->if_string()) return quoted(*word);
  if (const auto* number = got->if_int64()) return std::to_string(*number);
  return std::string(kind_in_words(*got));
}

void ObjectReader::wrong(std::string place, std::string_view expected, const boost::json::value* got) {
  if (!error_) fail_with(fmt::format("{}: expected {}, got {}", place, expected, shown(got)));
}

void ObjectReader::refuse(std::string_view name, std::string_view expected, const boost::json::value& got) {
  wrong(place(name), expected, &got);
}

void ObjectReader::refuse(std::string_view name, const std::string& expected) {
  wrong(place(name), expected, object_.if_contains(name));
}

void ObjectReader::fail_with(Error error) {
  if (!error_) error_ = std::move(error);
}

const boost::json::value* ObjectReader::value(std::string_view name) {
  read_.push_back(name);
  return error_ ? nullptr : object_.if_contains(name);
}

ObjectReader& ObjectReader::ignore(std::string_view name) {
  read_.push_back(name);
  return *this;
}

ObjectReader& ObjectReader::require(std::string_view name) {
  const boost::json::value* there = object_.if_contains(name);
  if (wording_ == Wording::kTarget) {
    if (there == nullptr && ok()) fail_with(place(name) + ": required");
  } else if (there == nullptr || there->is_null()) {
    wrong(place(name), "a value (it is required)", there);
  }
  return *this;
}

ObjectReader& ObjectReader::text(std::string_view name, std::string& out, std::size_t min_bytes,
                                 std::size_t max_bytes) {
  const boost::json::value* there = value(name);
  if (there == nullptr) return *this;
  const boost::json::string* word = there->if_string();
  const bool fits = word != nullptr && word->size() >= min_bytes && word->size() <= max_bytes;
  if (fits) {
    out.assign(word->data(), word->size());
  } else if (wording_ == Wording::kTarget) {
    wrong(place(name),
          word == nullptr ? "a string" : fmt::format("a string of {} to {} characters", min_bytes, max_bytes),
          there);
  } else {
    const std::string expected = min_bytes > 0 ? fmt::format("text of {} to {} bytes", min_bytes, max_bytes)
                                               : fmt::format("text of at most {} bytes", max_bytes);
    if (word == nullptr) return wrong(place(name), expected, there), *this;
    fail_with(fmt::format("{}: expected {}, got {}", place(name), expected, word->size()));
  }
  return *this;
}

ObjectReader& ObjectReader::plain(std::string_view name, std::string& out, std::size_t min_bytes,
                                  std::size_t max_bytes, bool lines) {
  text(name, out, min_bytes, max_bytes);
  if (ok() && !is_plain_text(out, lines))
    refuse(name, "text without control characters and without such that change its direction");
  return *this;
}

ObjectReader& ObjectReader::boolean(std::string_view name, bool& out) {
  const boost::json::value* there = value(name);
  if (there == nullptr) return *this;
  if (const bool* flag = there->if_bool()) {
    out = *flag;
  } else {
    wrong(place(name), "true or false", there);
  }
  return *this;
}

ObjectReader& ObjectReader::integer(std::string_view name, std::int64_t& out, std::int64_t min,
                                    std::int64_t max) {
  const boost::json::value* there = value(name);
  if (there == nullptr) return *this;
  const bool target = wording_ == Wording::kTarget;
  const auto number = target || there->is_int64() ? as_integer(*there) : std::nullopt;
  if (!number || *number < min || *number > max) {
    wrong(place(name), fmt::format("{} from {} to {}", target ? "an integer" : "a whole number", min, max),
          there);
  } else {
    out = *number;
  }
  return *this;
}

ObjectReader& ObjectReader::texts(std::string_view name, std::vector<std::string>& out, std::size_t max_items,
                                  std::size_t min_bytes, std::size_t max_bytes) {
  const boost::json::array* list = array(name, max_items);
  if (list == nullptr) return *this;
  std::vector<std::string> items;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const boost::json::string* word = (*list)[i].if_string();
    if (word == nullptr || word->size() < min_bytes || word->size() > max_bytes) {
      wrong(fmt::format("{}[{}]", place(name), i),
            fmt::format("text of {} to {} bytes", min_bytes, max_bytes), &(*list)[i]);
      return *this;
    }
    items.emplace_back(word->data(), word->size());
  }
  out = std::move(items);
  return *this;
}

const boost::json::object* ObjectReader::object(std::string_view name) {
  const boost::json::value* there = value(name);
  if (there == nullptr || (wording_ == Wording::kTarget && there->is_null())) return nullptr;
  if (!there->is_object()) wrong(place(name), "an object", there);
  return there->if_object();
}

const boost::json::array* ObjectReader::array(std::string_view name, std::size_t max_items) {
  const boost::json::value* there = value(name);
  if (there == nullptr) return nullptr;
  const boost::json::array* list = there->if_array();
  if (list == nullptr || list->size() > max_items) {
    wrong(place(name),
          fmt::format("a list of at most {}{}", max_items, wording_ == Wording::kTarget ? "" : " items"),
          there);
    return nullptr;
  }
  return list;
}

Result<void> ObjectReader::finish() {
  for (const auto& member : object_) {
    if (error_) break;
    const std::string_view name = member.key();
    if (std::find(read_.begin(), read_.end(), name) != read_.end()) continue;
    if (wording_ == Wording::kTarget) {
      fail_with(place(printable_ascii(name, kShownBytes)) + ": no such member");
    } else {
      const std::string known = quoted(name);
      fail_with(place(std::string_view(known).substr(1, known.size() - 2)) + ": expected no such member");
    }
  }
  if (error_) return tl::unexpected(*error_);
  return {};
}

void ObjectReader::finish_into(ObjectReader& outer) {
  if (auto good = finish(); !good) outer.fail_with(std::move(good.error()));
}

}  // namespace wafd
