"""Tests that load UCX. Apart from cc.bzl so that rooms without UCX build where there is none."""

load("@ucx//:library_path.bzl", "UCX_LIBRARY_PATH")
load("//engine/bazel:cc.bzl", "engine_test")

def ucx_engine_test(name, env = {}, data = [], **kwargs):
    """An engine_test that finds the UCX it was built with, and starts the real engine with the same."""
    test_env = {
        "LD_LIBRARY_PATH": UCX_LIBRARY_PATH,
        "UCX_MEM_EVENTS": "n",  # UCX's patching of mmap is at odds with the sanitizers' own
        "LSAN_OPTIONS": "suppressions=engine/testing/lsan.supp",
        "TSAN_OPTIONS": "suppressions=engine/testing/tsan.supp",
    }
    test_env.update(env)
    suppressions = "//engine/testing:sanitizer_suppressions"
    engine_test(name = name, env = test_env, data = data + [suppressions], **kwargs)
