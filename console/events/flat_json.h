// Walks a flat JSON object (the attack log record) without making a tree: name and raw value of each member.
#pragma once

#include <string>
#include <string_view>

namespace wafd::console {

class FlatJson {
 public:
  explicit FlatJson(std::string_view object) noexcept;

  // The next member; false at the end or where the text is no flat object any more. Values are raw JSON:
  // strings with quotes, lists with brackets. Views into the text given.
  bool next(std::string_view& name, std::string_view& value) noexcept;
  bool sound() const noexcept { return state_ == State::kEnd; }  // the whole object was read

 private:
  enum class State { kMembers, kEnd, kBroken };
  void skip_space() noexcept;
  bool read_string(std::string_view& raw) noexcept;
  bool read_value(std::string_view& raw) noexcept;

  std::string_view text_;
  std::size_t at_ = 0;
  bool first_ = true;
  State state_ = State::kBroken;
};

// Raw value of one member, or empty.
std::string_view flat_member(std::string_view object, std::string_view name) noexcept;

// The text of a raw JSON string (with quotes), escapes undone; other values as they are.
std::string plain_text(std::string_view raw);

}  // namespace wafd::console
