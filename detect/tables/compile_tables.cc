// Makes a header of a table: compile_tables IN.tsv OUT.h. Run by the build; README.md has the format.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/vocabulary.h"

namespace {

struct Column {
  std::string name;
  std::string type;  // "text", "number", "note", or the name of an enum; behind "|" sets of its values
};

struct Table {
  std::vector<std::string> includes;
  std::string name_space;
  std::string name;
  std::string row;
  bool vocabulary = true;  // false: a plain array, whose first column may repeat
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

// A mistake in the table, told as file:line: what.
struct Mistake {
  std::size_t line;
  std::string what;
};

std::vector<std::string> split(std::string_view text, char sign) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(sign);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// snake_case -> kPascalCase
std::string enumerator(std::string_view name) {
  std::string out = "k";
  bool upper = true;
  for (const char c : name) {
    if (c == '_' || c == '-') {
      upper = true;
    } else {
      out += upper && wafd::is_lower(c) ? static_cast<char>(c - 32) : c;
      upper = false;
    }
  }
  return out;
}

// The text of a cell: \t \n \\ and \xHH stand for bytes.
std::string unescaped(std::string_view cell, std::size_t line) {
  std::string out;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] != '\\') {
      out += cell[i];
      continue;
    }
    const char next = i + 1 < cell.size() ? cell[i + 1] : '\0';
    const int hex = next == 'x' ? wafd::hex_number(cell, i + 2, 2) : -1;
    if (hex >= 0) {
      out += static_cast<char>(hex);
      i += 3;
    } else if (next == '\\' || next == 't' || next == 'n') {
      out += next == '\\' ? '\\' : next == 't' ? '\t' : '\n';
      ++i;
    } else {
      throw Mistake{line, "expected \\\\, \\t, \\n or \\xHH behind a backslash"};
    }
  }
  return out;
}

std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      char octal[5];
      std::snprintf(octal, sizeof octal, "\\%03o", wafd::byte(c));
      out += octal;
    }
  }
  return out + '"';
}

std::string value(const Column& column, const std::string& cell, std::size_t line) {
  if (column.type == "text") return literal(unescaped(cell, line));
  if (column.type == "number") {
    if (cell.empty() || cell.find_first_not_of("0123456789") != std::string::npos)
      throw Mistake{line, "column " + column.name + ": expected a number"};
    return cell;
  }
  if (cell.empty() || cell == "-") return "{}";
  if (column.type.front() != '|') return column.type + "::" + enumerator(cell);
  const std::string type = column.type.substr(1);
  std::string out;
  for (const std::string& one : split(cell, '|'))
    out += (out.empty() ? "" : " | ") + type + "::" + enumerator(one);
  return out;
}

void read_directive(const std::string& text, std::size_t line, Table& table) {
  const std::vector<std::string> words = split(text, ' ');
  if (words[0] == "include" && words.size() == 2) {
    table.includes.push_back(words[1]);
  } else if (words[0] == "namespace" && words.size() == 2) {
    table.name_space = words[1];
  } else if ((words[0] == "vocabulary" || words[0] == "list") && words.size() == 4 && words[2] == "of") {
    table.vocabulary = words[0] == "vocabulary";
    table.name = words[1];
    table.row = words[3];
  } else {
    throw Mistake{line,
                  "expected \"#! include FILE\", \"#! namespace N\" or \"#! vocabulary|list kName of Row\""};
  }
}

Table read(std::istream& in) {
  Table table;
  std::set<std::string> words;
  std::string text;
  for (std::size_t line = 1; std::getline(in, text); ++line) {
    if (text.starts_with("#! ")) {
      read_directive(text.substr(3), line, table);
      continue;
    }
    if (text.empty() || text.front() == '#') continue;
    std::vector<std::string> cells = split(text, '\t');
    if (table.columns.empty()) {
      for (const std::string& cell : cells) {
        const std::size_t colon = cell.find(':');
        if (colon == std::string::npos) throw Mistake{line, "expected a column as name:type"};
        table.columns.push_back({cell.substr(0, colon), cell.substr(colon + 1)});
      }
      continue;
    }
    // Notes at the end of a row may be left out.
    while (cells.size() < table.columns.size() && table.columns[cells.size()].type == "note")
      cells.emplace_back();
    if (cells.size() != table.columns.size()) {
      throw Mistake{line, "expected " + std::to_string(table.columns.size()) + " cells between tabs, got " +
                              std::to_string(cells.size())};
    }
    if (table.vocabulary) {
      const std::string word = unescaped(cells.front(), line);
      if (word.empty() || word.size() > wafd::kMaxVocabularyWordBytes || wafd::to_lower(word[0]) != word[0])
        throw Mistake{line, "expected a word in lower case of 1 to 64 bytes"};
      for (const char c : word) {
        if (wafd::is_upper(c)) throw Mistake{line, "expected a word in lower case"};
      }
      if (!words.insert(word).second) throw Mistake{line, "\"" + word + "\" is there twice"};
    }
    std::vector<std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (table.columns[i].type != "note") row.push_back(value(table.columns[i], cells[i], line));
    }
    if (table.vocabulary) row.push_back(unescaped(cells.front(), line));  // for its hash
    table.rows.push_back(std::move(row));
  }
  if (table.name.empty() || table.name_space.empty() || table.columns.empty() || table.rows.empty())
    throw Mistake{1, "expected a name, a namespace, columns and at least one row"};
  if (table.rows.size() >= 0xffff) throw Mistake{1, "more than 65,534 rows"};
  return table;
}

void write(const Table& table, std::string_view from, std::ostream& out) {
  out << "// Made from " << from
      << " by detect/tables; not to be edited.\n#pragma once\n\n#include <cstdint>\n\n";
  if (table.vocabulary) out << "#include \"detect/core/vocabulary.h\"\n";
  for (const std::string& file : table.includes) out << "#include \"" << file << "\"\n";
  out << "\nnamespace " << table.name_space << " {\n\n";
  const std::string rows = table.vocabulary ? table.name + "Rows" : table.name;
  out << "inline constexpr " << table.row << ' ' << rows << "[] = {\n";
  for (const std::vector<std::string>& row : table.rows) {
    out << "    {";
    const std::size_t cells = row.size() - (table.vocabulary ? 1 : 0);
    for (std::size_t i = 0; i < cells; ++i) out << (i == 0 ? "" : ", ") << row[i];
    out << "},\n";
  }
  out << "};\n";
  if (table.vocabulary) {
    std::size_t size = 8;
    while (size < table.rows.size() * 3) size *= 2;
    std::vector<std::uint16_t> slots(size);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      std::size_t slot = wafd::vocabulary_hash(table.rows[i].back()) & (size - 1);
      while (slots[slot] != 0) slot = (slot + 1) & (size - 1);
      slots[slot] = static_cast<std::uint16_t>(i + 1);
    }
    out << "inline constexpr std::uint16_t " << table.name << "Slots[] = {";
    for (std::size_t i = 0; i < size; ++i) out << (i % 24 == 0 ? "\n    " : " ") << slots[i] << ',';
    out << "\n};\ninline constexpr ::wafd::Vocabulary<" << table.row << "> " << table.name << "{" << rows
        << ", " << table.name << "Slots};\n";
  }
  out << "\n}  // namespace " << table.name_space << "\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: compile_tables IN.tsv OUT.h\n";
    return 2;
  }
  std::ifstream in(arguments[1]);
  if (!in) {
    std::cerr << arguments[1] << ": cannot be read\n";
    return 1;
  }
  try {
    const Table table = read(in);
    std::ofstream out(arguments[2]);
    write(table, arguments[1], out);
    if (!out.flush()) throw Mistake{0, std::string(arguments[2]) + " cannot be written"};
  } catch (const Mistake& mistake) {
    std::cerr << arguments[1] << ':' << mistake.line << ": " << mistake.what << '\n';
    return 1;
  }
  return 0;
}
