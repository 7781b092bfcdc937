// Documents of XML in ZIP archives (office documents, EPUB, packages): who opens such a file has them parsed,
// with the entities that they declare (APPNOTE.TXT 4.3; ECMA-376 part 2).
#pragma once

#include "detect/extract/fields.h"

namespace wafd::detect {

// For every field from `begin` on that is a ZIP archive: the declarations before the root element of each
// entry that is XML and has a document type become a field of their own. Of an entry without one nothing but
// its first bytes is inflated; at most 512 entries and 256 KiB of declarations are read.
void add_archive_documents(FieldList& out, std::size_t begin);

}  // namespace wafd::detect
