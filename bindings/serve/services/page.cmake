# Writes FILE as an array of C: cmake -D FILE=page.html -D OUT=page.c -P page.cmake
file(READ ${FILE} bytes HEX)
string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${bytes}")
string(REGEX REPLACE "((\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..))" "\\1\"\n    \"" escaped "${escaped}")
file(WRITE ${OUT} "#include \"bindings/serve/services/status.h\"\n\nconst char serve_page[] =\n    \"${escaped}\";\nconst size_t serve_page_bytes = sizeof serve_page - 1;\n")
