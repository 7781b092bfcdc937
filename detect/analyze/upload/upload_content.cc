#include "detect/analyze/upload/upload_content.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeadBytes = 1024;

constexpr WordSet kPhpCalls({"system", "exec", "shell_exec", "passthru", "popen", "proc_open", "pcntl_exec",
                             "eval", "assert", "phpinfo", "include", "require", "base64_decode", "str_rot13",
                             "call_user_func", "gzinflate", "create_function", "file_get_contents",
                             "file_put_contents"});
constexpr WordSet kPhpRequest({"_get", "_post", "_request", "_cookie", "_server", "_files", "_env"});

bool word_octet(char c) noexcept { return is_alnum(c) || c == '_'; }

std::string_view word_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && word_octet(text[end])) ++end;
  return text.substr(at, end - at);
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> words) noexcept {
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
  return octet(text[at]) | static_cast<std::size_t>(octet(text[at + 1])) << 8;
}

}  // namespace

UploadFinding find_page_code(std::string_view text) noexcept {
  for (std::size_t at = text.find("<%"); at != std::string_view::npos; at = text.find("<%", at + 2)) {
    const std::string_view rest = text.substr(at + 2, 256);
    const std::size_t first = rest.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) break;
    const std::string_view code = rest.substr(first);
    const bool directive =
        code.starts_with('@') && holds_any(code.substr(0, 64), {"page", "language", "import", "webhandler"});
    if (directive || holds_any(code, {"runtime", "request", "eval", "execute", "response.", "createobject",
                                      "processbuilder", "out.print"})) {
      return {UploadSign::kPageCode, at, at + 64, "The file holds code of a server page, between <% and %>."};
    }
  }
  const std::size_t runat = ifind(text, "runat=");
  if (runat != std::string_view::npos && ifind(text.substr(runat, 16), "server") != std::string_view::npos &&
      ifind(text.substr(0, runat), "<script") != std::string_view::npos) {
    return {UploadSign::kPageCode, runat, runat + 64,
            "The file holds a script element that an ASP.NET server runs."};
  }
  return {};
}

UploadFinding find_short_tag(std::string_view text) noexcept {
  constexpr std::size_t kMaxCodeBytes = 256;
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
    if (command || request || call) {
      return {UploadSign::kShortTag, at, at + 64,
              "Behind a short tag of PHP the file runs a command, calls a function or reads the request."};
    }
  }
  return {};
}

UploadFinding find_program(std::string_view text) noexcept {
  const auto found = [](std::size_t end, const char* reason) {
    return UploadFinding{UploadSign::kProgram, 0, end, reason};
  };
  if (text.starts_with("MZ")) {
    const bool header = text.size() >= 0x40 && little16(text, 0x3e) == 0 &&
                        text.substr(std::min(little16(text, 0x3c), text.size())).starts_with("PE\0\0"sv);
    const std::string_view head = text.substr(0, kHeadBytes);
    if (header || holds_any(head, {"cannot be run in DOS mode", "must be run under Win"}))
      return found(2, "A file that says it is media is a program of Windows.");
  }
  if (text.size() >= 7 &&
      text.starts_with("\x7f"
                       "ELF") &&
      (text[4] == 1 || text[4] == 2) && (text[5] == 1 || text[5] == 2) && text[6] == 1)
    return found(4, "A file that says it is media is a program of Linux.");
  if (text.size() >= 8) {
    const std::string_view magic = text.substr(0, 4);
    if (magic == "\xfe\xed\xfa\xce" || magic == "\xfe\xed\xfa\xcf" || magic == "\xce\xfa\xed\xfe" ||
        magic == "\xcf\xfa\xed\xfe")
      return found(4, "A file that says it is media is a program of macOS.");
    if (magic == "\xca\xfe\xba\xbe" && octet(text[4]) == 0)
      return found(4, "A file that says it is media is a class of Java or a program of macOS.");
    if (text.starts_with("dex\n0")) return found(4, "A file that says it is media is a program of Android.");
  }
  if (text.starts_with("#!")) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), std::size_t{256}));
    const std::size_t path = line.find_first_not_of(" \t", 2);
    const bool printable =
        std::all_of(line.begin(), line.end(), [](char c) { return octet(c) >= ' ' || is_space(c); });
    if (path != std::string_view::npos && line[path] == '/' && printable)
      return found(line.size(), "A file that says it is media is a script with an interpreter's line.");
  }
  return {};
}

UploadFinding find_drawing(std::string_view text, bool media) noexcept {
  const auto found = [&](std::size_t at, const char* reason) {
    return UploadFinding{UploadSign::kDrawing, at, at + 64, reason};
  };
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::string_view rest = text.substr(first);
  if (rest.starts_with("%!PS")) {
    const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
    // Encapsulated PostScript is an image of its own kind, and old PDF files may begin so.
    const bool own_kind = line.find("EPSF") != std::string_view::npos ||
                          rest.substr(0, kHeadBytes).find("PDF-") != std::string_view::npos;
    if ((media && !own_kind) || holds_any(text, {"%pipe%", ".forceput", "deletefile", "renamefile"}))
      return found(first, "The file is a program in PostScript, which converters of images run.");
  }
  const std::size_t push = ifind(text, "push graphic-context");
  if (push != std::string_view::npos) {
    const std::string_view body = text.substr(push, 4096);
    if ((media && push == first) || holds_any(body, {"url(", "image over", "image src"}))
      return found(
          push,
          "The file holds drawing instructions, by which a converter of images reads, fetches or runs.");
  }
  const std::size_t read = ifind(text, "<read");
  if (read != std::string_view::npos && ifind(text.substr(read, 64), "filename") != std::string_view::npos &&
      ifind(text.substr(0, read), "<image") != std::string_view::npos)
    return found(read, "The file is a script of a converter of images, which reads and writes files.");
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
      return found(begin,
                   "The file names another one by a prefix with which a converter of images reads it.");
  }
  return {};
}

UploadFinding find_archive_path(std::string_view text) noexcept {
  constexpr std::size_t kZipHeader = 30;
  constexpr std::size_t kTarMagic = 257;
  constexpr std::size_t kTarName = 100;
  const char* const reason = "The archive holds an entry that would be unpacked outside of its folder.";
  for (std::size_t at = text.find("PK\3\4"); at != std::string_view::npos; at = text.find("PK\3\4", at + 4)) {
    if (at + kZipHeader > text.size()) break;
    const std::string_view name = text.substr(at + kZipHeader, little16(text, at + 26));
    if (climbs(name))
      return {UploadSign::kArchivePath, at + kZipHeader, at + kZipHeader + name.size(), reason};
  }
  for (std::size_t at = text.find("ustar"); at != std::string_view::npos; at = text.find("ustar", at + 5)) {
    if (at < kTarMagic) continue;
    const std::string_view field = text.substr(at - kTarMagic, kTarName);
    const std::string_view name = field.substr(0, field.find('\0'));
    if (climbs(name)) return {UploadSign::kArchivePath, at - kTarMagic, at - kTarMagic + name.size(), reason};
  }
  return {};
}

}  // namespace wafd::detect
