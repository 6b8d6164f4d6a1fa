"""Repositories for libraries that are on the machine. Called by WORKSPACE only.

Each repository has one target, named as the repository, and `visible_to` says which folder may depend on it.
"""

_TARGET = """cc_library(
    name = "{name}",
    hdrs = glob({headers}),
    includes = {includes},
    linkopts = {linkopts},
    visibility = {visible_to},
)
"""

def _write_target(repository_ctx, headers, includes, linkopts):
    repository_ctx.file("WORKSPACE", executable = False)
    repository_ctx.file("BUILD", _TARGET.format(
        name = repository_ctx.name,
        headers = headers,
        includes = includes,
        linkopts = linkopts,
        visible_to = repository_ctx.attr.visible_to,
    ), executable = False)

def _pkg_config(repository_ctx, arguments):
    result = repository_ctx.execute(["pkg-config"] + arguments + repository_ctx.attr.packages)
    if result.return_code != 0:
        fail("pkg-config does not know %s; is its -dev package installed?\n%s" %
             (repository_ctx.attr.packages, result.stderr))
    return [flag for flag in result.stdout.strip().split(" ") if flag]

def _archive_or_flag(flag, static_prefixes):
    """`-lfoo` as `-l:libfoo.a` where foo is to be linked statically; any other flag unchanged."""
    for prefix in static_prefixes:
        if flag.startswith("-l" + prefix):
            return "-l:lib%s.a" % flag[2:]
    return flag

def _pkg_config_repository(repository_ctx):
    # Debian's headers lie in /usr/include, which the compiler searches (as system headers) without being told.
    static_prefixes = repository_ctx.attr.static_prefixes
    flags = _pkg_config(repository_ctx, (["--static"] if static_prefixes else []) + ["--libs"])
    _write_target(repository_ctx, [], [], [_archive_or_flag(flag, static_prefixes) for flag in flags])

pkg_config_repository = repository_rule(
    implementation = _pkg_config_repository,
    attrs = {
        "packages": attr.string_list(mandatory = True, doc = "names that pkg-config knows"),
        "static_prefixes": attr.string_list(doc = "libraries whose names start so are linked from their archives"),
        "visible_to": attr.string_list(mandatory = True),
    },
    configure = True,
    local = True,
)

_UCX_PREFIX_VARIABLE = "RDMALAB_UCX_BUILD_PREFIX"
_UCX_DEFAULT_PREFIX = ".deps/ucx/1.22.0"

def _ucx_repository(repository_ctx):
    prefix = repository_ctx.os.environ.get(_UCX_PREFIX_VARIABLE, "")
    if not prefix:
        prefix = "%s/%s" % (repository_ctx.path(Label("@//:WORKSPACE")).dirname, _UCX_DEFAULT_PREFIX)
    for needed in ["include/ucp/api/ucp.h", "lib/libucp.so.0", "lib/libucs.so.0"]:
        if not repository_ctx.path(prefix + "/" + needed).exists:
            fail("no UCX to build with: %s/%s is missing; set %s or run ./rdmalab once" %
                 (prefix, needed, _UCX_PREFIX_VARIABLE))
    repository_ctx.symlink(prefix + "/include", "include")

    # No run path: which UCX the engine runs with is chosen at each start, by the library path.
    _write_target(repository_ctx, ["include/**/*.h"], ["include"], [
        "-L%s/lib" % prefix,
        "-Wl,-rpath-link,%s/lib" % prefix,
        "-l:libucp.so.0",
        "-l:libucs.so.0",
    ])
    repository_ctx.file("library_path.bzl", 'UCX_LIBRARY_PATH = "%s/lib"\n' % prefix, executable = False)

ucx_repository = repository_rule(
    implementation = _ucx_repository,
    attrs = {"visible_to": attr.string_list(mandatory = True)},
    doc = "The UCX below $%s, or else below %s in the workspace." % (_UCX_PREFIX_VARIABLE, _UCX_DEFAULT_PREFIX),
    configure = True,
    environ = [_UCX_PREFIX_VARIABLE],
    local = True,
)
