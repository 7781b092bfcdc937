// Rules of the PHP analyser, and the readers that add to them; each is linear in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/analyze/base/analyzer.h"
#include "detect/analyze/base/writing.h"

namespace wafd::detect {

enum PhpRule : std::uint16_t {
  kPhpOpenTag,
  kPhpShortTag,
  kPhpRequestVariable,
  kPhpRequestName,
  kPhpNested,
  kPhpCall,
  kPhpCallText,
  kPhpStringCall,
  kPhpVariableCall,
  kPhpVariableText,
  kPhpDirective,
  kPhpFileCode,
  kPhpDirectiveText,
  kPhpShownCode,
  kPhpRuleCount,
};

// <?php and the other tags that open code (php_tags.cc).
void read_php_tags(std::string_view text, const FieldContext& context, FirstHits& found);

// Code without a tag, as it lands in eval() and the like (php_reader.h).
void read_php_code(std::string_view text, const FieldContext& context, FirstHits& found);

// A name that may stand in a reason: letters, digits, '_' and '.', cut.
std::string shown_name(std::string_view name);

}  // namespace wafd::detect
