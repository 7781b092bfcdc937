#include "detect/analyze/url/share.h"

#include <algorithm>

#include "detect/analyze/url/host.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::url {
namespace {

constexpr WordSet kDevices({"pipe", "unc", "globalroot", "physicaldrive0", "c:", "d:", "mailslot", "volume",
                            "harddiskvolume1", "com1", "lpt1", "con", "nul"});
// "Administrative shares"
constexpr WordSet kAdministrative({"c$", "d$", "e$", "admin$", "ipc$", "print$", "fax$", "sysvol$"});

}  // namespace

ShareKind read_share(std::string_view text) noexcept {
  if (!text.starts_with("\\\\") || std::any_of(text.begin(), text.end(), is_space)) return ShareKind::kNone;
  const std::size_t begin = text.find_first_not_of('\\');
  if (begin == std::string_view::npos || (begin != 2 && begin != 4)) return ShareKind::kNone;
  const std::size_t end = text.find('\\', begin);
  const std::size_t next = end == std::string_view::npos ? end : text.find_first_not_of('\\', end);
  if (next == std::string_view::npos || next - end != begin / 2) return ShareKind::kNone;
  const std::string_view host = text.substr(begin, end - begin);
  const std::string_view share = text.substr(next, text.find('\\', next) - next);
  if (host == "." || host == "?") return kDevices.has(share) ? ShareKind::kDevice : ShareKind::kNone;
  const bool name = host.size() > 1 && std::all_of(host.begin(), host.end(), [](char c) {
                      return is_alnum(c) || std::string_view(".-_@").find(c) != std::string_view::npos;
                    });
  if (!name || !(is_alnum(share[0]) || share[0] == '_')) return ShareKind::kNone;
  const std::string_view address = host.substr(0, host.find('@'));
  const HostKind kind = host_kind(address, false);
  const bool number = kind != HostKind::kName && std::count(address.begin(), address.end(), '.') == 3;
  // Who logs in to a machine of the own network, by a name of one word, sends nothing outside.
  const bool hidden =
      share.size() > 1 && share.back() == '$' &&
      (host.find('.') != std::string_view::npos || kAdministrative.has(share) || kind != HostKind::kName);
  return number || hidden || address.size() < host.size() ? ShareKind::kForeign : ShareKind::kNetwork;
}

}  // namespace wafd::detect::url
