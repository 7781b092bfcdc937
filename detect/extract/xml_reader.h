// XML as fields: text, attribute values, comments, processing instructions. Expat reads it; entities that the
// document declares are expanded within limits. An element's text is a field up to each of its children, and
// as a whole.
#pragma once

#include <memory>
#include <string_view>

#include "detect/extract/fields.h"

namespace wafd::detect {

// Keeps its parser between documents. One thread at a time.
class XmlReader {
 public:
  XmlReader();
  ~XmlReader();

  // True: all of `text` was well-formed. False: at the first error or limit the rest was added as one raw
  // field; with `nothing_read` set if no element had been seen and nothing was added. A document with a
  // DOCTYPE is also added as a whole, because what the declarations say is what an attack would be.
  bool read(std::string_view text, const Field& like, FieldList& out, bool& nothing_read);

  // The text that was read last, less the insides of long CDATA sections: they are values that were added as
  // they stand. Part of `out`'s arena if there are any.
  std::string_view without_sections(FieldList& out) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wafd::detect
