#include "detect/analyze/java/names.h"

#include "detect/analyze/java/packages.tsv.h"
#include "detect/analyze/java/words.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::java {
namespace {

constexpr std::size_t kMaxPackageWords = 6;  // of the table's longest

}  // namespace

Name read_name(std::string_view text, std::size_t begin) noexcept {
  Name name;
  name.begin = begin;
  std::size_t at = begin;
  std::size_t word = begin;
  std::size_t words = 0;
  for (;; ++at) {
    const char c = at < text.size() ? text[at] : '\0';
    if (is_name_byte(c)) continue;
    count_steps(12);
    if (const WordRow* row = kWords.find(text.substr(word, at - word)); row != nullptr) {
      name.words = name.words | row->use;
      if (word == begin) name.first = row->use;
    }
    if (word > begin && word < at && is_upper(text[word])) name.classy = true;
    // No name of Java begins with a digit; the dot at a sentence's end begins none.
    const bool more = c == '.' && at + 1 < text.size() && is_alpha(text[at + 1]);
    if (++words <= kMaxPackageWords && (words > 1 || more)) {
      if (const PackageRow* row = kPackages.find(text.substr(begin, at - begin)); row != nullptr)
        name.reach = row->reach;
    }
    if (c != '.' && c != '$') break;
    name.dotted = name.dotted || c == '.';
    word = at + 1;
  }
  name.end = at;
  name.text = text.substr(begin, at - begin);
  return name;
}

bool is_attack_class(std::string_view value) noexcept {
  if (value.empty() || !is_alpha(value[0])) return false;
  const Name name = read_name(value, 0);
  return name.reach == Reach::kInner || name.reach == Reach::kRuns ||
         (name.reach == Reach::kLibrary && name.classy);
}

}  // namespace wafd::detect::java
