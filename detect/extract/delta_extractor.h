// Decodings change few bytes of long texts. What lies far from those was judged before, in another text of
// the same field; here is what is left to judge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect {

// A text that is no longer is judged as a whole.
inline constexpr std::size_t kWholeBytes = 256;
// A changed part is judged together with the text before and behind it.
inline constexpr std::size_t kAroundBytes = 256;
// Who finds nothing in the parts with less around them is not asked about more.
inline constexpr std::size_t kNearBytes = 128;
// Of two decodings, one after the other, together: what each changes by itself is judged in what it makes.
inline constexpr std::size_t kNearBytesOfTwo = 96;

// The texts of one field. Keeps its buffers between fields. One thread at a time.
class DeltaExtractor {
 public:
  void begin() noexcept { texts_.clear(), slots_.clear(); }
  // `text` is judged. It must live until the next begin(); at most 2^32 bytes.
  void add(std::string_view text) { texts_.push_back({text, 0, 0}); }

  // Of `made`, which was made of `from`: all of a short text; of a longer one the parts that no text before
  // has with the same bytes around them, one behind the other. Between two parts is a blank or a comma, so
  // that what is left out begins and ends with a word. May be empty. A view of `made`, or of what the next
  // call overwrites. Linear time.
  std::string_view of(std::string_view from, std::string_view made, std::size_t near = kNearBytes);
  // The same of what of() was asked last, with `near` bytes around each part; none if that is not much less.
  // Lives as long as the answer of of().
  std::optional<std::string_view> near_of(std::string_view made);

 private:
  struct Text {
    std::string_view bytes;
    std::size_t first_slot = 0;
    unsigned slot_bits = 0;  // 0: not looked up yet
  };
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void index(Text& text);
  // Where the bytes at made[at] stand in `text`, or its size.
  std::size_t look_up(const Text& text, std::string_view made, std::size_t at) const noexcept;
  // Adds to known_ what `text` has too. How many bytes.
  std::size_t compare(const Text& text, std::string_view made);
  // Adds to `all` what of `same` lies so far from its ends, unless these are those of the texts. How many
  // bytes.
  static std::size_t take_known(std::vector<Range>& all, Range same, bool begins, bool ends,
                                std::size_t around);
  static std::string_view without_known(std::vector<Range>& all, std::string_view made, std::size_t around,
                                        std::string& joined);

  std::vector<Text> texts_;
  std::vector<std::uint32_t> slots_;  // of all texts, by a hash: position of a word, from 1 on
  std::vector<Range> known_;          // of the text at hand
  std::vector<Range> known_near_;     // with less around
  std::size_t near_bytes_ = 0;        // so much
  std::size_t judged_ = 0;            // bytes that of() left of it
  std::string joined_;
  std::string near_;
};

}  // namespace wafd::detect
