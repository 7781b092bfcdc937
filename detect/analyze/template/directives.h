// Statements of template engines that stand without a pair of delimiters: server-side includes, Freemarker,
// Velocity, script macros of wikis, Jelly, TeX, Exim; references of Velocity, Perl's blocks in strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::templates {

enum class DirectiveKind : std::uint8_t {
  kNone,
  kServerInclude,  // <!--#exec cmd="id"-->, <esi:include src=…>
  kAssignment,     // <#assign x=…>, #set($x=…)
  kPlain,          // <#list a as b>: shared templates have it
  kSource,         // #include("/etc/passwd"), #evaluate($x)
  kScriptMacro,    // {{groovy}}, <g:evaluate>
  kTexRuns,        // \write18{id}
  kTexFile,        // \input{/etc/passwd}
  kReference,      // $x.getClass()
  kInterpolated,   // @{[ … ]}
  kExpansion,      // ${run{/bin/id}}
};

struct Directive {
  DirectiveKind kind = DirectiveKind::kNone;
  std::size_t end = 0;
};

// The directive that begins at text[at]; looks at no more than a few hundred bytes of it.
Directive directive_at(std::string_view text, std::size_t at) noexcept;

// ${.data_model}: variables of Freemarker itself (its manual, "Special variable reference").
bool is_special_variable(std::string_view inner) noexcept;

// Bytes that one begins with.
inline constexpr std::string_view kDirectiveBytes = "<[#{\\$@";

}  // namespace wafd::detect::templates
