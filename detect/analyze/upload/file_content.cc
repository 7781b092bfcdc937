#include "detect/analyze/upload/file_content.h"

#include <algorithm>
#include <array>
#include <span>

#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::upload {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeadBytes = 1024;
constexpr std::size_t kMaxDrawingBytes = 4096;

constexpr WordSet kPhpCalls({"system", "exec", "shell_exec", "passthru", "popen", "proc_open", "pcntl_exec",
                             "eval", "assert", "phpinfo", "include", "require", "base64_decode", "str_rot13",
                             "call_user_func", "gzinflate", "create_function", "file_get_contents",
                             "file_put_contents"});
constexpr WordSet kPhpRequest({"_get", "_post", "_request", "_cookie", "_server", "_files", "_env"});

// JSP 3.1, ASP, ASP.NET: <%@ page …%>, <%@ Language="C#" %>
constexpr WordSet kDirectives({"page", "include", "taglib", "tag", "attribute", "variable", "language",
                               "import", "webhandler", "webservice", "control", "master", "assembly",
                               "register", "codepage"});
// Of the code between <% and %>.
constexpr std::array<std::string_view, 8> kPageWords{
    "runtime", "request", "eval", "execute", "response.", "createobject", "out.print", "processbuilder"};
constexpr std::size_t kMaxWordBytes = 16;
constexpr std::size_t kMaxCodeBytes = 256;
constexpr std::size_t kShownBytes = 64;
constexpr std::size_t kMaxEntryNameBytes = 1024;

std::string_view word_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && is_name_byte(text[end])) ++end;
  return text.substr(at, end - at);
}

bool holds_any(std::string_view text, std::span<const std::string_view> words) noexcept {
  return std::any_of(words.begin(), words.end(),
                     [text](std::string_view word) { return ifind(text, word) != std::string_view::npos; });
}

// A name of an entry that has ".." as a part.
bool climbs(std::string_view name) noexcept {
  for (std::size_t at = name.find(".."); at != std::string_view::npos; at = name.find("..", at + 2)) {
    const bool begins = at == 0 || name[at - 1] == '/' || name[at - 1] == '\\';
    const bool ends = at + 2 == name.size() || name[at + 2] == '/' || name[at + 2] == '\\';
    if (begins && ends) return true;
  }
  return false;
}

std::size_t little16(std::string_view text, std::size_t at) noexcept {
  return byte(text[at]) | static_cast<std::size_t>(byte(text[at + 1])) << 8;
}

// Printable up to the end of the tag, with a variable of the request, a command in backticks or a call in it:
// no chance bytes of compressed data. Of media any parenthesis or quote will do: no image needs a program.
bool is_php_text(std::string_view code, bool media) noexcept {
  constexpr std::size_t kLeastBytes = 8;
  const auto printable =
      std::find_if(code.begin(), code.end(), [](char c) { return byte(c) < ' ' || byte(c) >= 0x7F; });
  code = code.substr(0, static_cast<std::size_t>(printable - code.begin()));
  code = code.substr(0, code.find("?>"));
  if (code.size() < kLeastBytes) return false;
  if (media && code.find_first_of("('\"") != code.npos) return true;
  const std::size_t tick = code.find('`');
  if (tick != code.npos && code.find('`', tick + 2) != code.npos) return true;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (at > 0 && is_name_byte(code[at - 1])) continue;
    const std::string_view word = word_at(code, at);
    if (word.empty()) continue;
    const std::size_t behind = at + word.size();
    if (at > 0 && code[at - 1] == '$' && kPhpRequest.has(word)) return true;
    if (behind < code.size() && code[behind] == '(' && kPhpCalls.has(word)) return true;
  }
  return false;
}

}  // namespace

ContentFinding find_page_code(std::string_view text) noexcept {
  std::size_t looked_to = 0;  // what several begin before is looked through once
  for (std::size_t at = text.find("<%"); at != std::string_view::npos; at = text.find("<%", at + 2)) {
    const std::size_t first = skip_space(text, std::min(at + 2, text.size()));
    if (first < text.size() && text[first] == '@' &&
        kDirectives.has(word_at(text, skip_space(text, first + 1))))
      return {at, at + kShownBytes, Certainty::kCertain, "a directive of a server page"};
    const std::size_t from = std::max(at + 2, looked_to);
    const std::size_t to = std::min(at + 2 + kMaxCodeBytes, text.size());
    if (from < to && holds_any(text.substr(from, to - from), kPageWords))
      return {at, at + kShownBytes, Certainty::kCertain, "code of a server page"};
    looked_to = to > kMaxWordBytes ? std::max(looked_to, to - kMaxWordBytes) : looked_to;
  }
  // JSP documents (JSP 3.1, chapter 6): code as elements
  for (const std::string_view element : {"<jsp:scriptlet", "<jsp:declaration", "<jsp:expression"}) {
    const std::size_t at = ifind(text, element);
    if (at != std::string_view::npos)
      return {at, at + kShownBytes, Certainty::kCertain, "an element of a server page"};
  }
  const std::size_t runat = ifind(text, "runat=");
  if (runat != std::string_view::npos && ifind(text.substr(runat, 16), "server") != std::string_view::npos &&
      ifind(text.substr(0, runat), "<script") != std::string_view::npos)
    return {runat, runat + kShownBytes, Certainty::kCertain, "a script that an ASP.NET server runs"};
  return {};
}

ContentFinding find_short_tag(std::string_view text, bool media) noexcept {
  std::size_t sign = 0;
  for (std::size_t at = text.find("<?"); at != std::string_view::npos; at = text.find("<?", at + 2)) {
    std::string_view code = text.substr(at + 2, kMaxCodeBytes);
    if (code.empty() || !(code[0] == '=' || is_space(code[0]))) continue;
    code.remove_prefix(1);
    const std::size_t first = code.find_first_not_of(" \t\r\n@(\0"sv);
    if (first == std::string_view::npos) continue;
    code.remove_prefix(first);
    const bool command = code[0] == '`' && code.find('`', 1) != std::string_view::npos;
    const bool request = code[0] == '$' && kPhpRequest.has(word_at(code, 1));
    const std::string_view word = word_at(code, 0);
    const std::size_t behind = code.find_first_not_of(' ', word.size());
    const bool call = kPhpCalls.has(word) && behind != std::string_view::npos &&
                      (code[behind] == '(' || code[behind] == '$');
    // Without one of these signs near it there is nothing to read.
    if (sign < at) sign = std::min(text.find_first_of("('\"`$", at), text.size());
    const bool near = sign < at + kMaxCodeBytes;
    if (command || request || call || (near && is_php_text(text.substr(at + 3, kMaxCodeBytes), media))) {
      return {at, at + kShownBytes, Certainty::kCertain, "<?"};
    }
  }
  return {};
}

ContentFinding find_program(std::string_view text) noexcept {
  const auto found = [](std::size_t end, std::string_view system) {
    return ContentFinding{0, end, Certainty::kCertain, system};
  };
  if (text.starts_with("MZ")) {
    const bool header = text.size() >= 0x40 && little16(text, 0x3e) == 0 &&
                        text.substr(std::min(little16(text, 0x3c), text.size())).starts_with("PE\0\0"sv);
    const std::string_view head = text.substr(0, kHeadBytes);
    if (header || holds_any(head, std::array<std::string_view, 2>{"cannot be run in DOS mode",
                                                                  "must be run under Win"}))
      return found(2, "Windows");
  }
  if (text.size() >= 7 &&
      text.starts_with("\x7f"
                       "ELF") &&
      (text[4] == 1 || text[4] == 2) && (text[5] == 1 || text[5] == 2) && text[6] == 1)
    return found(4, "Linux");
  if (text.size() >= 8) {
    const std::string_view magic = text.substr(0, 4);
    if (magic == "\xfe\xed\xfa\xce" || magic == "\xfe\xed\xfa\xcf" || magic == "\xce\xfa\xed\xfe" ||
        magic == "\xcf\xfa\xed\xfe")
      return found(4, "macOS");
    if (magic == "\xca\xfe\xba\xbe" && byte(text[4]) == 0) return found(4, "Java or macOS");
    if (text.starts_with("dex\n0")) return found(4, "Android");
  }
  if (text.starts_with("#!")) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), std::size_t{256}));
    const std::size_t path = line.find_first_not_of(" \t", 2);
    const bool printable =
        std::all_of(line.begin(), line.end(), [](char c) { return byte(c) >= ' ' || is_space(c); });
    if (path != std::string_view::npos && line[path] == '/' && printable)
      return found(line.size(), "an interpreter");
  }
  return {};
}

ContentFinding find_drawing(std::string_view text) noexcept {
  const auto found = [](std::size_t at, bool acts, std::string_view what) {
    return ContentFinding{at, at + kShownBytes, acts ? Certainty::kCertain : Certainty::kLikely, what};
  };
  const std::size_t first = skip_space(text, 0);
  const std::string_view rest = text.substr(first);
  if (rest.starts_with("%!PS")) {
    const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
    // Encapsulated PostScript is an image of its own kind, and old PDF files may begin so.
    const bool own_kind = line.find("EPSF") != std::string_view::npos ||
                          rest.substr(0, kHeadBytes).find("PDF-") != std::string_view::npos;
    const bool acts =
        holds_any(text, std::array<std::string_view, 4>{"%pipe%", ".forceput", "deletefile", "renamefile"});
    if (acts || !own_kind) return found(first, acts, "a program in PostScript");
  }
  const std::size_t push = ifind(text, "push graphic-context");
  if (push != std::string_view::npos) {
    const bool acts = holds_any(text.substr(push, kMaxDrawingBytes),
                                std::array<std::string_view, 3>{"url(", "image over", "image src"});
    if (acts || push == first) return found(push, acts, "drawing instructions of ImageMagick");
  }
  const std::size_t read = ifind(text, "<read");
  if (read != std::string_view::npos && ifind(text.substr(read, 64), "filename") != std::string_view::npos &&
      ifind(text.substr(0, read), "<image") != std::string_view::npos)
    return found(read, true, "a script of ImageMagick");
  // href="msl:/…", 'label:@/…': prefixes by which ImageMagick chooses what reads a file.
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    static constexpr WordSet kCoders(
        {"msl", "ephemeral", "mvg", "vid", "pango", "label", "caption", "text", "info", "inline", "fd"});
    std::size_t begin = colon;
    while (begin > 0 && colon - begin < 10 && is_alpha(text[begin - 1])) --begin;
    if (begin == 0 || colon + 1 >= text.size()) continue;
    const char quote = text[begin - 1];
    const char next = text[colon + 1];
    if ((quote == '"' || quote == '\'' || quote == '(') && (next == '@' || next == '/' || next == '.') &&
        kCoders.has(text.substr(begin, colon - begin)))
      return found(begin, true, "another file by a coder of ImageMagick");
  }
  return {};
}

ContentFinding find_playlist(std::string_view text) noexcept {
  // #EXTM3U as FFmpeg reads it: its protocols read other files and fetch other addresses.
  if (!text.substr(skip_space(text, 0)).starts_with("#EXTM3U")) return {};
  for (const std::string_view sign :
       {"concat:", "subfile,", "file:///etc/", "file:///proc/", "/etc/passwd"}) {
    const std::size_t at = text.find(sign);
    if (at != text.npos)
      return {at, at + kShownBytes, Certainty::kCertain, "a playlist that reads other files"};
  }
  return {};
}

ContentFinding find_archive_path(std::string_view text) noexcept {
  constexpr std::size_t kZipHeader = 30;
  constexpr std::size_t kTarMagic = 257;
  constexpr std::size_t kTarName = 100;
  for (std::size_t at = text.find("PK\3\4"); at != std::string_view::npos; at = text.find("PK\3\4", at + 4)) {
    if (at + kZipHeader > text.size()) break;
    const std::string_view name =
        text.substr(at + kZipHeader, std::min(little16(text, at + 26), kMaxEntryNameBytes));
    if (climbs(name)) return {at + kZipHeader, at + kZipHeader + name.size(), Certainty::kCertain, name};
  }
  for (std::size_t at = text.find("ustar"); at != std::string_view::npos; at = text.find("ustar", at + 5)) {
    if (at < kTarMagic) continue;
    const std::string_view field = text.substr(at - kTarMagic, kTarName);
    const std::string_view name = field.substr(0, field.find('\0'));
    if (climbs(name)) return {at - kTarMagic, at - kTarMagic + name.size(), Certainty::kCertain, name};
    // A link, hard or symbolic (POSIX.1-2017 pax, ustar interchange format), to the accounts of the machine
    constexpr std::size_t kType = 156;
    constexpr std::size_t kLink = 157;
    const std::size_t header = at - kTarMagic;
    const std::string_view link = text.substr(header + kLink, kTarName);
    const std::string_view target = link.substr(0, link.find('\0'));
    if ((text[header + kType] == '1' || text[header + kType] == '2') &&
        (target.ends_with("etc/passwd") || target.ends_with("etc/shadow")))
      return {header + kLink, header + kLink + target.size(), Certainty::kCertain, target};
  }
  return {};
}

}  // namespace wafd::detect::upload
