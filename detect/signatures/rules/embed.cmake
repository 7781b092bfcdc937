# Writes OUT: the texts of FILES behind builtin_rules() of detect/signatures/builtin_rules.h.
set(text "#include \"detect/signatures/builtin_rules.h\"\n\n")
# Each file is one literal; clang warns of more than the 65,536 bytes that every compiler must take.
string(APPEND text "#ifdef __clang__\n#pragma clang diagnostic ignored \"-Woverlength-strings\"\n#endif\n\n")
string(APPEND text "namespace wafd::detect {\nnamespace {\n\nconstexpr RuleFile kFiles[] = {\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} json HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f])" "\\1\"\n\"" json "${json}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" json "${json}")
  string(APPEND text "{\"${name}\",\n\"${json}\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const RuleFile> builtin_rules() noexcept { return kFiles; }\n\n}  // namespace wafd::detect\n")
file(WRITE ${OUT} "${text}")
