// The readings of a text as JavaScript, by where an application may have put it: as a script or a value of
// one, into a string of each kind, a comment, a template.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "detect/analyze/script/js_reading.h"

namespace wafd::detect::js {

enum class Place : std::uint8_t {
  kWhole,       // all of the text
  kQuote,       // behind the quote that closes the string it was put in
  kLaterQuote,  // behind another quote: as if those before it had been taken away
  kComment,     // behind the end of a comment
  kTemplate,    // in ${…}, and in delimiters of template engines whose expressions are JavaScript
};

struct PlacedReading {
  Place place = Place::kWhole;
  std::size_t begin = 0;  // of what the reading reads, or of the quote before it
  Reading reading;
};

// One reading after the other. Quotes behind which no script can go on are passed over, so that ordinary text
// costs one walk for each kind of quote. Linear time: the places of each kind are limited.
class Readings {
 public:
  Readings(std::string_view text, std::pmr::memory_resource& memory) noexcept
      : text_(text), memory_(memory) {}
  bool next(PlacedReading& out);

 private:
  static constexpr std::size_t kMaxLater = 8;  // of quotes of one kind
  static constexpr std::size_t kMaxTemplates = 16;

  bool next_quote(char quote, PlacedReading& out);
  bool comment(PlacedReading& out);
  bool next_template(PlacedReading& out);
  bool may_go_on(std::size_t at) const noexcept;
  std::string_view up_to_script_end(std::size_t from);

  std::string_view text_;
  std::pmr::memory_resource& memory_;
  std::size_t stage_ = 0;  // whole, three kinds of quotes, comment, templates
  std::size_t at_ = 0;
  std::size_t tried_ = 0;
  bool first_ = true;     // no quote of the kind was met
  bool escaped_ = false;  // one behind a backslash was
};

// All readings of one text, for the matchers that are asked about it one after the other. One thread at a
// time.
class ReadingsCache {
 public:
  // Before each text, which may lie where another did.
  void begin() noexcept { known_ = false; }
  // Read again unless `text` is the last one.
  std::span<const PlacedReading> of(std::string_view text, std::pmr::memory_resource& memory);

 private:
  bool known_ = false;
  std::string_view text_;
  std::vector<PlacedReading> readings_;
};

}  // namespace wafd::detect::js
