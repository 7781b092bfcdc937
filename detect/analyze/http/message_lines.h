// Lines of a text as those of a message (RFC 9112, RFC 5322), for every line end that some server takes for
// one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::http {

enum class FieldUse : std::uint8_t {
  kTelling,  // no prose and no settings have such a name
  kWord,     // a word of prose or a key of settings, too: its value must be one of the field's
  kMail,
  kBlind,    // of mail that is being sent: none that was received has it
  kSubject,  // of mail, and an ordinary word
};
enum class FieldValue : std::uint8_t {
  kAny,
  kNumber,   // Status: 302
  kPair,     // Cookie: a=b
  kPlace,    // Location: /a
  kHost,     // Host: a.example
  kOption,   // Connection: close
  kAddress,  // To: a@b.example
};
struct Field {
  std::string_view text;
  FieldUse use;
  FieldValue value;
};

enum class LineKind : std::uint8_t {
  kEnd,      // of the text
  kText,     // anything else
  kField,    // a name of the table with a value that fits
  kMisfit,   // such a name with another value
  kUnknown,  // a name of no table, a colon
  kStatus,   // HTTP/1.1 200
  kRequest,  // GET /a HTTP/1.1
};

struct Line {
  LineKind kind = LineKind::kEnd;
  std::size_t break_at = 0;  // where the line ends begin that stand before it
  bool behind_end = false;   // a line end stands before it; not so of the first line of most texts
  std::size_t begin = 0;
  std::size_t end = 0;  // of the name and its colon, or of what says that it is a status or a request
  const Field* field = nullptr;
  std::string_view text;  // at most kMaxLineBytes
};

// Bytes beyond CR and LF that some server writes as a line end or takes for one: characters of which it
// writes the low byte (U+560A, U+560D, U+010D U+010A), and Unicode's own (U+0085, U+2028, U+2029).
inline constexpr std::array<std::string_view, 6> kWideLineEnds{
    "\xe5\x98\x8a", "\xe5\x98\x8d", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xc4\x8d\xc4\x8a", "\xc2\x85"};
inline constexpr std::size_t kMaxLineBytes = 256;

// One walk over lines that are not empty; linear time. The text must outlive it.
class MessageLines {
 public:
  explicit MessageLines(std::string_view text) noexcept : text_(text) {}
  Line next() noexcept;

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t words_in(std::string_view line) noexcept;
bool has_address(std::string_view text) noexcept;

}  // namespace wafd::detect::http
