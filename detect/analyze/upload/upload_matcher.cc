#include "detect/analyze/upload/upload_matcher.h"

#include <array>

#include "detect/analyze/upload/extensions.tsv.h"
#include "detect/analyze/upload/file_content.h"
#include "detect/analyze/upload/file_name.h"
#include "detect/analyze/upload/server_files.tsv.h"

namespace wafd::detect {
namespace {

using upload::ContentFinding;
using upload::NameUse;

enum class UploadEvidence : std::uint8_t {
  kScriptName,
  kDisguisedName,
  kActiveName,
  kServerFile,
  kSessionFile,
  kPageCode,
  kShortTag,
  kProgram,
  kDrawing,
  kArchivePath
};
constexpr std::array<std::string_view, 10> kNames{
    "script_name", "disguised_name", "active_name", "server_file", "session_file",
    "page_code",   "short_tag",      "program",     "drawing",     "archive_path"};

void find_in_name(std::string_view text, EvidenceList& out) {
  const upload::FileName name = upload::read_file_name(text);
  const auto add = [&](UploadEvidence kind) { out.add(kind, Certainty::kCertain, 0, text.size(), text); };
  if (name.server_file) return add(UploadEvidence::kServerFile);
  if (name.session_file) add(UploadEvidence::kSessionFile);
  if (name.use == NameUse::kScript) add(UploadEvidence::kScriptName);
  if (name.use == NameUse::kDisguised) add(UploadEvidence::kDisguisedName);
  if (name.use == NameUse::kActive) add(UploadEvidence::kActiveName);
}

void find_in_content(std::string_view text, bool media, EvidenceList& out) {
  const auto add = [&](UploadEvidence kind, const ContentFinding& found) {
    if (found) out.add(kind, found.certainty, found.begin, std::min(found.end, text.size()), found.what);
  };
  add(UploadEvidence::kPageCode, upload::find_page_code(text));
  add(UploadEvidence::kShortTag, upload::find_short_tag(text, media));
  add(UploadEvidence::kProgram, upload::find_program(text));
  add(UploadEvidence::kDrawing, upload::find_drawing(text));
  if (media) add(UploadEvidence::kDrawing, upload::find_playlist(text));
  add(UploadEvidence::kArchivePath, upload::find_archive_path(text));
}

class UploadMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "upload"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  bool reads_binary() const noexcept override { return true; }
  std::uint32_t reads_places() const noexcept override {
    return place_bit(Location::kFile, false) | place_bit(Location::kFile, true);
  }
  Needs needs() const override {
    Sign extensions{SignKind::kWords, {}};
    for (const upload::Extension& row : upload::kExtensions.rows())
      extensions.parts.emplace_back(longest_word(row.text));
    Sign names = any_literal({"sess_"});
    for (const Word& row : upload::kServerFiles.rows()) names.parts.emplace_back(row.text);
    return {{any_byte("."), std::move(extensions)},
            {std::move(names)},
            {any_literal({"<%", "<jsp:", "runat=", "<?", "%!ps", "push graphic-context", "<read", "#!", "mz",
                          "dex\n", "pk\3\4", "ustar", "#extm3u", "\177elf", "\xca\xfe\xba\xbe",
                          "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe"})},
            {any_byte("'\"("),
             any_word({"msl", "ephemeral", "mvg", "vid", "pango", "label", "caption", "text", "info",
                       "inline", "fd"}),
             any_literal({":@", ":/", ":."})}};
  }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    if (context.location != Location::kFile) return;
    if (context.in_name) {
      find_in_name(text, out);
    } else {
      find_in_content(text, context.media, out);
    }
  }
};

}  // namespace

std::unique_ptr<Matcher> make_upload_matcher() { return std::make_unique<UploadMatcher>(); }

}  // namespace wafd::detect
