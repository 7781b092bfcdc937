#include "detect/extract/body_type.h"

#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {

std::string_view media_type_of(std::string_view content_type) noexcept {
  return trim(content_type.substr(0, content_type.find(';')));
}

BodyType declared_type(std::string_view value) noexcept {
  const std::string_view media = media_type_of(value);
  if (trim(value).empty()) return BodyType::kNone;
  if (ifind(media, "form-urlencoded") != std::string_view::npos) return BodyType::kForm;
  if (ifind(media, "multipart/") != std::string_view::npos) return BodyType::kMultipart;
  if (ifind(media, "json") != std::string_view::npos) return BodyType::kJson;
  if (ifind(media, "xml") != std::string_view::npos) return BodyType::kXml;
  if (istarts_with(media, "message/")) return BodyType::kMail;
  return BodyType::kOther;
}

bool is_plain_text_type(std::string_view value) noexcept {
  return iequals(media_type_of(value), "text/plain");
}

bool is_prose(std::string_view value) noexcept {
  static constexpr WordSet kTypes({"text/asciidoc", "text/markdown", "text/prs.fallenstein.rst",
                                   "text/x-asciidoc", "text/x-markdown", "text/x-rst",
                                   "text/x-web-markdown"});
  return kTypes.has(media_type_of(value));
}

namespace {

// A segment of a path that names a file, as programs before the path's end are: index.php, run.cgi, app.dll.
bool names_file(std::string_view segment) noexcept {
  segment = segment.substr(0, segment.find(';'));
  const std::size_t dot = segment.rfind('.');
  return dot != std::string_view::npos && dot + 1 < segment.size() && is_alpha(segment[dot + 1]);
}

bool has_second_line(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const std::size_t end = text.find('\n', first);
  return first != std::string_view::npos && end != std::string_view::npos &&
         text.find_first_not_of(" \t\r\n", end) != std::string_view::npos;
}

}  // namespace

bool is_stored_file(std::string_view method, std::string_view path, std::string_view body) noexcept {
  // Texts and pages (RFC 7763, RFC 2854 and the formats' own names), sources by the languages' documentation,
  // settings. What servers run for its name is left out.
  static constexpr WordSet kExtensions(
      {"adoc", "asciidoc", "bash", "bat",   "bib", "c",     "cc",   "cfg",  "conf", "cpp", "css",  "diff",
       "env",  "go",       "h",    "hpp",   "htm", "html",  "ini",  "java", "js",   "kt",  "less", "log",
       "lua",  "markdown", "md",   "mjs",   "org", "patch", "pl",   "ps1",  "py",   "rb",  "rs",   "rst",
       "scss", "sh",       "sql",  "swift", "tex", "text",  "toml", "ts",   "tsx",  "txt", "vue",  "zsh"});
  if (method != "PUT" || !has_second_line(body)) return false;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view name = path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name.find(';') != std::string_view::npos ||
      !kExtensions.has(name.substr(dot + 1)))
    return false;
  for (std::string_view folders = path.substr(0, slash); !folders.empty();) {
    const std::size_t before = folders.rfind('/');
    const std::string_view folder = folders.substr(before + 1);
    if (names_file(folder) || iequals(folder, "cgi-bin")) return false;
    folders = folders.substr(0, before == std::string_view::npos ? 0 : before);
  }
  return true;
}

}  // namespace wafd::detect
