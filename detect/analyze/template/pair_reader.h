// Finds what stands between the delimiters of template engines (delimiters.tsv) in one walk over a text,
// whatever is nested in what, and whatever was opened and never closed.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "detect/analyze/template/expression_lexer.h"
#include "detect/analyze/template/words.h"

namespace wafd::detect::templates {

// One pair of delimiters with what is between them.
struct Between {
  Pair kind = Pair::kSingle;
  bool curly = false;     // {{ }}
  std::size_t begin = 0;  // of the opening delimiter
  std::size_t inner_begin = 0;
  std::size_t inner_end = 0;
  std::size_t end = 0;              // behind the closing one
  std::span<const Stretch> groups;  // pairs inside of it, which came before it
};

// next() gives pairs in the order of their ends. The text must outlive it. Linear time; of pairs nested more
// than kMaxDepth deep the outermost are lost.
class PairReader {
 public:
  static constexpr std::size_t kMaxDepth = 64;

  PairReader(std::string_view text, std::pmr::memory_resource* memory) : text_(text), groups_(memory) {}
  // False at the end. `out` is valid until the next call.
  bool next(Between& out);

 private:
  struct Frame {
    Pair kind = Pair::kSingle;
    bool inherited = false;  // a bracket inside of an expression
    std::size_t begin = 0;
    std::size_t inner = 0;
    std::string_view close;
    char quote = '\0';       // of a string that is open in it
    std::size_t groups = 0;  // of groups_ when it began
  };

  const PairRow* opener_at(std::size_t at) const noexcept;
  bool open(std::size_t at);
  bool close(std::size_t at, Between& out);
  void follow_quotes(std::size_t at) noexcept;
  bool in_string(const Frame& frame, std::size_t at) const noexcept;
  Frame& top() noexcept { return frames_[depth_ - 1]; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::array<Frame, kMaxDepth> frames_;
  std::size_t depth_ = 0;
  std::pmr::vector<Stretch> groups_;  // closed pairs that no closed pair holds, in order
  bool drop_ = false;                 // the pair given last goes into its parent's groups
  std::size_t drop_from_ = 0;
  Stretch given_;
};

}  // namespace wafd::detect::templates
