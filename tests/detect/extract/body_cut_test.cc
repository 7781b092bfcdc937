#include "detect/extract/body_cut.h"

#include <string>

#include <gtest/gtest.h>

#include "detect/extract/body.h"

namespace wafd::detect {
namespace {

CutIn cut_of(const std::string& head, const std::string& body) {
  Request request;
  request.head = head;
  request.body = body;
  request.body_truncated = true;
  RequestHead parsed;
  parsed.parse(head);
  FieldList fields;
  BodyReader reader;
  reader.read(request, parsed, fields);
  return cut_in(request, parsed, fields);
}

std::string typed(const std::string& lines) {
  return "PUT /a HTTP/1.1\r\nHost: a.example\r\n" + lines + "\r\n";
}

// Bytes of any kind, the same each time.
std::string noise(std::size_t bytes) {
  std::string out;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < bytes; ++i)
    out += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return out;
}

std::string part(const std::string& disposition, const std::string& content) {
  return "--B\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content;
}

TEST(BodyCut, WhatTheMissingBytesBelongTo) {
  const std::string png = std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) + noise(4000);
  const std::string zip = std::string("PK\x03\x04\x14\0\x08\0", 8) + noise(4000);
  const std::string film = std::string(
                               "\0\0\0\x20"
                               "ftypmp42\0\0\0\0",
                               16) +
                           noise(4000);
  const std::string image = "Content-Type: image/png\r\n";
  const std::string form = "Content-Type: multipart/form-data; boundary=B\r\n";
  const std::string text = "{\"a\":\"" + std::string(4000, 'x');
  const struct {
    const char* name;
    std::string head, body;
    CutIn expected;
  } rows[] = {
      {"a picture", typed(image), png, CutIn::kFile},
      {"an archive", typed("Content-Type: application/octet-stream\r\n"), zip, CutIn::kFile},
      {"a film", typed("Content-Type: video/mp4\r\n"), film, CutIn::kFile},
      {"a file in a form", typed(form), part("name=f; filename=a.png", png), CutIn::kFormFile},
      {"behind a field", typed(form), part("name=a", "1\r\n") + part("name=f; filename=a.png", png),
       CutIn::kFormFile},
      // Who reads a body whatever its type says reads JSON here, and no picture.
      {"a text that says it is a picture", typed(image), text, CutIn::kFields},
      {"bytes in a text that says it is a picture", typed(image), "{\"a\":\"" + noise(4000), CutIn::kFields},
      {"JSON in UTF-16", typed(image), std::string("\0{\0\"\0a\0\"\0:\0\"", 12) + std::string(4000, '\0'),
       CutIn::kFields},
      {"a picture in a form's type", typed("Content-Type: application/x-www-form-urlencoded\r\n"), png,
       CutIn::kFields},
      {"a picture as JSON", typed("Content-Type: application/json\r\n"), png, CutIn::kFields},
      {"a picture as text", typed("Content-Type: text/plain\r\n"), png, CutIn::kFields},
      {"a picture without a type", typed(""), png, CutIn::kFields},
      {"of two types one is a form's", typed(image + form), png, CutIn::kFields},
      {"with a coding", typed(image + "Content-Encoding: gzip\r\n"), png, CutIn::kFields},
      {"the head is cut, too", "PUT /a HTTP/1.1\r\n" + image + "X: ", png, CutIn::kFields},
      {"a field of a form", typed(form), part("name=a", std::string(4000, 'x')), CutIn::kFields},
      {"bytes in a field of a form", typed(form), part("name=a", png), CutIn::kFields},
      {"a text with a file name", typed(form), part("name=a; filename=a.png", std::string(4000, 'x')),
       CutIn::kFields},
      {"a field behind a file", typed(form),
       part("name=f; filename=a.png", png) + "\r\n" + part("name=a", std::string(4000, 'x')), CutIn::kFields},
      {"nothing came", typed(image), "", CutIn::kFields},
  };
  for (const auto& row : rows) EXPECT_EQ(cut_of(row.head, row.body), row.expected) << row.name;
}

}  // namespace
}  // namespace wafd::detect
