#include "detect/analyze/path/secret_files.h"

#include <algorithm>

#include "detect/analyze/path/secret_files.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::path {

namespace {

constexpr WordSet kConfTypes({"conf", "cf", "cfg", "cnf", "config", "ini", "properties", "rc", "secrets",
                              "keytab"});

bool is_conf(std::string_view target) noexcept {
  const std::size_t dot = target.rfind('.');
  return dot != std::string_view::npos && kConfTypes.has(target.substr(dot + 1));
}

}  // namespace

const SecretFile* below_root(std::string_view target, bool drive) noexcept {
  const SecretFile* found = nullptr;
  for (std::size_t segments = 0, end = 0; segments < kMaxTailSegments && end < target.size(); ++segments) {
    end = std::min(target.find('/', end == 0 ? 0 : end + 1), target.size());
    const SecretFile* row = kSecretFiles.find(target.substr(0, end));
    // etc/php7.4, etc/postgresql-15: packages of several versions
    if (row == nullptr && is_digit(target[end - 1]))
      row = kSecretFiles.find(target.substr(0, target.find_last_not_of("0123456789.-", end - 1) + 1));
    if (row == nullptr || row->anchor == Anchor::kName || row->anchor == Anchor::kBegin ||
        (row->anchor == Anchor::kDrive && !drive))
      continue;
    const bool below = row->anchor == Anchor::kConf
                           ? is_conf(target)
                           : row->anchor == Anchor::kTree || row->anchor == Anchor::kDrive;
    if (below || (end == target.size() && row->anchor != Anchor::kConf)) found = row;
  }
  return found;
}

const SecretFile* by_tail(std::string_view target) noexcept {
  const SecretFile* found = nullptr;
  std::size_t begin = target.size();
  for (std::size_t segments = 0; segments < kMaxTailSegments && begin != 0; ++segments) {
    const std::size_t slash = begin < 2 ? std::string_view::npos : target.rfind('/', begin - 2);
    begin = slash == std::string_view::npos ? 0 : slash + 1;
    const SecretFile* row = kSecretFiles.find(target.substr(begin));
    if (row != nullptr && (row->anchor == Anchor::kTail || row->anchor == Anchor::kName)) found = row;
  }
  const std::string_view last = target.substr(target.rfind('/') + 1);  // npos + 1 is 0
  const std::size_t mark = last.find('_') + 1;
  if (found == nullptr && mark != 0 && mark < last.size() && last.find('.') == std::string_view::npos) {
    const SecretFile* row = kSecretFiles.find(last.substr(0, mark));
    if (row != nullptr && row->anchor == Anchor::kBegin) found = row;
  }
  return found;
}

}  // namespace wafd::detect::path
