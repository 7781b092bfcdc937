#include "detect/analyze/path/path_matcher.h"

#include <algorithm>
#include <array>

#include "detect/analyze/path/path_reader.h"
#include "detect/analyze/path/secret_files.h"
#include "detect/analyze/path/secret_files.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"
#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {
namespace {

using path::Anchor;
using path::FileClass;
using path::Path;
using path::SecretFile;

enum class PathEvidence : std::uint8_t {
  kClimbToFile,
  kClimb,
  kDisguisedClimb,
  kPadding,
  kInsideClimb,
  kSecretFile,
  kSystemFile,
  kLogFile,
  kNamedFile,
  kNulCut,
  kPrivateFolder,
  kStream,
  kShortName,
  kClimbToData,
};
constexpr std::array<std::string_view, 14> kNames{
    "climb_to_file",  "climb",       "disguised_climb", "padding",      "inside_climb",
    "secret_file",    "system_file", "log_file",        "named_file",   "nul_cut",
    "private_folder", "stream",      "short_name",      "climb_to_data"};

// Modules and pages name the parts that they are made of so; a project has few levels.
constexpr WordSet kParts({"cjs", "css",  "gif", "html", "htm",  "ico",   "jpeg", "jpg",  "js",   "json",
                          "jsx", "less", "md",  "mjs",  "pdf",  "png",   "rst",  "scss", "sass", "svg",
                          "ts",  "tsx",  "vue", "webp", "woff", "woff2", "xsd",  "yaml", "yml"});
// Endings of an application's files that no page refers to: sources, data, keys.
constexpr WordSet kData({"bak",    "cfg",     "class",      "cnf", "conf", "crt",  "csv", "dat",
                         "db",     "env",     "erb",        "go",  "inc",  "ini",  "jar", "java",
                         "key",    "kdbx",    "log",        "lua", "mdb",  "old",  "p12", "pem",
                         "pfx",    "pl",      "properties", "py",  "pyc",  "rb",   "sh",  "sql",
                         "sqlite", "sqlite3", "toml",       "txt", "war",  "yaml", "yml"});
// Endings of operating systems' files, which are no secret.
constexpr WordSet kPrograms({"exe", "dll", "sys", "ocx", "drv", "msi", "mui", "so", "dylib", "bin"});
// Of the parts, those that hold an application's code and settings, which its pages do not refer to.
constexpr WordSet kSources({"cjs", "js", "jsx", "mjs", "ts", "tsx", "vue"});
constexpr WordSet kSettings({"json", "yaml", "yml"});
constexpr std::size_t kMaxPartLevels = 3;
// Parameters and members that hold an address, absolute or not.
constexpr WordSet kReferences({"url", "uri", "href", "src", "spec", "ref", "$ref"});
// More "./" than a path has by chance: old PHP cut off what stood behind the longest path, and lists of
// forbidden paths do not have it in that spelling.
constexpr std::size_t kPadding = 12;
constexpr std::size_t kMaxLineBytes = 160;  // of a value that is a call and its argument

std::string_view extension(std::string_view target) noexcept {
  const std::size_t dot = target.rfind('.');
  if (dot == std::string_view::npos || target.find('/', dot) != std::string_view::npos) return {};
  return target.substr(dot + 1);
}

bool is_one_word(std::string_view text) noexcept {
  const std::size_t begin = skip_space(text, 0);
  const auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), is_space);
  return std::all_of(end, text.end(), is_space);
}

// How a path stands in its text.
enum class Stand : std::uint8_t {
  kMention,   // among words
  kArgument,  // in quotes, of a call or an attribute: include('/etc/passwd')
  kWhole,     // nothing but it, what is assigned to it, and what is cut off behind it
};

class Finder {
 public:
  Finder(std::string_view text, const FieldContext& context, EvidenceList& out) noexcept
      : text_(text),
        context_(context),
        out_(out),
        in_target_(context.location == Location::kUrlPath),
        file_name_(context.location == Location::kFile),
        one_word_(is_one_word(text)) {}

  void run() {
    find_numbered_dots();
    find_cut_name();
    path::PathReader reader(text_);
    while (reader.next(path_)) {
      const bool alone = path_.begin == 0 && path_.end == text_.size();
      if (path_.ups + path_.ellipses != 0) find_climb();
      if (path_.sames >= kPadding) add(PathEvidence::kPadding, Certainty::kCertain);
      if (path_.cut && path_.target.find('.') != std::string_view::npos)
        add(PathEvidence::kNulCut, Certainty::kCertain);
      if (path_.stream) add(PathEvidence::kStream, Certainty::kCertain);
      if (in_target_) {
        if (alone) find_in_target();
      } else if (!path_.url && (path_.separated || one_word_)) {
        find_file();
      }
    }
  }

 private:
  template <class... Detail>
  void add(PathEvidence kind, Certainty certainty, Detail... detail) {
    out_.add(kind, certainty, path_.begin, path_.end, detail...);
  }

  Stand stand() const noexcept {
    if (one_word_) return Stand::kWhole;
    if (path_.begin < 2 || path_.end >= text_.size() || text_.size() > kMaxLineBytes) return Stand::kMention;
    const char quote = text_[path_.begin - 1];
    if ((quote != '\'' && quote != '"') || text_[path_.end] != quote ||
        text_.find('\n') != std::string_view::npos)
      return Stand::kMention;
    const std::string_view before = trim(text_.substr(0, path_.begin - 1));
    const bool taken = before.ends_with('(') || before.ends_with('=') || before.ends_with("include") ||
                       before.ends_with("require");
    // Words behind it are somebody's who writes about the call.
    const std::string_view behind = text_.substr(path_.end);
    std::size_t words = 0;
    for (std::size_t i = 1; i < behind.size(); ++i) words += is_alpha(behind[i]) && behind[i - 1] == ' ';
    return taken && words < 2 ? Stand::kArgument : Stand::kMention;
  }

  // 0x2e0x2e/, ..0x5c: a step up whose dots or separator are numbers in base 16, for programs that decode
  // those, too.
  void find_numbered_dots() {
    const std::size_t first = text_.find("0x");
    if (first == text_.npos) return;
    for (std::size_t at = first - std::min<std::size_t>(first, 2); at < text_.size(); ++at) {
      const std::size_t one = sign_at(at, ".", "0x2e");
      const std::size_t two = one == 0 ? 0 : sign_at(at + one, ".", "0x2e");
      if (two == 0) continue;
      const std::size_t end = at + one + two;
      const std::size_t separator = std::max(sign_at(end, "/", "0x2f"), sign_at(end, "\\", "0x5c"));
      if (separator == 0 || one + two + separator <= 3 || (at > 0 && one > 1 && is_alnum(text_[at - 1])))
        continue;
      return out_.add(PathEvidence::kDisguisedClimb, Certainty::kCertain, at, text_.size());
    }
  }

  // How many bytes a sign has there, itself or as a number; 0 if it does not stand there.
  std::size_t sign_at(std::size_t at, std::string_view sign, std::string_view number) const noexcept {
    if (at >= text_.size()) return 0;
    if (text_[at] == sign[0]) return 1;
    return iequals(text_.substr(at, number.size()), number) ? number.size() : 0;
  }

  // a NUL .jpg: a name without a folder, and an extension behind a NUL.
  void find_cut_name() {
    const std::size_t nul = text_.find('\0');
    if (nul == text_.npos || nul == 0 || nul + 2 >= text_.size() || text_[nul + 1] != '.' || in_target_)
      return;
    const auto is_plain = [](std::string_view part) {
      return std::all_of(part.begin(), part.end(),
                         [](char c) { return is_alnum(c) || c == '_' || c == '-'; });
    };
    constexpr std::size_t kMaxExtension = 5;
    const std::string_view type = text_.substr(nul + 2);
    if (type.size() <= kMaxExtension && is_plain(type) && is_plain(text_.substr(0, nul)))
      out_.add(PathEvidence::kNulCut, Certainty::kCertain, 0, text_.size());
  }

  // Its target: from the root, if it begins there or may have climbed to it, else by its end.
  const SecretFile* file() const noexcept {
    const SecretFile* found = nullptr;
    if (path_.above != 0 || (path_.rooted && !in_target_))
      found = path::below_root(path_.target, path_.drive);
    if (found == nullptr && path_.ups + path_.ellipses != 0)
      found = path::below_root(path_.behind, path_.drive);
    // proc/self/fd/1, WEB-INF/classes/a.class: relative to the root of a system or an application
    if (found == nullptr && !path_.rooted && !in_target_) {
      found = path::below_root(path_.target, false);
      if (found != nullptr && (!path::is_secret(found->holds) || found->text == "proc")) found = nullptr;
    }
    const SecretFile* tail = path::by_tail(path_.target);
    return tail != nullptr &&
                   (found == nullptr || tail->anchor == Anchor::kTail || tail->anchor == Anchor::kBegin)
               ? tail
               : found;
  }

  // Parts of pages and modules: ../../lib/util.js
  bool names_part() const noexcept {
    return path_.above <= kMaxPartLevels && path_.above == path_.ups && !path_.disguised &&
           kParts.has(extension(path_.target));
  }

  // Certificates are for everybody; the keys that some keep beside them are not.
  bool is_public(const SecretFile& row) const noexcept {
    static constexpr WordSet kCertificates({"0", "cer", "crt", "pem"});
    const std::string_view type = extension(path_.target);
    return row.holds == FileClass::kPublic && (type.empty() || kCertificates.has(type));
  }

  void find_climb() {
    const bool out = path_.above != 0;
    const bool whole = stand() != Stand::kMention;
    const bool inside = path_.ups != 0 && !path_.rooted && !path_.url;  // uploads/../etc/passwd
    if (out || in_target_ || path_.ellipses > 1 || inside) {
      const SecretFile* row = file();
      const bool away = out || in_target_ || path_.ellipses > 1;
      if (row != nullptr && !is_public(*row) &&
          (away ? row->holds != FileClass::kPages : path::is_secret(row->holds))) {
        const bool known = row->anchor != Anchor::kName;
        // A name that says little, amid words: "use ../../config.yml"
        if (known || whole)
          add(PathEvidence::kClimbToFile,
              known ? (whole ? Certainty::kCertain : Certainty::kLikely) : Certainty::kPossible,
              path_.target);
        if (known) return;
      }
    }
    if (path_.ups == 0) {
      // /.../.../a: old systems climbed several folders by one segment.
      if (path_.ellipses > 1 && whole && path_.separated) add(PathEvidence::kClimb, Certainty::kPossible);
      return;
    }
    const std::uint32_t odd = kOverlongUtf8 | kFullWidth;
    const bool disguised = path_.disguised || (context_.decode_flags & odd) != 0;
    if (disguised && path_.separated && (out || path_.ups >= 2 || in_target_))
      return add(PathEvidence::kDisguisedClimb, Certainty::kCertain);
    if (in_target_ && !out) {
      const bool part = kParts.has(extension(path_.target)) || path_.target.empty();
      return add(PathEvidence::kInsideClimb, part ? Certainty::kPossible : Certainty::kCertain);
    }
    if (!out || path_.url) return;
    if (in_target_ || file_name_ || (path_.rooted && whole))
      return add(PathEvidence::kClimb, Certainty::kCertain);
    // page=../../../app/config.js: a value of one word names a file to be read; modules stand amid others.
    const std::string_view type = extension(path_.target);
    // {"$ref":"../../openapi.yaml"}: a relative reference, which the reader of a description resolves (RFC
    // 3986 4.2).
    const bool refers =
        kReferences.has(context_.name) && context_.decode_path.find("json") != std::string_view::npos;
    const std::size_t far = kSources.has(type) || (refers && kSettings.has(type)) ? kMaxPartLevels
                            : kSettings.has(type)                                 ? 2
                                                                                  : path_.ups + 1;
    if (one_word_ && path_.above >= far && path_.separated && names_part())
      return add(PathEvidence::kClimbToData, Certainty::kLikely, path_.target);
    if (!whole || names_part() || !path_.separated) return add(PathEvidence::kClimb, Certainty::kPossible);
    if (path_.above < 2 && kData.has(extension(path_.target)))
      return add(PathEvidence::kClimbToData, Certainty::kLikely, path_.target);
    add(PathEvidence::kClimb, path_.above >= 2 ? Certainty::kCertain : Certainty::kLikely);
  }

  // Paths that begin at a root, or end as only files of secrets do.
  void find_file() {
    if (path_.ups != 0 && (!path_.rooted || path_.above != 0)) return;
    const SecretFile* row = file();
    if (row == nullptr || is_public(*row)) return;
    const bool deep = path_.rooted || path_.target.find('/') != std::string_view::npos;
    const Stand stand = this->stand();
    if (row->anchor == Anchor::kName || !deep) {
      if (stand == Stand::kWhole && row->anchor != Anchor::kBegin)
        add(PathEvidence::kNamedFile, Certainty::kPossible, path_.target);
      return;
    }
    const std::string_view type = extension(path_.target);
    const bool tree = row->anchor == Anchor::kTree || row->anchor == Anchor::kDrive;
    // Files that a server publishes are no secret: /var/www/shop/public
    if (row->holds == FileClass::kPages && (type.empty() || kParts.has(type))) return;
    // A folder tells little, and what has no extension may be one.
    const bool folder = (tree && path_.target.size() == row->text.size()) || kPrograms.has(type);
    if (folder && row->text.find('/') == std::string_view::npos) return;
    // Below /etc itself lies whatever a package brings: a path there that nothing climbs to is a setting's.
    const bool top =
        row->anchor == Anchor::kConf && path_.ups == 0 && row->text.find('/') == std::string_view::npos;
    const bool certain = path::is_secret(row->holds) || (stand == Stand::kWhole && (!tree || !type.empty()));
    const PathEvidence kind = path::is_secret(row->holds)     ? PathEvidence::kSecretFile
                              : row->holds == FileClass::kLog ? PathEvidence::kLogFile
                                                              : PathEvidence::kSystemFile;
    add(kind,
        stand == Stand::kMention || (top && kind == PathEvidence::kSystemFile) ||
                (folder && kind != PathEvidence::kSecretFile)
            ? Certainty::kPossible
        : certain ? Certainty::kCertain
                  : Certainty::kLikely,
        path_.target);
  }

  // Of the request itself: a server maps it to files, and shows them.
  void find_in_target() {
    if (path_.ups != 0) return;
    const std::string_view target = path_.target;
    for (const std::string_view folder : {"web-inf", "meta-inf"}) {
      const std::size_t at = ifind(target, folder);
      if (at == std::string_view::npos || (at != 0 && target[at - 1] != '/')) continue;
      if (at + folder.size() != target.size() && target[at + folder.size()] != '/') continue;
      // Below a context of one name stands an application; deeper lies somebody's source or archive.
      const auto above = std::count(target.begin(), target.begin() + static_cast<std::ptrdiff_t>(at), '/');
      add(PathEvidence::kPrivateFolder, above <= 1 ? Certainty::kCertain : Certainty::kPossible, folder);
    }
    // /static../settings.py: an alias that was written without its slash ("alias", nginx).
    const std::size_t dots = target.find("../");
    if (dots != std::string_view::npos && dots != 0 && is_alnum(target[dots - 1]))
      add(PathEvidence::kDisguisedClimb, Certainty::kCertain);
    const SecretFile* row = path::by_tail(target);
    const bool file =
        row != nullptr && row->anchor == Anchor::kTail && row->text.find('/') != std::string_view::npos;
    if (file && (row->holds <= FileClass::kKeys || row->holds == FileClass::kProcess ||
                 row->holds == FileClass::kSystem))
      add(PathEvidence::kSecretFile, Certainty::kCertain, row->text);
    const std::size_t wave = target.rfind('~');
    if (wave != std::string_view::npos && wave + 1 < target.size() && is_digit(target[wave + 1]))
      find_short(wave);
  }

  // PROGRA~1, WEB~1.CON: six characters at most, a number, an extension of three (8.3 names of FAT and NTFS).
  void find_short(std::size_t wave) {
    const std::string_view target = path_.target;
    std::size_t begin = wave;
    while (begin > 0 && is_alnum(target[begin - 1])) --begin;
    const std::string_view behind = target.substr(wave + 2);
    const bool full = wave - begin == 6 && (behind.empty() || behind[0] == '/');
    const bool cut = wave > begin && wave - begin <= 6 && behind.size() == 4 && behind[0] == '.';
    if ((begin == 0 || target[begin - 1] == '/') && (full || cut))
      add(PathEvidence::kShortName, Certainty::kLikely);
  }

  std::string_view text_;
  const FieldContext& context_;
  EvidenceList& out_;
  const bool in_target_;  // of the request
  const bool file_name_;
  const bool one_word_;
  Path path_;
};

class PathMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "path"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  std::uint32_t reads_places() const noexcept override {
    return kEveryPlace & ~place_bit(Location::kFile, false);
  }
  bool reads_kept_plus() const noexcept override { return false; }
  Needs needs() const override {
    // Two dots with what may stand between them; with escapes; what else has a sign of its own.
    Sign dots{SignKind::kLiterals, {"..", "%2e", "./", ".\\", ".%2f", ".%5c"}};
    for (int c = 0; c <= ' '; ++c) dots.parts.push_back({'.', static_cast<char>(c), '.'});
    dots.parts.emplace_back(".\x7f.");
    Sign words{SignKind::kWords, {}};
    Sign begins{SignKind::kLiterals, {}};
    for (const SecretFile& row : path::kSecretFiles.rows()) {
      if (row.anchor == Anchor::kBegin) {
        begins.parts.emplace_back(row.text);
      } else {
        words.parts.emplace_back(telling_word(row.text));
      }
    }
    Sign short_names{SignKind::kLiterals, {}};  // PROGRA~1
    for (const char digit : std::string_view("0123456789")) short_names.parts.push_back({'~', digit});
    return {{std::move(dots)},
            {std::move(words), any_byte("/\\.")},
            {std::move(begins), any_byte("/\\")},
            {any_literal({std::string_view("\0.", 2), ":$", "-inf", "0x2e", "0x2f", "0x5c"})},
            {std::move(short_names)}};
  }
  std::uint32_t units_a_token() const noexcept override { return 8; }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    Finder(text, context, out).run();
  }
};

}  // namespace

std::unique_ptr<Matcher> make_path_matcher() { return std::make_unique<PathMatcher>(); }

}  // namespace wafd::detect
