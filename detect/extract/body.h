// The fields of a request body, read by its real type: what it says, and what it looks like.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "detect/core/request.h"
#include "detect/core/request_head.h"
#include "detect/decode/charset/charset.h"
#include "detect/decode/content/inflate.h"
#include "detect/extract/fields.h"

namespace wafd::detect {

// Content codings that are taken off a body.
inline constexpr std::size_t kMaxCodings = 3;

// The outcome of reading a body, for the verdict's flags.
struct BodyReport {
  std::uint64_t inspected_bytes = 0;  // of the body as received
  std::uint64_t read_bytes = 0;       // these, and what came out of codings
  bool truncated = false;             // an inflate limit left a part out
};

// Holds parsers and buffers between requests. One thread at a time.
class BodyReader {
 public:
  // So much of a compressed body is inflated whatever the ratio.
  explicit BodyReader(std::size_t max_body_bytes = InflateLimits{}.any_ratio_bytes);
  BodyReader(BodyReader&&) noexcept;
  BodyReader& operator=(BodyReader&&) noexcept;
  ~BodyReader();

  // Undoes chunked framing that was left in the body and Content-Encoding (within InflateLimits; what breaks
  // is judged raw too), then reads form, multipart, JSON, YAML, CSV, XML, a binary message, a mail or raw
  // text, in the encoding that is declared or shows itself. What a Content-Type says is read so, whatever the
  // bytes are; a wrong or missing one is corrected by looking at them. Bytes that are no text are one binary
  // field.
  BodyReport read(const Request& request, const RequestHead& head, FieldList& out);

  // Reads `text` as JSON made after `like`: every key and every string, duplicates included. True if the
  // whole text was JSON (documents in a row are). Else what was read up to the error stays in `out`, and the
  // rest is one field.
  bool read_json(std::string_view text, const Field& like, FieldList& out);
  // Reads `text` as XML made after `like`: attributes and texts as applications join them.
  void read_xml(std::string_view text, const Field& like, FieldList& out);

 private:
  struct Parsers;

  std::string_view undo_framing(std::string_view body, Field& like, FieldList& out);
  std::string_view undo_codings(std::string_view body, const RequestHead& head, Field& like, FieldList& out,
                                BodyReport& report);
  void read_encoded(std::string_view body, std::string_view content_type, const RequestHead& head,
                    const Field& like, FieldList& out);
  bool read_lines(std::string_view content_type, std::string_view text, const Field& like, FieldList& out);
  bool read_engine_io(std::string_view content_type, std::string_view text, const Field& like,
                      FieldList& out);
  void read_recoded(std::string_view body, std::string_view content_type, Charset charset, const Field& like,
                    FieldList& out);
  void read_text(std::string_view body, std::string_view content_type, const Field& like, FieldList& out);
  bool read_structured(std::string_view body, std::string_view content_type, const Field& like,
                       std::string_view& raw, FieldList& out);

  std::unique_ptr<Parsers> parsers_;
  InflateLimits limits_;
  std::string unframed_;
  std::string inflated_[2];
};

}  // namespace wafd::detect
