#include "detect/analyze/path/hidden_path_matcher.h"

#include <algorithm>
#include <array>

#include "detect/analyze/path/file_types.tsv.h"
#include "detect/analyze/path/hidden_names.tsv.h"
#include "detect/analyze/path/source_views.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

using path::Content;
using path::FileType;
using path::Hidden;
using path::HiddenName;
using path::NameAnchor;

enum class HiddenPathEvidence : std::uint8_t {
  kSecret,
  kSettings,
  kTool,
  kBuild,
  kStatus,
  kDump,
  kArchive,
  kUnknown,
  kCopy,
  kKept
};
constexpr std::array<std::string_view, 10> kNames{"secret", "settings", "tool",    "build", "status",
                                                  "dump",   "archive",  "unknown", "copy",  "kept"};
// A site's own files lie there; deeper lies what somebody put on it.
constexpr std::size_t kShallowSegments = 1;  // above it
constexpr std::size_t kMaxNameSegments = 3;  // of a row of the table

const FileType* type_of(std::string_view name) noexcept {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? nullptr : path::kFileTypes.find(name.substr(dot + 1));
}

// ".name" of a file or folder, and no ellipsis or file name with a sentence in it.
bool is_hidden(std::string_view segment) noexcept {
  return segment.size() > 2 && segment[0] == '.' && is_alnum(segment[1]) &&
         std::all_of(segment.begin() + 1, segment.end(),
                     [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~'; });
}

// By its extension, or by what Unix calls such files: .toolrc, .tool_history, .toolignore. What lies in a
// hidden folder of a site's root and is called so are some tool's settings, too.
bool is_settings(std::string_view name) noexcept {
  const FileType* type = type_of(name);
  if (type != nullptr) return type->holds <= Content::kEnvironment || type->holds == Content::kKey;
  return name.starts_with('.') &&
         (name.ends_with("rc") || name.ends_with("_history") || name.ends_with("ignore"));
}

class Finder {
 public:
  Finder(std::string_view text, EvidenceList& out) noexcept : text_(text), out_(out) {}

  void run() {
    std::size_t begin = 1;
    for (; begin <= text_.size(); ++segments_) {
      const std::size_t end = std::min(text_.find('/', begin), text_.size());
      segment(begin, end);
      begin = end + 1;
      if (end == text_.size()) break;
    }
    last(begin - 1);
  }

 private:
  // Inside of a repository's or archive's own tree anything may have a name of its own.
  Certainty certainty() const noexcept {
    if (viewed_) return Certainty::kPossible;
    return segments_ <= kShallowSegments ? Certainty::kCertain : Certainty::kLikely;
  }
  void add(HiddenPathEvidence kind, Certainty certainty, std::size_t begin, std::size_t end) {
    out_.add(kind, certainty, begin, end, text_.substr(begin, end - begin));
  }

  void segment(std::size_t begin, std::size_t end) {
    const std::string_view name = text_.substr(begin, end - begin);
    if (is_hidden(name)) {
      const HiddenName* row = path::kHiddenNames.find(name);
      if (row == nullptr) {
        add(istarts_with(name, ".env.") ? HiddenPathEvidence::kSecret
            : is_settings(name) || (segments_ == 0 && is_settings(text_.substr(text_.rfind('/') + 1)))
                ? HiddenPathEvidence::kSettings
                : HiddenPathEvidence::kUnknown,
            certainty(), begin, end);
      } else if (row->holds != Hidden::kPublic) {
        add(kind_of(row->holds), certainty(), begin, end);
      }
    } else if (const path::SourceView* view = path::kSourceViews.find(name)) {
      viewed_ = viewed_ || segments_ >= view->behind;
    } else if (name.size() > 4 && name.ends_with(".git")) {
      viewed_ = true;
    }
  }

  // The file at the path's end: by its name, then by its type.
  void last(std::size_t end) {
    if (text_.ends_with('/')) --end;
    std::size_t begin = end;
    for (std::size_t i = 0; i < kMaxNameSegments && begin > 1; ++i) {
      begin = text_.rfind('/', begin - 2) + 1;
      const HiddenName* row = path::kHiddenNames.find(text_.substr(begin, end - begin));
      if (row != nullptr && row->anchor == NameAnchor::kFile)
        return add(kind_of(row->holds), certainty(), begin, end);
    }
    begin = text_.rfind('/', end - 1) + 1;
    std::string_view name = text_.substr(begin, end - begin);
    const bool tilde = name.ends_with('~');
    if (tilde) name.remove_suffix(1);
    const FileType* type = type_of(name);
    if (type == nullptr) return;
    const bool copy = type->holds == Content::kCopy;
    const bool packed = type->holds == Content::kPacked;
    const FileType* inner = copy || packed ? type_of(name.substr(0, name.rfind('.'))) : type;
    const bool source =
        inner != nullptr && (inner->holds == Content::kSource || inner->holds == Content::kDump);
    const bool telling = source || (inner != nullptr && inner->holds <= Content::kEnvironment);
    if (viewed_) return;
    if (telling && (copy || (tilde && !packed))) {
      add(HiddenPathEvidence::kCopy, Certainty::kCertain, begin, end);
    } else if (source && packed) {
      add(HiddenPathEvidence::kCopy, certainty(), begin, end);
    } else if (type->holds == Content::kEnvironment) {
      add(HiddenPathEvidence::kSettings, certainty(), begin, end);
    } else if ((copy && !is_digit(name.back())) || (type->holds >= Content::kDump && !packed && !copy) ||
               name.ends_with(".ini") || name.ends_with(".conf")) {
      add(HiddenPathEvidence::kKept, certainty(), begin, end);
    }
  }

  static HiddenPathEvidence kind_of(Hidden holds) noexcept {
    return static_cast<HiddenPathEvidence>(static_cast<std::uint8_t>(holds) -
                                           static_cast<std::uint8_t>(Hidden::kSecret));
  }

  std::string_view text_;
  EvidenceList& out_;
  std::size_t segments_ = 0;
  bool viewed_ = false;
};

class HiddenPathMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "leak"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  std::uint32_t reads_places() const noexcept override { return place_bit(Location::kUrlPath, false); }
  bool reads_kept_plus() const noexcept override { return false; }
  Needs needs() const override {
    Sign inner{SignKind::kLiterals, {}};
    Sign words{SignKind::kWords, {"ini", "conf"}};
    for (const FileType& type : path::kFileTypes.rows()) {
      if (type.holds == Content::kSource || type.holds <= Content::kDump)
        inner.parts.push_back("." + std::string(type.text) + ".");
      if (type.holds >= Content::kEnvironment && type.holds != Content::kPacked &&
          !is_digit(type.text.back()))
        words.parts.emplace_back(type.text);
    }
    for (const HiddenName& row : path::kHiddenNames.rows()) {
      if (row.anchor == NameAnchor::kFile) words.parts.emplace_back(longest_word(row.text));
    }
    return {{any_literal({"/."})}, {any_byte("~")}, {std::move(inner)}, {std::move(words)}};
  }
  void find(std::string_view text, const FieldContext&, EvidenceList& out) const override {
    // Its segments are fields of their own: what they mean is seen in the whole path.
    if (text.size() > 2 && text[0] == '/') Finder(text, out).run();
  }
};

}  // namespace

std::unique_ptr<Matcher> make_hidden_path_matcher() { return std::make_unique<HiddenPathMatcher>(); }

}  // namespace wafd::detect
