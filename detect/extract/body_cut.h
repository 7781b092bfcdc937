// Where a body that did not come whole was cut. Uploads are the one ordinary kind of request that meets a
// limit on size, so what a cut leaves unread is told apart.
#pragma once

#include "detect/core/request.h"
#include "detect/core/request_head.h"
#include "detect/core/verdict.h"
#include "detect/extract/fields.h"

namespace wafd::detect {

// `fields` as they were read from what came.
//
// kFile: every Content-Type names something else than a text or what is read into fields, no content coding
// is on it, and the bytes begin as a picture, film, sound, archive or document and are binary: no reader of
// JSON or XML takes such a text, and no reader of forms such a type. kFormFile: the bytes end within a part
// of a form that has a file name and binary content. That says nothing of what follows.
CutIn cut_in(const Request& request, const RequestHead& head, const FieldList& fields) noexcept;

}  // namespace wafd::detect
