#include "detect/analyze/template/directives.h"

#include <algorithm>

#include "detect/analyze/template/directives.tsv.h"
#include "detect/analyze/template/expression_reader.h"
#include "detect/analyze/template/names.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::templates {
namespace {

constexpr std::size_t kMaxLookBytes = 256;

char byte_at(std::string_view text, std::size_t at) noexcept { return at < text.size() ? text[at] : '\0'; }

// All functions get a text that begins with the directive's first byte, cut to kMaxLookBytes.

// <!--#exec …, with white space as mod_include allows it; Edge Side Includes 1.0.
Directive include_at(std::string_view text) noexcept {
  if (istarts_with(text, "<esi:") || istarts_with(text, "<!--esi"))
    return {DirectiveKind::kServerInclude, 64};
  if (!text.starts_with("<!--")) return {};
  const std::size_t hash = skip_space(text, 4);
  if (byte_at(text, hash) != '#') return {};
  // nginx writes a blank there (ngx_http_ssi_module); so do comments of other kinds, which give no parameter
  const std::size_t word = skip_space(text, hash + 1);
  const std::size_t end = behind_name(text, word);
  const DirectiveRow* row = kDirectives.find(text.substr(word, end - word));
  if (row == nullptr || !meets(row->lead, Lead::kInclude)) return {};
  if (word != hash + 1 && text.substr(0, text.find("-->", end)).find("=\"", end) == text.npos) return {};
  return {DirectiveKind::kServerInclude, 64};
}

// <j:jelly xmlns:j="jelly:core">, <g:evaluate>: elements of scripts by their namespace's usual prefixes.
Directive tag_at(std::string_view text) noexcept {
  const char prefix = to_lower(byte_at(text, 1));
  if (byte_at(text, 2) != ':' || (prefix != 'g' && prefix != 'j' && prefix != 'f')) return {};
  const std::size_t end = behind_name(text, 3);
  const DirectiveRow* row = kDirectives.find(text.substr(3, end - 3));
  const char behind = byte_at(text, end);
  if (row == nullptr || !meets(row->lead, Lead::kTag) ||
      (behind != '>' && behind != '/' && !is_space(behind)))
    return {};
  return {DirectiveKind::kScriptMacro, end};
}

// <#assign x=1>, [#assign x=1]
Directive freemarker_at(std::string_view text) noexcept {
  const std::size_t end = behind_name(text, 2);
  const DirectiveRow* row = kDirectives.find(text.substr(2, end - 2));
  if (row == nullptr || !meets(row->lead, Lead::kFreemarker) ||
      std::string_view(" >").find(byte_at(text, end)) == std::string_view::npos)
    return {};
  // <#list .data_model?keys as k>: a variable of the engine itself
  const std::size_t special = text.substr(0, text.find('>', end)).find(" .", end);
  if (special != std::string_view::npos && is_special_variable(text.substr(special + 1)))
    return {DirectiveKind::kReference, special + 2};
  if (byte_at(text, end) == '>' && !meets(row->lead, Lead::kPlain)) return {};
  return {meets(row->lead, Lead::kPlain) ? DirectiveKind::kPlain : DirectiveKind::kAssignment, end};
}

// #set($x = 1), #evaluate("…"), #include('/etc/passwd')
Directive velocity_at(std::string_view text) noexcept {
  const std::size_t word = byte_at(text, 1) == '{' ? 2 : 1;
  const std::size_t end = behind_name(text, word);
  const DirectiveRow* row = kDirectives.find(text.substr(word, end - word));
  if (row == nullptr || !meets(row->lead, Lead::kVelocity)) return {};
  std::size_t open = skip_space(text, byte_at(text, end) == '}' ? end + 1 : end);
  if (byte_at(text, open) != '(') return {};
  open = skip_space(text, open + 1);
  const char first = byte_at(text, open);
  if (meets(row->lead, Lead::kStores)) {
    if (first != '$') return {};
    const bool sets = text.find('=', open) != std::string_view::npos;
    return {sets ? DirectiveKind::kAssignment : DirectiveKind::kPlain, open};
  }
  if (first != '$' && first != '\'' && first != '"') return {};
  return {DirectiveKind::kSource, open};
}

// {{groovy}}, {{groovy output="false"}}: a macro whose content is a script.
Directive macro_at(std::string_view text) noexcept {
  const std::size_t end = behind_name(text, 2);
  const DirectiveRow* row = kDirectives.find(text.substr(2, end - 2));
  if (row == nullptr || !meets(row->lead, Lead::kMacro)) return {};
  const std::size_t close = text.find("}}", end);
  const bool attributes =
      byte_at(text, end) == ' ' && text.substr(end, close - end).find('=') != std::string_view::npos;
  if (close == std::string_view::npos || (close != end && !attributes)) return {};
  return {DirectiveKind::kScriptMacro, close + 2};
}

// \write18{id}, \input{|id}, \openin5=/etc/passwd
Directive tex_at(std::string_view text) noexcept {
  std::size_t end = behind_name(text, 1);
  const DirectiveRow* row = kDirectives.find(text.substr(1, end - 1));
  // \openin5: the handle is a number right behind.
  if (row == nullptr) {
    std::size_t letters = end;
    while (letters > 1 && is_digit(text[letters - 1])) --letters;
    row = kDirectives.find(text.substr(1, letters - 1));
    end = letters;
  }
  if (row == nullptr) return {};
  std::size_t open = skip_space(text, end);
  if (meets(row->lead, Lead::kTexRuns) && byte_at(text, open) == '{')
    return {DirectiveKind::kTexRuns, open + 1};
  const bool file = meets(row->lead, Lead::kTexFile);
  if (!file && !meets(row->lead, Lead::kTexHandle)) return {};
  // Options in brackets, the handle, braces: the file's name is behind the last of them.
  while (open < text.size() &&
         (text[open] == '[' || text[open] == '\\' || text[open] == '=' || text[open] == '{' ||
          text[open] == '"' || is_digit(text[open]) || is_space(text[open]))) {
    if (text[open] == '[')
      open = std::min(text.find(']', open), text.size() - 1);
    else if (text[open] == '\\')
      open = behind_name(text, open + 1) - 1;
    ++open;
  }
  const std::string_view name = text.substr(std::min(open, text.size()));
  if (name.starts_with('|')) return {DirectiveKind::kTexRuns, open + 1};
  const bool outside = name.starts_with('/') || name.starts_with("../") || name.starts_with('~');
  // \openout makes the file or empties it, whatever it is called.
  const bool made = text.substr(1, 7) == "openout" && text.substr(end, open - end).find('=') != text.npos &&
                    !name.empty() && is_alnum(name[0]);
  return (outside || made) && open > end ? Directive{DirectiveKind::kTexFile, open + 1} : Directive{};
}

// <%namespace module="os"/>, <%include file="a"/>: Mako's tags have no closing delimiter of their own.
Directive mako_at(std::string_view text) noexcept {
  const std::size_t end = behind_name(text, 2);
  const DirectiveRow* row = kDirectives.find(text.substr(2, end - 2));
  const char behind = byte_at(text, end);
  if (row == nullptr || !meets(row->lead, Lead::kMako) || (behind != '>' && !is_space(behind))) return {};
  const std::string_view attributes = text.substr(end, text.find('>', end) - end);
  const bool takes =
      attributes.find("module=") != attributes.npos || attributes.find("expr=") != attributes.npos;
  return {takes ? DirectiveKind::kSource : DirectiveKind::kPlain, end};
}

// ${run{/bin/id}}, ${lookup{x}lsearch{/etc/passwd}}: what a string of Exim expands to (its
// specification, 11.5).
Directive expansion_at(std::string_view text) noexcept {
  const std::size_t end = behind_name(text, 2);
  const DirectiveRow* row = kDirectives.find(text.substr(2, end - 2));
  const std::size_t open = skip_space(text, end);
  if (row == nullptr || !meets(row->lead, Lead::kExim) || byte_at(text, open) != '{') return {};
  return text.find('}', open) == text.npos ? Directive{} : Directive{DirectiveKind::kExpansion, open + 1};
}

// $x.getClass(), $class.inspect('…'), $!x.class.forName(…)
Directive reference_at(std::string_view text) noexcept {
  std::size_t at = byte_at(text, 1) == '!' ? 2 : 1;
  if (!is_alpha(byte_at(text, at))) return {};
  for (std::size_t members = 0;; ++members) {
    const std::size_t end = behind_name(text, at);
    const std::string_view name = text.substr(at, end - at);
    const NameRow* row = kNames.find(name);
    const bool call = byte_at(text, end) == '(';
    if (members > 0 && row != nullptr && meets(row->use, NameUse::kReachMember) && call)
      return {DirectiveKind::kReference, end};
    const bool chain = byte_at(text, end) == '.' && is_alpha(byte_at(text, end + 1));
    if (members > 0 && name == "class" && chain) return {DirectiveKind::kReference, end};
    if (!chain) return {};
    at = end + 1;
  }
}

// Perl: @{[ … ]} in a string runs the block.
Directive interpolated_at(std::string_view text) noexcept {
  if (byte_at(text, 1) != '{') return {};
  const std::size_t open = skip_space(text, 2);
  if (byte_at(text, open) != '[' || text.find(']', open) == std::string_view::npos) return {};
  return {DirectiveKind::kInterpolated, open + 1};
}

// @System.IO.File.ReadAllText("x"), @Html.Raw(x), @functions{ }: Razor's expressions without parentheses and
// its directives (ASP.NET Core, Razor syntax reference). Handles of people have no such parts.
Directive razor_at(std::string_view text) noexcept {
  for (const std::string_view root : {"@System.", "@Microsoft."}) {
    if (!text.starts_with(root)) continue;
    const std::size_t end = behind_name(text, root.size());
    std::size_t at = end;
    while (byte_at(text, at) == '.' && is_upper(byte_at(text, at + 1))) at = behind_name(text, at + 1);
    const bool called = byte_at(text, at) == '(' || byte_at(text, at) == '[';
    const bool told =
        text.substr(0, at).ends_with(".MachineName") || text.substr(0, at).ends_with(".CurrentDirectory");
    if (is_upper(byte_at(text, root.size())) && at != end && (called || told))
      return {DirectiveKind::kSource, at};
  }
  if (text.starts_with("@Html.Raw(")) return {DirectiveKind::kSource, 10};
  constexpr std::string_view kFunctions = "@functions";
  const bool block =
      text.starts_with(kFunctions) && byte_at(text, skip_space(text, kFunctions.size())) == '{';
  return block ? Directive{DirectiveKind::kSource, kFunctions.size()} : Directive{};
}

Directive read(std::string_view text) noexcept {
  const char next = byte_at(text, 1);
  switch (text[0]) {
    case '<':
      if (next == '#') return freemarker_at(text);
      if (next == '%') return mako_at(text);
      if (next == '!' || next == 'e' || next == 'E') return include_at(text);
      // A macro that the application defines: <@liferay_ui["x"] …>.
      if (istarts_with(text, "<@liferay")) return {DirectiveKind::kAssignment, 9};
      return tag_at(text);
    case '[':
      return next == '#' ? freemarker_at(text) : Directive{};
    case '#':
      return velocity_at(text);
    case '{':
      return next == '{' ? macro_at(text) : Directive{};
    case '\\':
      return tex_at(text);
    case '$':
      return next == '{' ? expansion_at(text) : reference_at(text);
    case '@':
      return next == '{' ? interpolated_at(text) : razor_at(text);
    default:
      return {};
  }
}

}  // namespace

bool is_special_variable(std::string_view inner) noexcept {
  static constexpr WordSet kSpecial({"data_model",
                                     "globals",
                                     "main",
                                     "vars",
                                     "locals",
                                     "namespace",
                                     "version",
                                     "template_name",
                                     "current_template_name",
                                     "main_template_name",
                                     "locale",
                                     "caller_template_name",
                                     "get_optional_template",
                                     "incompatible_improvements",
                                     "now",
                                     "error",
                                     "lang",
                                     "time_zone",
                                     "output_encoding",
                                     "output_format",
                                     "auto_esc",
                                     "url_escaping_charset",
                                     "node",
                                     "current_node",
                                     "pass",
                                     "args",
                                     "locale_object",
                                     "xmlns",
                                     "macro_caller_template_name"});
  if (!inner.starts_with('.')) return false;
  const auto end =
      std::find_if(inner.begin() + 1, inner.end(), [](char c) { return !is_alpha(c) && c != '_'; });
  return kSpecial.has({inner.data() + 1, static_cast<std::size_t>(end - inner.begin() - 1)});
}

Directive directive_at(std::string_view text, std::size_t at) noexcept {
  // An address of mail; and what is asked about Razor
  const bool razor = text.substr(at).starts_with("@Html") || text.substr(at).starts_with("@functions");
  if (text[at] == '@' && at > 0 && (is_name_byte(text[at - 1]) || razor)) return {};
  Directive found = read(text.substr(at, kMaxLookBytes));
  if (found.kind != DirectiveKind::kNone) found.end = std::min(text.size(), at + found.end);
  return found;
}

}  // namespace wafd::detect::templates
