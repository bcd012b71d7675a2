# For 64-bit Windows with Debian's mingw-w64; programs run under Wine (tests/windows.sh). WINDOWS_ROOT: the folder of the
# libraries.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WINDOWS_ROOT)
set(CMAKE_FIND_ROOT_PATH ${WINDOWS_ROOT} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# printf and files as in C17 and POSIX. Formats are checked on Linux: here the compiler expects those of old C libraries.
# PE has no visibility; cmake/exports.map says what is exported. The assembler replaces moves that need an aligned stack,
# which GCC does not give 32-byte vectors on Windows (GCC's bug 54412).
set(flags "-Dlstat=stat -D__USE_MINGW_ANSI_STDIO=1 -D_FILE_OFFSET_BITS=64 -D_WIN32_WINNT=0x0A00 -Wno-format -Wno-attributes -Wa,-muse-unaligned-vector-move")
set(CMAKE_C_FLAGS_INIT ${flags})
set(CMAKE_CXX_FLAGS_INIT ${flags})
