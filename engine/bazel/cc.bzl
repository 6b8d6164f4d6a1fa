"""C++ targets of the engine: Bazel's own rules with the strict flags, and nothing else decided."""

load("@rules_cc//cc:defs.bzl", _cc_binary = "cc_binary", _cc_library = "cc_library", _cc_test = "cc_test")
load("//engine/bazel:copts.bzl", "STRICT_COPTS")

def engine_library(name, copts = [], **kwargs):
    """A cc_library under the strict flags."""
    _cc_library(name = name, copts = STRICT_COPTS + copts, **kwargs)

def engine_binary(name, copts = [], **kwargs):
    """A cc_binary under the strict flags."""
    _cc_binary(name = name, copts = STRICT_COPTS + copts, **kwargs)

def engine_test(name, srcs, deps = [], copts = [], size = "small", **kwargs):
    """A GoogleTest program; gtest, gmock and their main are linked in."""
    _cc_test(name = name, srcs = srcs, size = size, copts = STRICT_COPTS + copts, deps = deps + ["@googletest"], **kwargs)

def engine_benchmark(name, srcs, deps = [], copts = [], **kwargs):
    """A Google Benchmark program: built with the rest so that it cannot rot, run by hand, never timed by a test."""
    _cc_binary(
        name = name,
        srcs = srcs,
        copts = STRICT_COPTS + copts,
        testonly = True,
        deps = deps + ["@googlebenchmark"],
        **kwargs
    )
