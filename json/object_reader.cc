#include "console/base/object_reader.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/plain_text.h"

namespace wafd::console {
namespace {

// Text given by a client, made safe to repeat in a message: printable ASCII, 40 bytes at most.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, 40)) out += byte(c) >= 0x20 && byte(c) < 0x7f ? c : '?';
  out += text.size() > 40 ? "…\"" : "\"";
  return out;
}

}  // namespace

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

ObjectReader::ObjectReader(const boost::json::object& object, std::string path)
    : object_(object), path_(std::move(path)) {}

void ObjectReader::wrong(std::string place, std::string_view expected, const boost::json::value* got) {
  if (error_) return;
  std::string text = "nothing";
  if (got != nullptr) {
    text = kind_in_words(*got);
    if (const auto* word = got->if_string()) text = quoted(*word);
    if (const auto* number = got->if_int64()) text = std::to_string(*number);
  }
  error_ = Error{ErrorCode::kInvalid, 0, fmt::format("{}: expected {}, got {}", place, expected, text)};
}

void ObjectReader::refuse(std::string_view name, std::string expected) {
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
  if (there == nullptr || there->is_null()) wrong(place(name), "a value (it is required)", there);
  return *this;
}

ObjectReader& ObjectReader::text(std::string_view name, std::string& out, std::size_t min_bytes,
                                 std::size_t max_bytes) {
  const boost::json::value* there = value(name);
  if (there == nullptr) return *this;
  const boost::json::string* word = there->if_string();
  const std::string expected = min_bytes > 0 ? fmt::format("text of {} to {} bytes", min_bytes, max_bytes)
                                             : fmt::format("text of at most {} bytes", max_bytes);
  if (word == nullptr) {
    wrong(place(name), expected, there);
  } else if (word->size() < min_bytes || word->size() > max_bytes) {
    if (!error_) {
      error_ = Error{ErrorCode::kInvalid, 0,
                     fmt::format("{}: expected {}, got {}", place(name), expected, word->size())};
    }
  } else {
    out.assign(word->data(), word->size());
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
  const std::int64_t* number = there->if_int64();
  if (number == nullptr || *number < min || *number > max) {
    wrong(place(name), fmt::format("a whole number from {} to {}", min, max), there);
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
  if (there == nullptr) return nullptr;
  if (!there->is_object()) wrong(place(name), "an object", there);
  return there->if_object();
}

const boost::json::array* ObjectReader::array(std::string_view name, std::size_t max_items) {
  const boost::json::value* there = value(name);
  if (there == nullptr) return nullptr;
  const boost::json::array* list = there->if_array();
  if (list == nullptr || list->size() > max_items) {
    wrong(place(name), fmt::format("a list of at most {} items", max_items), there);
    return nullptr;
  }
  return list;
}

Result<void> ObjectReader::finish() {
  if (!error_) {
    for (const auto& member : object_) {
      const std::string_view name = member.key();
      if (std::find(read_.begin(), read_.end(), name) == read_.end()) {
        const std::string shown = quoted(name);
        error_ = Error{ErrorCode::kInvalid, 0,
                       fmt::format("{}{}: expected no such member", path_,
                                   std::string_view(shown).substr(1, shown.size() - 2))};
        break;
      }
    }
  }
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace wafd::console
