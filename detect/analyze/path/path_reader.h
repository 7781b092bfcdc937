// Paths in a text, resolved as servers and file systems do: RFC 3986 5.2.4, POSIX.1 4.13 (pathname
// resolution), Windows ("Naming Files, Paths, and Namespaces"), path parameters of servlets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::path {

struct Path {
  std::size_t begin = 0;  // in the text
  std::size_t end = 0;
  std::string_view target;   // what is left without dot segments, "/" between segments; valid until next()
  std::string_view behind;   // what of it follows the last parent segment or ellipsis
  std::size_t ups = 0;       // parent segments
  std::size_t above = 0;     // how far it goes above where it starts, at its highest
  std::size_t ellipses = 0;  // segments "...", which old Windows took for the folder above the one above
  std::size_t sames = 0;     // segments "."
  bool rooted = false;       // begins with a separator or a drive
  bool drive = false;        // a drive of Windows
  bool url = false;          // of an address with a host: the host is no part of it
  bool file_url = false;
  bool separated = false;  // has a separator at all
  bool disguised = false;  // a dot segment that only who deceives a filter writes so: "..;/" "....//" "%2e."
  bool cut = false;        // a NUL ends it, and the extension of a file follows
  bool stream = false;     // ends in the name of a stream of NTFS: "a.asp::$DATA"
};

// One walk; the text must outlive it. Linear time, no allocation.
class PathReader {
 public:
  explicit PathReader(std::string_view text) noexcept : text_(text) {}
  // The next run of bytes that paths are made of, with what it resolves to. False: the text is over.
  bool next(Path& out) noexcept;

 private:
  enum class Segment : std::uint8_t { kName, kSame, kEllipsis, kUp, kUpDisguised };

  Segment read_segment() noexcept;
  bool read_separator() noexcept;
  bool read_noise(std::size_t dots) noexcept;
  bool skip_parameter() noexcept;
  std::size_t unknown_separator_bytes() noexcept;
  void read_start(Path& out) noexcept;
  void read_end(Path& out) noexcept;
  void push(std::string_view segment) noexcept;
  void pop() noexcept;

  static constexpr std::size_t kMaxSegments = 64;  // kept of a path, from its end
  static constexpr std::size_t kMaxTargetBytes = 1024;

  std::string_view text_;
  std::size_t at_ = 0;
  bool drive_ = false;        // the path at hand begins with one: spaces may stand in it
  std::string_view unknown_;  // of the path at hand: what stands between its segments and is no separator
  bool escaped_ = false;      // the separator or segment at hand was written as an escape
  std::array<char, kMaxTargetBytes> target_;
  std::array<std::uint16_t, kMaxSegments> ends_;  // of the segments in target_
  std::size_t segments_ = 0;
};

}  // namespace wafd::detect::path
