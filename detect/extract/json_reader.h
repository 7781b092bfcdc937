// JSON as fields: every key and every string in the order of the document, in one walk (json_tokens.h).
#pragma once

#include <memory>
#include <string_view>

#include "detect/extract/fields.h"

namespace wafd::detect {

// Keeps its buffers between documents. One thread at a time.
class JsonReader {
 public:
  JsonReader();
  ~JsonReader();

  // Adds fields made after `like` (location, depth, outer, decode path). Documents may follow one another
  // (NDJSON, RFC 7464). True: all of `text` was JSON. False: at the first error, or at a limit, the rest
  // (from the token that broke) was added as one raw field; with `nothing_read` set if not a single value had
  // been read and nothing was added.
  bool read(std::string_view text, const Field& like, FieldList& out, bool& nothing_read);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Keys and values of what is nearly JSON, as lenient readers take it: quotes of either kind or none,
// comments, commas and brackets wherever they stand (JSON5, Hjson, YAML's flow style). Escapes stay.
void read_lenient_json(std::string_view text, const Field& like, FieldList& out);

}  // namespace wafd::detect
