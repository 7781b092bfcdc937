#include "detect/extract/archive_documents.h"

#include <algorithm>
#include <string>

#include "detect/core/bytes.h"
#include "detect/decode/charset/charset.h"
#include "detect/decode/content/inflate.h"

namespace wafd::detect {
namespace {

constexpr std::string_view kSignature = "PK\3\4";  // of a local file header, APPNOTE.TXT 4.3.7
constexpr std::size_t kHeaderBytes = 30;
constexpr std::size_t kMaxEntries = 512;
constexpr std::size_t kFirstBytes = 512;  // of an entry, in which most documents begin their root element
constexpr std::size_t kMostBytes = 32768;
constexpr std::size_t kMaxArchiveBytes = 256 * 1024;
constexpr unsigned kStored = 0;
constexpr unsigned kDeflated = 8;

std::size_t little16(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<std::size_t>(byte(bytes[at])) + 256u * static_cast<std::size_t>(byte(bytes[at + 1]));
}

struct Entry {
  std::string_view packed;  // its bytes and what follows them
  unsigned method = kStored;
};

// The entry whose header begins at `at`. False: it is cut off.
bool read_entry(std::string_view archive, std::size_t at, Entry& out) noexcept {
  if (archive.size() < at + kHeaderBytes) return false;
  const std::size_t begin = at + kHeaderBytes + little16(archive, at + 26) + little16(archive, at + 28);
  if (begin >= archive.size()) return false;
  out.method = static_cast<unsigned>(little16(archive, at + 8));
  out.packed = archive.substr(begin);
  return true;
}

// The first bytes of the entry, in UTF-8; empty if it is packed otherwise.
void unpack(const Entry& entry, std::size_t bytes, std::string& to) {
  to.clear();
  if (entry.method == kStored) {
    to.assign(entry.packed.substr(0, bytes));
  } else if (entry.method == kDeflated) {
    const InflateLimits limits{.any_ratio_bytes = bytes, .max_ratio = 1, .max_output_bytes = bytes};
    inflate(entry.packed, ContentCoding::kDeflate, limits, to);
  }
  const Charset charset = sniff_charset(to);
  std::string text;
  if (charset.kind != CharsetKind::kAsIs && charset_decode(to, charset, text)) to.swap(text);
}

// How the text goes on behind white space, comments and processing instructions (XML 1.0, 2.8).
enum class Prolog : std::uint8_t { kNoXml, kOpen, kRoot, kDocumentType };
Prolog read_prolog(std::string_view text) noexcept {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::size_t at = skip_space(text, 0);
  if (at < text.size() && text[at] != '<') return Prolog::kNoXml;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const std::string_view end = rest.starts_with("<?") ? "?>" : rest.starts_with("<!--") ? "-->" : "";
    if (end.empty()) {
      if (istarts_with(rest, "<!doctype")) return Prolog::kDocumentType;
      return rest.size() < 9 && rest.starts_with("<!") ? Prolog::kOpen : Prolog::kRoot;
    }
    const std::size_t close = text.find(end, at);
    if (close == std::string_view::npos) return Prolog::kOpen;
    at = skip_space(text, close + end.size());
  }
  return Prolog::kOpen;
}

void read_archive(const Field& archive, FieldList& out) {
  const std::string_view bytes = archive.raw;
  std::size_t entries = 0;
  std::size_t read = 0;
  std::string text;
  for (std::size_t at = 0; at != std::string_view::npos && entries < kMaxEntries && read < kMaxArchiveBytes;
       at = bytes.find(kSignature, at + kSignature.size()), ++entries) {
    Entry entry;
    if (!read_entry(bytes, at, entry)) continue;
    unpack(entry, kFirstBytes, text);
    Prolog prolog = read_prolog(text);
    if (prolog == Prolog::kNoXml || prolog == Prolog::kRoot || text.empty()) continue;
    unpack(entry, kMostBytes, text);
    read += text.size();
    if (read_prolog(text) != Prolog::kDocumentType) continue;
    Field field = archive;
    field.binary = field.media = false;
    if (field.outer.data() == nullptr) field.outer = archive.raw;
    field.depth = static_cast<std::uint8_t>(std::min<int>(field.depth + 1, kMaxFieldDepth));
    field.decode_path = out.arena.join(archive.decode_path, '|', "zip");
    field.raw = out.arena.copy(text);
    if (!out.add(field)) return;
  }
}

}  // namespace

void add_archive_documents(FieldList& out, std::size_t begin) {
  const std::size_t end = out.size();
  for (std::size_t i = begin; i < end; ++i) {
    const Field field = out[i];
    if (field.binary && !field.in_name && field.raw.starts_with(kSignature)) read_archive(field, out);
  }
}

}  // namespace wafd::detect
