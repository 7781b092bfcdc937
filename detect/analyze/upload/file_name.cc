#include "detect/analyze/upload/file_name.h"

#include <algorithm>

#include "detect/analyze/upload/extensions.tsv.h"
#include "detect/analyze/upload/server_files.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect::upload {
namespace {

constexpr std::size_t kFewestSessionBytes = 20;  // of the identifier behind "sess_"

// Bytes that file systems drop from the end of a name, or cut it at.
bool is_dropped(char c) noexcept {
  return byte(c) <= ' ' || std::string_view(".;:%/\x7f").find(c) != std::string_view::npos;
}

// "php;" and "php%00" end where a reader would cut; whether anything was cut off.
bool cut_part(std::string_view& part) noexcept {
  const std::size_t bytes = part.size();
  while (!part.empty() && is_dropped(part.back())) part.remove_suffix(1);
  while (!part.empty() && is_dropped(part.front())) part.remove_prefix(1);
  part = part.substr(0, part.find_first_of(std::string_view(";:%\0", 4)));
  return part.size() != bytes;
}

// With digits behind it, too: php81.
const Extension* find_extension(std::string_view part) noexcept {
  if (const Extension* known = kExtensions.find(part)) return known;
  while (!part.empty() && is_digit(part.back())) part.remove_suffix(1);
  const Extension* known = part.size() >= 3 ? kExtensions.find(part) : nullptr;
  return known != nullptr && known->use == ExtensionUse::kScript ? known : nullptr;
}

// The parts behind dots from the last on.
NameUse use_of(std::string_view name, bool cut) noexcept {
  NameUse use = NameUse::kOther;
  bool last = true;
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos; dot = name.rfind('.')) {
    std::string_view part = name.substr(dot + 1);
    name = name.substr(0, dot);
    const bool dirty = cut_part(part) || cut;
    const Extension* known = find_extension(part);
    if (known != nullptr && known->use == ExtensionUse::kScript) {
      if (!last || dirty) return NameUse::kDisguised;
      use = NameUse::kScript;
    } else if (known != nullptr && last) {
      use = NameUse::kActive;
    }
    last = false;
  }
  return use;
}

}  // namespace

FileName read_file_name(std::string_view text) noexcept {
  // x.php/, x.php/.: functions that write files drop the end (path resolution, XBD 4.13).
  const std::size_t given = text.size();
  while (!text.empty() && std::string_view("/\\. ").find(text.back()) != text.npos) text.remove_suffix(1);
  const bool dropped = text.size() != given;
  std::string_view name = text.substr(text.find_last_of("/\\") + 1);  // npos + 1 is 0
  while (!name.empty() && byte(name.front()) <= ' ') name.remove_prefix(1);
  const std::size_t bytes = name.size();
  const bool has_nul = name.find('\0') != std::string_view::npos;
  name = name.substr(0, name.find("::$"));  // a stream of NTFS
  while (!name.empty() && is_dropped(name.back())) name.remove_suffix(1);
  FileName out;
  out.server_file = kServerFiles.has(name);
  out.session_file = istarts_with(name, "sess_") && name.size() >= kFewestSessionBytes + 5 &&
                     std::all_of(name.begin() + 5, name.end(), is_alnum);
  out.use = use_of(name, has_nul || dropped || name.size() != bytes);
  return out;
}

}  // namespace wafd::detect::upload
