#include "detect/judge/context.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/secret_names.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

// Names of search fields in forms and interfaces.
constexpr std::array<std::string_view, 14> kSearchNames{"q",     "query",   "search",   "s",      "term",
                                                        "terms", "keyword", "keywords", "filter", "needle",
                                                        "find",  "text",    "wd",       "k"};

constexpr std::array<std::string_view, 7> kSearchParts{"field", "phrase", "string", "tags",
                                                       "value", "word",   "words"};
constexpr std::array<std::string_view, 4> kWireFormats{"grpc", "protobuf", "msgpack", "cbor"};

// By so much on either side a piece of evidence is found again in the text before its decoding.
constexpr std::size_t kNeighbourBytes = 16;
constexpr std::size_t kMaxEqualTexts = 64;

// Members of documents in which commands are kept, not run: package.json (npm), image configurations (OCI),
// what processes were started with (Elastic Common Schema, Sysmon, /proc, journald, the kernel's audit).
constexpr std::array<std::string_view, 1> kCommandParents{"scripts"};
constexpr std::array<std::string_view, 9> kCommandNames{"created_by", "command_line",      "commandline",
                                                        "cmdline",    "parentcommandline", "commands",
                                                        "readme",     "_cmdline",          "proctitle"};
constexpr std::array<std::string_view, 4> kProcessParents{"config", "container_config", "process", "labels"};
constexpr std::array<std::string_view, 4> kProcessNames{"cmd", "entrypoint", "args", "command"};

// Attributes of telemetry (OpenTelemetry semantic conventions, "Process" and "Container"; Elastic Common
// Schema).
constexpr std::array<std::string_view, 10> kCommandAttributes{
    "process.command",        "process.command_line",    "process.command_args",        "process.args",
    "process.executable",     "process.executable.path", "process.parent.command_line", "container.command",
    "container.command_line", "container.command_args"};

// Members of settings that name files of a machine: volumes of containers (Docker's API, OCI runtime,
// Compose, Kubernetes), what plays copy (Ansible).
constexpr std::array<std::string_view, 5> kMountNames{"mountpath", "hostpath", "subpath", "binds", "volumes"};
constexpr std::array<std::string_view, 6> kMountParents{"mounts",   "volumes", "volumemounts",
                                                        "hostpath", "configs", "secrets"};
constexpr std::array<std::string_view, 3> kCopyNames{"dest", "src", "path"};
constexpr std::array<std::string_view, 4> kCopyParents{"template", "copy", "file", "lineinfile"};

// Jobs (GitHub Actions, GitLab CI), containers (Compose, Kubernetes), plays (Ansible).
constexpr std::array<std::string_view, 9> kScriptNames{
    "run", "script", "before_script", "after_script", "command", "args", "entrypoint", "cmd", "shell"};
constexpr std::array<std::string_view, 1> kScriptParents{"healthcheck"};

bool has(std::span<const std::string_view> names, std::string_view name) noexcept {
  return std::any_of(names.begin(), names.end(), [name](std::string_view one) { return iequals(one, name); });
}

// A string of a binary message is a value though its field has a number for a name, or none.
bool is_wire_value(const FieldContext& context) noexcept {
  return std::any_of(std::begin(kWireFormats), std::end(kWireFormats),
                     [&](std::string_view format) { return context.decode_path.starts_with(format); });
}

bool is_yaml(const FieldContext& context) noexcept {
  return context.decode_path.find("yaml") != std::string_view::npos;
}

// Whether a block of code begins by closing a string, statement or tag of the surrounding program.
bool breaks_out(std::string_view whole) noexcept {
  const std::size_t first = whole.find_first_not_of(" \t\r\n");
  return first != whole.npos &&
         (is_digit(whole[first]) || std::string_view("'\"`);|&>-+").find(whole[first]) != whole.npos);
}

// A body that is nothing but one short line of ASCII without its end is a value that was sent without a name;
// members of documents are not meant.
bool is_short_value(const FieldContext& context, std::string_view whole) noexcept {
  constexpr std::size_t kMaxValueBytes = 256;
  if (context.decode_path.find("json") != whole.npos || is_yaml(context)) return false;
  return whole.size() <= kMaxValueBytes &&
         std::none_of(whole.begin(), whole.end(), [](char c) { return byte(c) < ' ' || byte(c) >= 0x7F; });
}

// The value of an attribute: its name is the parent (json_reader.cc, wire_reader.cc).
bool is_attribute(const FieldContext& context) noexcept {
  return context.location == Location::kBody && !context.in_name &&
         (context.name == "stringValue" || (context.name.empty() && is_wire_value(context)));
}

bool is_member(const FieldContext& context) noexcept {
  return context.location == Location::kBody && !context.in_name &&
         (context.decode_path.find("json") != std::string_view::npos || is_yaml(context));
}

// Plays are written in YAML. In JSON any application may have a file's path.
bool names_mounts(const FieldContext& context) noexcept {
  return has(kMountNames, context.name) || has(kMountParents, context.parent) ||
         (is_yaml(context) && has(kCopyNames, context.name) && has(kCopyParents, context.parent));
}

// A job's command line begins with a command and blanks behind it, with a line of its own, or is one word.
// Whether `text` begins with a command separator, or has one in its first word, and so continues a command of
// the surrounding program.
bool begins_with_command(std::string_view text) noexcept {
  text = trim(text);
  std::string_view first = text.substr(0, std::min(text.find_first_of(" \t\r\n"), text.size()));
  // ./configure; make: a program by its path
  if (first.ends_with(';') && first.find('/') != first.npos) first.remove_suffix(1);
  return !first.empty() && first.find_first_of(";|&`<>") == first.npos && first != "'" && first != "\"" &&
         first[0] != ')' && !first.starts_with("$(");
}

// Settings are written in YAML: what of them a machine runs.
bool is_script_of_settings(const FieldContext& context, std::string_view whole) noexcept {
  return is_yaml(context) && (has(kScriptNames, context.name) || has(kScriptParents, context.parent)) &&
         begins_with_command(whole);
}

bool keeps_commands(const FieldContext& context) noexcept {
  return has(kCommandParents, context.parent) || has(kCommandNames, context.name) ||
         has(kCommandAttributes, context.name) ||
         (has(kProcessParents, context.parent) && has(kProcessNames, context.name));
}

// Generated passwords and tokens have no blanks, and passphrases no sign of a shell that begins them or
// stands directly before a word: ;ping -c1 x. In rock & roll it joins words.
bool may_be_secret(std::string_view whole) noexcept {
  constexpr std::size_t kMaxBytes = 4096;  // asked for each piece of a text
  if (whole.size() > kMaxBytes || whole.find_first_of(" \t\n\v\r") == whole.npos) return true;
  for (std::size_t at = whole.find_first_of(";|&"); at != whole.npos;
       at = whole.find_first_of(";|&", at + 1)) {
    if (at == 0 || (at + 1 < whole.size() && is_alpha(whole[at + 1]))) return false;
  }
  return true;
}

Where place_of(const FieldContext& context, std::string_view whole) {
  Where place = Where::kAnywhere;
  switch (context.location) {
    case Location::kUrlPath:
      place = Where::kPath;
      break;
    case Location::kQuery:
      place = Where::kQuery;
      break;
    case Location::kHeader:
      place = Where::kHeader;
      break;
    case Location::kCookie:
      place = Where::kCookie;
      break;
    case Location::kBody:
      place = context.stored ? Where::kFile
              : context.name.empty() && !is_wire_value(context) && !is_member(context) &&
                      !is_short_value(context, whole)
                  ? Where::kBody
                  : Where::kField;
      break;
    case Location::kFile:
      place = Where::kFile;
      break;
  }
  if (context.in_name) place = place | Where::kName;
  if (context.media) place = place | Where::kMedia;
  // Only bodies have room for a document.
  const bool body = context.location == Location::kBody || context.location == Location::kFile;
  if (body && whole.size() > kLongBytes) place = place | Where::kLong;
  if (!context.in_name && context.location != Location::kUrlPath &&
      (is_secret_name(context.name) || (context.name == "p" && context.parent == kLogInParent)) &&
      may_be_secret(whole))
    place = place | Where::kSecret;
  if (is_attribute(context) && has(kCommandAttributes, context.parent)) place = place | Where::kCommands;
  if (is_member(context)) {
    place = place | Where::kMember;
    if (keeps_commands(context)) place = place | Where::kCommands;
    if (names_mounts(context)) place = place | Where::kMounts;
    if (is_script_of_settings(context, whole)) place = place | Where::kScript;
  }
  return place;
}

// Fields in which people keep or send scripts, by the words of their names: a job, a paste, a ticket. A host,
// a user or a number has no lines.
bool may_hold_script(const FieldContext& context) {
  static constexpr WordSet kText({"script",   "scripts",  "code",    "content",  "contents",    "source",
                                  "body",     "text",     "command", "commands", "cmd",         "run",
                                  "snippet",  "paste",    "message", "comment",  "description", "note",
                                  "notes",    "job",      "step",    "steps",    "build",       "dockerfile",
                                  "config",   "template", "hook",    "task",     "playbook",    "init",
                                  "userdata", "payload",  "doc",     "issue",    "readme",      "value"});
  static constexpr WordSet kOthers({"host", "ip", "url", "name", "id", "title", "login", "email", "phone"});
  if (context.name.empty()) return true;
  bool text = false;
  for (std::size_t at = 0; at < context.name.size();) {
    while (at < context.name.size() && !is_alnum(context.name[at])) ++at;
    const std::size_t end = behind_word(context.name, at, is_alnum);
    const std::string_view word = context.name.substr(at, end - at);
    if (kOthers.has(word)) return false;
    text = text || kText.has(word);
    at = end;
  }
  return text;
}

bool is_search_name(std::string_view name) noexcept {
  while (name.starts_with('_')) name.remove_prefix(1);
  // searchterm, search_text, searchTags
  constexpr std::string_view kSearch = "search";
  if (istarts_with(name, kSearch) && name.size() > kSearch.size()) {
    name.remove_prefix(kSearch.size());
    while (name.starts_with('_') || name.starts_with('-')) name.remove_prefix(1);
    return has(kSearchNames, name) || has(kSearchParts, name);
  }
  return has(kSearchNames, name);
}

// Also in the query of Referer, which stands in a header, and {"search": {"name": …}}.
bool is_search(const FieldContext& context) noexcept {
  if (context.in_name || context.location == Location::kUrlPath || context.location == Location::kFile ||
      context.location == Location::kCookie)
    return false;
  // Who sends an attribute chooses its name.
  return is_search_name(innermost_name(context.name)) ||
         (!is_attribute(context) && is_search_name(context.parent));
}

}  // namespace

ContextReader::ContextReader(std::string_view text, const FieldContext& context)
    : text_(text),
      whole_(!context.uncut.empty()   ? context.uncut
             : !context.whole.empty() ? context.whole
                                      : text),
      context_(context),
      documents_(context.documents != nullptr ? *context.documents : own_),
      place_(place_of(context, whole_)),
      may_be_document_((meets(place_, Where::kField) || context.prose) &&
                       !meets(place_, Where::kName | Where::kMedia | Where::kSecret) &&
                       whole_.size() >= kMinDocumentBytes),
      decoded_part_(!context.uncut.empty()) {
  if (is_search(context_)) place_ = place_ | Where::kSearch;
}

Where ContextReader::where(std::size_t begin, std::size_t end) {
  if (context_.code && !breaks_out(whole_)) return place_ | Where::kQuoted | Where::kLiteral;
  if (!context_.prose && (place_ == Where::kBody || place_ == (Where::kBody | Where::kLong))) {
    return documents_.is_python(whole_) ? place_ | Where::kSource : place_;
  }
  if (!may_be_document_) return place_;
  const Document& document = documents_.of(whole_);
  const Where place = documents_.is_script() && may_hold_script(context_) ? place_ | Where::kScript : place_;
  if (!document.is_document()) return place;
  if (!is_quoted(document, begin, end)) return place | Where::kDocument;
  // What an entity spells is no markup there, and a decoding has undone it.
  const auto from = static_cast<std::size_t>(text_.data() - whole_.data());
  const bool tag = text_.substr(begin, end - begin).find('<') != std::string_view::npos;
  const bool spelled = decoded_part_ || context_.decode_path.find("html") != std::string_view::npos;
  const bool rendered = tag && !spelled && document.renders(from + begin, from + end);
  return place | Where::kQuoted | (rendered ? Where::kAnywhere : Where::kLiteral);
}

bool ContextReader::is_quoted(const Document& document, std::size_t begin, std::size_t end) {
  if (decoded_part_) return is_quoted_before_decoding(document, begin, end);
  const auto from = static_cast<std::size_t>(text_.data() - whole_.data());
  return document.quotes(from + begin, from + end);
}

bool ContextReader::is_quoted_before_decoding(const Document& document, std::size_t begin, std::size_t end) {
  if (!documents_.may_search(whole_.size())) return false;
  const std::size_t before = begin - std::min(begin, kNeighbourBytes);
  const std::size_t behind = std::min(text_.size() - end, kNeighbourBytes);
  // Whichever of several equal texts it came from: all have to be quoted.
  const std::string_view around = text_.substr(before, end + behind - before);
  std::size_t looked = 0;
  for (std::size_t same = whole_.find(around); same != std::string_view::npos;
       same = whole_.find(around, same + 1)) {
    if (++looked > kMaxEqualTexts || !document.quotes(same + begin - before, same + end - before))
      return false;
  }
  if (looked != 0) return true;
  // Decoded evidence: its neighbours stand in the same block.
  if (begin - before < kNeighbourBytes || behind < kNeighbourBytes) return false;
  const std::string_view before_it = text_.substr(before, kNeighbourBytes);
  const std::string_view behind_it = text_.substr(end, kNeighbourBytes);
  std::size_t right = 0;
  for (std::size_t left = whole_.find(before_it); left != std::string_view::npos;
       left = whole_.find(before_it, left + 1)) {
    if (right < left + kNeighbourBytes) right = whole_.find(behind_it, left + kNeighbourBytes);
    if (right == std::string_view::npos || ++looked > kMaxEqualTexts ||
        !document.quotes(left + kNeighbourBytes, right))
      return false;
  }
  return looked != 0;
}

}  // namespace wafd::detect
