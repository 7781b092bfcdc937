// Where evidence stands, as the judgement's rows ask for it.
#pragma once

#include <cstddef>
#include <string_view>

#include "detect/analyze/base/analyzer.h"
#include "detect/judge/document.h"
#include "detect/judge/judgement.h"

namespace wafd::detect {

// Lives for the evidence of one text; both arguments must outlive it. What is costly to know is read when
// first asked, in time linear in the whole text.
class ContextReader {
 public:
  ContextReader(std::string_view text, const FieldContext& context);

  // Of the evidence from `begin` to `end` in the text.
  Where where(std::size_t begin, std::size_t end);

 private:
  // Whether it is inside of a block that the document quotes.
  bool is_quoted(const Document& document, std::size_t begin, std::size_t end);
  // The same of a part of a decoding: by what stands around it in the text that was decoded.
  bool is_quoted_before_decoding(const Document& document, std::size_t begin, std::size_t end);

  std::string_view text_;
  std::string_view whole_;
  const FieldContext& context_;
  DocumentCache own_;
  DocumentCache& documents_;
  Where place_;                   // what is true of all evidence in the text
  bool may_be_document_ = false;  // a named field of a body, long enough
  bool decoded_part_ = false;     // text_ is no part of whole_, but of what a decoding made of it
};

}  // namespace wafd::detect
