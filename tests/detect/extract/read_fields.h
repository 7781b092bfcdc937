// A request's fields as lines of text, for tests of what reads them.
#pragma once

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "detect/core/record_json.h"
#include "detect/extract/body.h"
#include "detect/extract/fields.h"
#include "detect/extract/head_fields.h"
#include "detect/offline.h"

namespace wafd::detect {

// location[_name] name=raw {decode path}; binary fields end in "(binary)", those said to be media in
// "(media)", texts of blocks that show code in "(code)".
inline std::string dump(const FieldList& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field& field = fields[i];
    out += std::string(to_string(field.location, field.in_name)) + " " + fields.full_name(field) + "=";
    append_json_text(field.raw, out);
    if (!field.decode_path.empty()) out += " {" + std::string(field.decode_path) + "}";
    if (field.binary) out += " (binary)";
    if (field.media) out += " (media)";
    if (field.code) out += " (code)";
    out += "\n";
  }
  return out;
}

class Fields : public testing::Test {
 protected:
  std::string read(const std::string& bytes) {
    bytes_ = bytes;
    const Request request = split_request(bytes_);
    head_.parse(request.head);
    fields_.clear();
    head_reader_.read(head_, fields_);
    report_ = reader_.read(request, head_, fields_);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const std::string_view outer = fields_[i].outer;
      const bool inside =
          outer.data() >= bytes_.data() && outer.data() + outer.size() <= bytes_.data() + bytes_.size();
      EXPECT_TRUE(inside) << "field " << i << " does not say which piece of the request carried it\n"
                          << dump(fields_);
    }
    return dump(fields_);
  }
  // A body without headers that carry fields.
  std::string body(const std::string& type, const std::string& text) {
    return read("POST / HTTP/1.1\r\n" + (type.empty() ? "" : "Content-Type: " + type + "\r\n") + "\r\n" +
                text);
  }

  // The same without the fields of the head.
  std::string body_alone(const std::string& type, const std::string& text) {
    const std::string all = body(type, text);
    return all.substr(std::min(all.find("\nbody"), all.size() - 1) + 1);
  }

  std::string bytes_;
  RequestHead head_;
  FieldList fields_;
  HeadReader head_reader_;
  BodyReader reader_;
  BodyReport report_;
};

}  // namespace wafd::detect
