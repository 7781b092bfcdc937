// Reads a JSON object member by member; the first thing that is wrong is kept as an error that names the
// member.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/error.h"

namespace wafd {

// A word that a member may have, and the value it stands for.
template <class E>
struct Choice {
  std::string_view name;
  E value;
};

// How refusals read. The API has answered both from its beginning, so both stay.
enum class Wording : std::uint8_t {
  kConsole,  // "port: expected a whole number from 1 to 9, got text"; an object that is null is an error
  kTarget,   // "port: expected an integer from 1 to 9, got \"x\""; 1.0 is an integer, an object may be null
};

// An integer whatever the number's JSON spelling (1, 1.0); nothing for other kinds.
std::optional<std::int64_t> as_integer(const boost::json::value& value);

// Absent members leave the value as it was. Errors read "hosts[2]: expected text of 1 to 255 bytes, got a
// number". After the first error, further calls do nothing.
class ObjectReader {
 public:
  // `path` is put before each member's name ("mask."). `object` must outlive the reader.
  explicit ObjectReader(const boost::json::object& object, std::string path = {},
                        Wording wording = Wording::kConsole);

  ObjectReader& ignore(std::string_view name);  // a member that may be there and says nothing here
  ObjectReader& text(std::string_view name, std::string& out, std::size_t min_bytes, std::size_t max_bytes);
  // A name or a remark: text without control characters and without such that turn its direction. `lines`: of
  // several lines.
  ObjectReader& plain(std::string_view name, std::string& out, std::size_t min_bytes, std::size_t max_bytes,
                      bool lines = false);
  ObjectReader& boolean(std::string_view name, bool& out);
  ObjectReader& integer(std::string_view name, std::int64_t& out, std::int64_t min, std::int64_t max);
  template <class Int>
  ObjectReader& integer(std::string_view name, Int& out, std::int64_t min, std::int64_t max) {
    std::int64_t number = static_cast<std::int64_t>(out);
    integer(name, number, min, max);
    out = static_cast<Int>(number);
    return *this;
  }
  ObjectReader& texts(std::string_view name, std::vector<std::string>& out, std::size_t max_items,
                      std::size_t min_bytes, std::size_t max_bytes);
  // One of a set of words: `parse` gives an optional value.
  template <class T, class Parse>
  ObjectReader& choice(std::string_view name, T& out, Parse parse, std::string_view expected);
  const boost::json::object* object(std::string_view name);
  const boost::json::array* array(std::string_view name, std::size_t max_items);
  const boost::json::value* value(std::string_view name);  // marks it as read; nullptr if absent

  bool has(std::string_view name) const { return object_.contains(name); }
  ObjectReader& require(std::string_view name);                     // absent (kConsole: or null): an error
  void refuse(std::string_view name, const std::string& expected);  // the caller's own check failed
  // The same, of a value that is not as the object has it any more.
  void refuse(std::string_view name, std::string_view expected, const boost::json::value& got);
  void fail_with(Error error);
  void fail_with(std::string what) { fail_with(Error{ErrorCode::kInvalid, 0, std::move(what)}); }

  bool ok() const noexcept { return !error_; }
  // Success, or the first error; members that nobody read are errors.
  Result<void> finish();
  // The same for the reader of an object inside: its error becomes the one of `outer`.
  void finish_into(ObjectReader& outer);

 private:
  std::string place(std::string_view name) const { return path_ + std::string(name); }
  void wrong(std::string place, std::string_view expected, const boost::json::value* got);
  std::string shown(const boost::json::value* got) const;

  const boost::json::object& object_;
  std::string path_;
  Wording wording_;
  std::vector<std::string_view> read_;
  std::optional<Error> error_;
};

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

}  // namespace wafd
