// Texts of notifications in all of their languages: each channel chooses one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

namespace wafd::forward {

enum class Language : std::uint8_t { kEnglish, kChinese };

// The same said in each. What has no translation is English in both.
struct Words {
  std::string english;
  std::string chinese;

  const std::string& in(Language language) const noexcept {
    return language == Language::kChinese ? chinese : english;
  }
  bool operator==(const Words&) const = default;
};

// The translation of a text or template by forward/notify/zh-CN.txt; itself if it has none.
std::string_view chinese_of(std::string_view english) noexcept;
// The table itself, built into the program.
std::string_view chinese_words() noexcept;

inline Words translated(std::string_view english) {
  return {std::string(english), std::string(chinese_of(english))};
}

// `english` is a text of ours with {} for each of `put_in`: names, numbers, or Words.
template <typename... Args>
Words say(std::string_view english, const Args&... put_in) {
  const auto text = [&](std::string_view of, Language language) {
    [[maybe_unused]] const auto part = [language](const auto& one) -> decltype(auto) {
      if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Words>)
        return std::string_view(one.in(language));
      else
        return one;
    };
    return fmt::format(fmt::runtime(of), part(put_in)...);
  };
  return {text(english, Language::kEnglish), text(chinese_of(english), Language::kChinese)};
}

}  // namespace wafd::forward
