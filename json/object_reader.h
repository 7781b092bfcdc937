// Reads a JSON object member by member; the first thing that is wrong is kept as an error that names the
// member.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/error.h"

namespace wafd::console {

// Absent members leave the value as it was. Errors read "hosts[2]: expected text of 1 to 255 bytes, got a
// number". After the first error, further calls do nothing.
class ObjectReader {
 public:
  // `path` is put before each member's name ("mask."). `object` must outlive the reader.
  explicit ObjectReader(const boost::json::object& object, std::string path = {});

  ObjectReader& ignore(std::string_view name);  // a member that may be there and says nothing here
  ObjectReader& text(std::string_view name, std::string& out, std::size_t min_bytes, std::size_t max_bytes);
  // A name or a remark: text without control characters and without such that turn its direction. `lines`: of
  // several lines.
  ObjectReader& plain(std::string_view name, std::string& out, std::size_t min_bytes, std::size_t max_bytes,
                      bool lines = false);
  ObjectReader& boolean(std::string_view name, bool& out);
  ObjectReader& integer(std::string_view name, std::int64_t& out, std::int64_t min, std::int64_t max);
  ObjectReader& texts(std::string_view name, std::vector<std::string>& out, std::size_t max_items,
                      std::size_t min_bytes, std::size_t max_bytes);
  // One of a set of words: `parse` gives an optional value.
  template <class T, class Parse>
  ObjectReader& choice(std::string_view name, T& out, Parse parse, std::string_view expected);
  const boost::json::object* object(std::string_view name);
  const boost::json::array* array(std::string_view name, std::size_t max_items);
  const boost::json::value* value(std::string_view name);  // marks it as read; nullptr if absent

  ObjectReader& require(std::string_view name);              // absent or null: an error
  void refuse(std::string_view name, std::string expected);  // the caller's own check failed
  void fail_with(Error error);

  bool ok() const noexcept { return !error_; }
  // Success, or the first error; members that nobody read are errors.
  Result<void> finish();

 private:
  std::string place(std::string_view name) const { return path_ + std::string(name); }
  void wrong(std::string place, std::string_view expected, const boost::json::value* got);

  const boost::json::object& object_;
  std::string path_;
  std::vector<std::string_view> read_;
  std::optional<Error> error_;
};

// What a JSON value is, for messages: "a number", "text", ...
std::string_view kind_in_words(const boost::json::value& value) noexcept;

template <class T, class Parse>
ObjectReader& ObjectReader::choice(std::string_view name, T& out, Parse parse, std::string_view expected) {
  const boost::json::value* there = value(name);
  if (there == nullptr) return *this;
  if (const boost::json::string* word = there->if_string()) {
    if (const auto parsed = parse(std::string_view(*word))) {
      out = *parsed;
      return *this;
    }
  }
  wrong(place(name), expected, there);
  return *this;
}

}  // namespace wafd::console
