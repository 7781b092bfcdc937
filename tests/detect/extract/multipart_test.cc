// Which fields the parts of a multipart body are, for all readers together.
#include "detect/extract/multipart.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/detect/extract/read_fields.h"

namespace wafd::detect {
namespace {

class Multipart : public Fields {
 protected:
  std::string parts(const std::string& type, const std::string& text) {
    const std::string all = body("multipart/form-data; " + type, text);
    return all.substr(all.find('\n', all.find("Content-Type")) + 1);
  }
  // Of one part with these header lines and the content "v".
  std::string part(const std::string& head) {
    return parts("boundary=X", "--X\r\n" + head + "\r\n\r\nv\r\n--X--\r\n");
  }
};

const std::string kForm = "Content-Disposition: form-data; ";

// A part that every reader takes for a file is one; one that some reader takes for a field is read as a field
// too.
TEST_F(Multipart, FilesAndFields) {
  const std::string field = "body_name id=id\nbody id=v\n";
  const std::string file = "body_name id=id\nfile_name id=a.txt\nfile id=v\n";
  const std::string both = file + "body id=v\n";
  struct Row {
    std::string head;
    std::string expected;
  };
  const Row rows[] = {
      {kForm + "name=\"id\"", field},
      {kForm + "name=id", field},
      {"Content-Disposition: attachment; name=id", field},
      {"content-disposition: form-data;name=id", field},
      {"Content-Disposition: form-data\r\n ; name=id", field},
      {kForm + "name=\"id\"; filename=\"a.txt\"", file},
      {kForm + "name=id; filename=a.txt", file},
      {kForm + "filename=\"a.txt\"; name=\"id\"", "file_name id=a.txt\nbody_name id=id\nfile id=v\n"},
      {kForm + "name=\"id\"; filename=\"a.txt\"\r\nContent-Type: text/plain", file},
      {kForm + "name=\"id\"; filename=\"a.txt\"; filename*=UTF-8''a.txt",
       "body_name id=id\nfile_name id=a.txt\nfile_name id=a.txt\nfile id=v\n"},
      // Only the extended name, which PHP does not know.
      {kForm + "name=id; filename*=\"a.txt\"", both},
      {kForm + "name=id; filename*=utf-8''a.txt", both},
      {kForm + "name=id; filename*0=a; filename*1=.txt", both},
      {kForm + "name=id; filename*1=.txt; filename*0*=utf-8''a", both},
      // White space around the sign, twice, without a colon's place, folded.
      {kForm + "name=id; filename =a.txt", both},
      {kForm + "name=id; filename = \"a.txt\"", both},
      {kForm + "name=id\r\n" + kForm + "name=id; filename=a.txt", both},
      {"Content-Disposition : form-data; name=id; filename=a.txt", both},
      {kForm + "name=id\r\n ; filename=a.txt", both},
      {kForm + "name=id; filename=a.txt; filename=\"\"", both},
      // Quotes: single ones, open ones, escaped ones, and what they hide.
      {kForm + "name=id; filename='a.txt'", "body_name id=id\nfile_name id=a.txt\nfile id=v\nbody id=v\n"},
      {kForm + "name=id; filename=\"a.txt", "body_name id=id\nfile_name id=a.txt\nfile id=v\nbody id=v\n"},
      {kForm + "name=id; x=\"\\\"; filename=a.txt; y=\"",
       "body_name id=id\nfile_name id=a.txt\nfile id=v\nbody id=v\n"},
      {kForm + "name=id; x='; filename=a.txt; y='", both},
      {kForm + "x=\"; name=nn; y=\"; name=id; filename=a.txt",
       "body_name id=id\nfile_name id=a.txt\nbody_name id=nn\nfile id=v\nbody id=v\n"},
      {kForm + "name=id; name=b", "body_name id=id\nbody_name id=b\nbody id=v\n"},
      // Not a file at all.
      {kForm + "name=id; filename=\"\"", field},
      {kForm + "name=id; filename=\"blob\"\r\nContent-Type: application/json",
       "body_name id=id\nfile_name id=blob\nfile id=v\nbody id=v\n"},
      // Where the content begins.
      {kForm + "name=id; filename=a.txt\n\nw\r\nX: y",
       "body_name id=id\nfile_name id=a.txt\nfile id=w\\u000d\\u000aX: y\\u000d\\u000a\\u000d\\u000av\n"
       "body id=w\\u000d\\u000aX: y\\u000d\\u000a\\u000d\\u000av\nfile id=v\nbody id=v\n"},
      {kForm + "name=id\r\nno header line",
       "body_name id=id\nbody id=v\nbody id=no header line\\u000d\\u000a\\u000d\\u000av\n"},
  };
  for (const Row& row : rows) {
    std::string found = part(row.head);
    EXPECT_EQ(found, row.expected) << row.head;
    EXPECT_FALSE(fields_.limit_reached);
  }
}

TEST_F(Multipart, Delimiters) {
  const auto simple = [](const std::string& line, const std::string& end = "\r\n") {
    return line + end + "Content-Disposition: form-data; name=id" + end + end + "v" + end + line + "--" + end;
  };
  const std::string id = "body_name id=id\nbody id=v\n";
  // However the boundary is announced, or if it is not.
  for (const char* type :
       {"boundary=X", "boundary=\"X\"", "boundary='X'", "BOUNDARY=X", "Boundary = X", "boundary=X, y",
        "boundary=X y", "boundary=X;charset=utf-8", "boundary=Y; boundary=X", "boundary=X; boundary=Y",
        "boundary=\"X", "boundary=x", "xboundary=X", "boundary*=X", "boundary*0=X", "", "boundary=none"})
    EXPECT_EQ(parts(type, simple("--X")), id) << type;
  for (const char* type : {"boundary=\"a b\"", "boundary=a b"})
    EXPECT_TRUE(parts(type, simple("--a b")).starts_with(id)) << type;
  EXPECT_EQ(parts("boundary*0=a; boundary*1=b", simple("--ab")), id);
  EXPECT_EQ(parts("boundary=X", "--X \t\r\n" + kForm + "name=id\r\n\r\nv\r\n--X-- \r\n"), id);
  EXPECT_EQ(parts("boundary=X", simple("--X", "\n")), id);
  EXPECT_EQ(parts("boundary=X", simple("--X", "\r")), id);
  // No last one, and nothing but the first.
  EXPECT_EQ(parts("boundary=X", "--X\r\n" + kForm + "name=id\r\n\r\nv"), id);
  // Parts before the first and behind the last one.
  EXPECT_EQ(parts("boundary=X", "pre\r\n" + simple("--X") + "--X\r\n" + kForm + "name=b\r\n\r\nw\r\n--X--"),
            "body =pre\\u000d\\u000a\n" + id + "body_name b=b\nbody b=w\n");
  EXPECT_EQ(parts("boundary=X", simple("--X") + kForm + "name=b\r\n\r\nw\r\n--X--"),
            id + "body_name b=b\nbody b=w\n");
  EXPECT_EQ(parts("boundary=X", simple("--X") + "tail"), id + "body =tail\n");
  // Two boundaries, both there.
  const std::string two = simple("--Y") + "--X\r\n" + kForm + "name=b\r\n\r\nw\r\n--X--";
  for (const char* type : {"boundary=X; boundary=Y", "boundary=Y,X; boundary=X"})
    EXPECT_NE(parts(type, two).find("body_name b=b\nbody b=w\n"), std::string::npos) << type;
  // Lines that end a part for some readers only: both readings are fields.
  for (const char* line : {"\n--X\n", "\r\n--X\n", "\r\n--Xy\r\n", "\r\n--x\r\n", "z--X\r\n"}) {
    const std::string found =
        parts("boundary=X", "--X\r\n" + kForm + "name=a\r\n\r\n1 union" + line + "select" + "\r\n--X--\r\n");
    EXPECT_NE(found.find("body a=1 union"), std::string::npos) << line;
    std::string whole;
    append_json_text("1 union" + std::string(line) + "select", whole);
    EXPECT_NE(found.find("body a=" + whole + "\n"), std::string::npos) << line << found;
  }
}

TEST_F(Multipart, Contents) {
  const std::string id = kForm + "name=id\r\n";
  EXPECT_EQ(part(id + "Content-Transfer-Encoding: base64").substr(0, 27), "body_name id=id\nbody id=v\n");
  EXPECT_EQ(
      parts("boundary=X", "--X\r\n" + id + "Content-Transfer-Encoding: base64\r\n\r\nPHNj*cmlwdD4=\r\n--X--"),
      "body_name id=id\nbody id=PHNj*cmlwdD4=\nbody id=<script> {base64}\n");
  EXPECT_EQ(parts("boundary=X", "--X\r\n" + kForm + "name=id; filename*=utf-16''%3C%00\r\n\r\nv\r\n--X--"),
            "body_name id=id\nfile_name id=%3C%00\nfile_name id=< {percent|utf16}\nfile id=v\nbody id=v\n");
  // Parts in a part, as a browser of old sends several files.
  EXPECT_EQ(
      parts("boundary=X", "--X\r\n" + id +
                              "Content-Type: multipart/mixed; boundary=Y\r\n\r\n--Y\r\nContent-Disposition: "
                              "file; filename=\"a.php\"\r\n\r\n<?\r\n--Y--\r\n--X--"),
      "body_name id=id\nbody id=--Y\\u000d\\u000aContent-Disposition: file; "
      "filename=\\\"a.php\\\"\\u000d\\u000a\\u000d\\u000a<?\\u000d\\u000a--Y--\nfile_name =a.php\nfile "
      "=<?\n");
  // Bytes that are no text are a file's alone.
  const std::string png = "\x89PNG\r\n\x1a\n" + std::string(40, '\1');
  for (const char* name : {"filename=\"a\"", "filename*=utf-8''a"}) {
    const std::string found =
        parts("boundary=X", "--X\r\n" + kForm + "name=id; " + name + "\r\n\r\n" + png + "\r\n--X--");
    EXPECT_TRUE(found.ends_with("(binary)\n")) << found;
    EXPECT_EQ(found.find("\nbody id"), std::string::npos) << found;
  }
  EXPECT_FALSE(parts("boundary=X", "--X\r\n" + kForm + "name=id; filename =a\r\n\r\n" + png + "\r\n--X--")
                   .ends_with("(binary)\n"));
}

TEST_F(Multipart, ManyPartsHideNothing) {
  for (const std::string file : {"", "; filename=\"a.txt\""}) {
    std::string text;
    for (int i = 0; i < 15000; ++i)
      text += "--X\r\n" + kForm + "name=f" + std::to_string(i) + file + "\r\n\r\nv\r\n";
    text += "--X\r\n" + kForm + "name=last\r\n\r\nw\r\n--X--\r\n";
    EXPECT_TRUE(parts("boundary=X", text).ends_with("body_name last=last\nbody last=w\n"));
    EXPECT_FALSE(fields_.limit_reached);
  }
}

// However often a body is read, the fields stay within a few times its size, and what is left out is said.
TEST_F(Multipart, ReadingsAreBounded) {
  std::string nested = "v";
  for (const char* boundary : {"A", "B", "C", "D", "E", "F", "G"})
    nested = std::string("--") + boundary +
             "\r\nContent-Type: multipart/mixed; boundary=A; boundary=B; boundary=C; "
             "boundary=D; boundary=E; boundary=F\r\n\r\n" +
             nested + "\r\n--" + boundary + "--\r\n";
  std::string odd;
  for (int i = 0; i < 2000; ++i)
    odd += "--X\r\n" + kForm + "name =a; filename =b\n\nX: y\r\n\r\nvvvvvvvvvv\n--X\n";
  for (const std::string& text : {nested, odd}) {
    parts("boundary=G; boundary=X", text);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) bytes += fields_[i].raw.size();
    EXPECT_LT(bytes, 6 * text.size() + 200);
  }
}

}  // namespace
}  // namespace wafd::detect
