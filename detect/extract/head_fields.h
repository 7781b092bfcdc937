// The fields of a request's head: path, query, cookies, and headers, each as what applications read from it.
#pragma once

#include "detect/core/request_head.h"
#include "detect/extract/fields.h"
#include "detect/extract/header_parameters.h"

namespace wafd::detect {

// Keeps its buffers between requests. One thread at a time.
class HeadReader {
 public:
  // `head` must be the parsed request.head.
  void read(const RequestHead& head, FieldList& out);

 private:
  void read_header(const RequestHead& head, const HeaderField& header, FieldList& out);

  HeaderParameters parameters_;
};

}  // namespace wafd::detect
