// Body readers: the first byte chooses the Content-Type. Every field lies in the request or says which piece
// of it carried it; what was not JSON, XML, multipart or a form is still there as a field.
#include <cstdlib>
#include <string>

#include "detect/extract/body.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static constexpr const char* kTypes[] = {"",
                                           "application/x-www-form-urlencoded",
                                           "application/json",
                                           "text/xml",
                                           "multipart/form-data; boundary=X",
                                           "multipart/form-data",
                                           "text/plain",
                                           "message/rfc822",
                                           "text/calendar",
                                           "application/yaml",
                                           "text/csv",
                                           "application/x-www-form-urlencoded; charset=ibm037",
                                           "application/json; charset=utf-16",
                                           "text/plain; charset=iso-2022-kr"};
  static wafd::detect::BodyReader reader;
  static wafd::detect::FieldList fields;
  if (size == 0) return 0;
  const std::string head_text = std::string("POST / HTTP/1.1\r\nContent-Type: ") +
                                kTypes[data[0] % std::size(kTypes)] +
                                (data[0] >= 128 ? "\r\nContent-Encoding: gzip\r\n\r\n" : "\r\n\r\n");
  wafd::RequestHead head;
  head.parse(head_text);
  wafd::Request request;
  request.head = head_text;
  request.body = std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1);
  fields.clear();
  reader.read(request, head, fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view outer = fields[i].outer;
    require(!fields[i].raw.empty());
    require(outer.data() >= request.body.data() &&
            outer.data() + outer.size() <= request.body.data() + request.body.size());
    require(fields[i].depth <= wafd::detect::kMaxFieldDepth);
    fields.full_name(fields[i]);
  }
  return 0;
}
