"""Makes Debian's packages of Bazel's own rules usable without a download. Called by WORKSPACE only."""

# Debian's rules_cc 0.0.4 is newer than its Bazel 4.2.3 and imports a function which that Bazel does not have yet.
_IMPORT = ', "use_cpp_toolchain")'
_CALL = "use_cpp_toolchain()"
_TOOLCHAIN_TYPE = '["@bazel_tools//tools/cpp:toolchain_type"]'
_FILES_TO_PATCH = [
    "cc/private/rules_impl/compiler_flag.bzl",
    "cc/private/rules_impl/cc_flags_supplier.bzl",
]

def _patched_rules_cc_repository(repository_ctx):
    copied = repository_ctx.execute(["cp", "-rL", repository_ctx.attr.path + "/.", "."])
    if copied.return_code != 0:
        fail("bazel-rules-cc is not installed: " + copied.stderr)
    for name in _FILES_TO_PATCH:
        text = repository_ctx.read(name).replace(_IMPORT, ")").replace(_CALL, _TOOLCHAIN_TYPE)
        repository_ctx.delete(name)
        repository_ctx.file(name, text, executable = False)

patched_rules_cc_repository = repository_rule(
    implementation = _patched_rules_cc_repository,
    attrs = {"path": attr.string(mandatory = True)},
    doc = "A copy of the rules_cc at `path` that loads with Bazel 4.2.",
    local = True,
)

def _stub_repository(repository_ctx):
    repository_ctx.file("WORKSPACE", executable = False)
    repository_ctx.file("BUILD", "".join([
        'filegroup(name = "%s", visibility = ["//visibility:public"])\n' % name
        for name in repository_ctx.attr.filegroups
    ]), executable = False)

stub_repository = repository_rule(
    implementation = _stub_repository,
    attrs = {"filegroups": attr.string_list(mandatory = True)},
    doc = "A repository of empty file groups, for dependencies that are named but never used.",
)
