"""An inherited UCX_* variable is refused by name; what the site keeps or what says the same is not."""

import pytest

from experiments.inherited_env import kept_by_site, refuse_inherited
from store.errors import Exit, LabError

DECLARED = {"UCX_TLS": "rc_verbs,ud_verbs", "UCX_NET_DEVICES": "mlx5_2:1"}


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"UCX_TLS": "tcp"}, ["UCX_TLS=tcp", "lane rc_verbs has UCX_TLS=rc_verbs,ud_verbs", "unset UCX_TLS"]),
        ({"UCX_RNDV_THRESH": "1k"}, ["UCX_RNDV_THRESH=1k", "not part of lane rc_verbs"]),
        ({"UCX_TLS": "tcp", "UCX_LOG_LEVEL": "info"}, ["UCX_LOG_LEVEL=info", "unset UCX_LOG_LEVEL UCX_TLS"]),
    ],
)
def test_each_variable_is_named(environ: dict[str, str], words: list[str]) -> None:
    with pytest.raises(LabError) as caught:
        refuse_inherited(environ, "rc_verbs", DECLARED)
    assert caught.value.exit_code == Exit.WRONG_LANE
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("environ", [{}, {"HOME": "/", "MY_UCX_TLS": "x"}, {"UCX_TLS": "rc_verbs,ud_verbs"}])
def test_what_says_the_same_or_nothing_is_no_conflict(environ: dict[str, str]) -> None:
    refuse_inherited(environ, "rc_verbs", DECLARED)


def test_what_the_site_names_is_the_sites_decision() -> None:
    environ = kept_by_site({"UCX_TLS": "tcp", "UCX_IB_GID_INDEX": "3"}, {"UCX_IB_GID_INDEX": "1", "UCX_TLS": "tcp"})
    assert environ == {}
