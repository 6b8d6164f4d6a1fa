"""The compiler flags of all engine code. System headers are exempt from the warnings: they come by -isystem."""

STRICT_COPTS = [
    "-std=c++20",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wconversion",
    "-Wold-style-cast",
    "-Werror",
]
