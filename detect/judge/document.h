// Whether a text is a document that people write about code, and which parts of it quote code: Markdown
// (CommonMark 0.31), pages of text editors (HTML), wikis (DokuWiki, MediaWiki), trackers.
//
// A document that quotes code does not run it, so some evidence weighs less there. Every attack can look like
// a document, so a text is one only if its structure is one all through.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect {

// A shorter text is none.
inline constexpr std::size_t kMinDocumentBytes = 240;
// Words of prose outside of quoted code that a document has at least.
inline constexpr std::size_t kMinDocumentWords = 12;

// The text is a file of commands: its first line names the interpreter of the others (execve(2)), or all of
// its lines are instructions of a Dockerfile. Linear time.
bool is_script(std::string_view text) noexcept;

// The text is a module of Python: at least eight lines and 240 bytes, of which all that are not indented
// begin as its statements do, two of them with import, from, def or class. Linear time.
bool is_python_module(std::string_view text) noexcept;

class Document {
 public:
  // Linear time. The text is not kept.
  explicit Document(std::string_view text);

  // The text is a document: prose in paragraphs, headings, lists, quotations and tables, with every block of
  // code that was begun also ended, and hardly a line outside of them that is no prose.
  bool is_document() const noexcept { return document_; }
  // All bytes from `begin` to `end` are in one block, element or span that quotes code.
  bool quotes(std::size_t begin, std::size_t end) const noexcept;
  // And in an element of HTML whose content browsers read as markup.
  bool renders(std::size_t begin, std::size_t end) const noexcept;

 private:
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool rendered = false;
  };
  const Span* span_around(std::size_t begin, std::size_t end) const noexcept;

  void read_elements(std::string_view text);
  void read_lines(std::string_view text);
  void read_spans(std::string_view line, std::size_t begin);
  bool is_quoted(std::size_t at) const noexcept;

  std::vector<Span> quoted_;  // in order, none in another
  bool document_ = false;
};

// The result for the last text that was asked about, so that matchers, and the pieces and decodings of one
// text, do not read it again. One thread at a time.
class DocumentCache {
 public:
  // Before each request, whose texts may lie where others did.
  void begin_request() noexcept { text_ = module_text_ = {}, searched_ = 0; }
  // Of `text`, read in linear time unless it is the last one.
  const Document& of(std::string_view text);
  bool is_script() const noexcept { return script_; }  // the last one
  // Of `text`: is_python_module(), read again unless it is the last one.
  bool is_python(std::string_view text) noexcept;
  // Whether so many more bytes may be searched for this request.
  bool may_search(std::size_t bytes) noexcept;

 private:
  std::string_view text_;
  std::string spaced_;
  std::optional<Document> document_;
  bool script_ = false;
  std::string_view module_text_;
  bool module_ = false;
  std::size_t searched_ = 0;
};

}  // namespace wafd::detect
