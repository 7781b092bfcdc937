// multipart bodies (RFC 2046 section 5.1, RFC 7578) as the readers of applications take them apart: PHP,
// busboy, werkzeug, Django, Go, Rack, Commons FileUpload. They differ in what a delimiter is, which parts are
// files and what parts are called; each reading of any of them becomes fields, once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detect/extract/fields.h"
#include "detect/extract/header_parameters.h"

namespace wafd::detect {

// Keeps its buffers between bodies. One thread at a time.
class MultipartReader {
 public:
  // Names, values, file names and contents of all parts. `content_type` may announce any number of
  // boundaries, or none: then the first line of two dashes tells. False if no part was found; nothing was
  // added then. What a full list or more readings of the body than kMaxReadings leave out marks the limit.
  bool read(std::string_view body, std::string_view content_type, FieldList& out);
  // One part, or a mail (RFC 5322): header lines, an empty line, content; content of several parts is read as
  // those too.
  void read_part(std::string_view part, FieldList& out);

 private:
  struct Delimiter {
    std::size_t begin = 0;
    std::size_t end = 0;  // behind its line
    bool strict = false;  // CRLF before it, and nothing but blanks behind it
    bool last = false;
  };
  struct Part;

  // Whether bytes that were read before may be read once more.
  bool may_read(std::string_view text, FieldList& out);
  bool read_at(std::string_view body, std::string_view content_type, int depth, FieldList& out);
  bool read_between(std::string_view body, std::string_view boundary, int depth, FieldList& out);
  void find_delimiters(std::string_view body, std::string_view boundary);
  bool read_part_at(std::string_view text, int depth, FieldList& out);
  void read_head(std::string_view text, Part& part, FieldList& out);
  void set_names(Part& part, bool regular, FieldList& out);
  bool add_names(const Part& part, FieldList& out);
  bool add_content(const Part& part, std::string_view content, FieldList& out);

  std::vector<Delimiter> delimiters_;  // of all bodies that are being read, the innermost last
  HeaderParameters parameters_;        // of the part at hand
  std::size_t left_ = 0;               // bytes that may still be read again
};

}  // namespace wafd::detect
