"""The compiler flags of all engine code. System headers are exempt from the warnings: they come by -isystem."""

STRICT_COPTS = [
    "-std=c++20",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wconversion",
    "-Wno-missing-field-initializers",  # designated initialisers leave the rest at its default, on purpose
    "-Wno-sign-conversion",  # for C++ clang counts it to the line before, gcc does not
    "-Wold-style-cast",
    "-Werror",
]
