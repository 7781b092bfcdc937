#include <algorithm>
#include <array>

#include "detect/analyze/url/parameter_words.tsv.h"
#include "detect/analyze/url/tables.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"

namespace wafd::detect::url {
namespace {

constexpr std::size_t kMinWordEnd = 3;  // of a word that counts at the end of another

ParameterUse use_of_word(std::string_view word) noexcept {
  for (std::size_t at = 0; at + kMinWordEnd <= word.size() || at == 0; ++at) {
    if (const ParameterWord* row = kParameterWords.find(word.substr(at))) return row->use;
    if (word.size() > kMaxVocabularyWordBytes) break;
  }
  return ParameterUse::kOther;
}

}  // namespace

ParameterUse use_of(std::string_view name) noexcept {
  ParameterUse found = ParameterUse::kOther;
  for (std::size_t at = 0; at < name.size();) {
    while (at < name.size() && !is_alpha(name[at])) ++at;
    const std::size_t end = behind_word(name, at, is_alpha);
    const ParameterUse use = use_of_word(name.substr(at, end - at));
    found = std::max(found, use);
    at = end;
  }
  return found;
}

}  // namespace wafd::detect::url
