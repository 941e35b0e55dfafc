"""Is a program compiled once for all runs, and are the user's settings kept?"""

import os
import subprocess
import sys

import pytest

from biases_jax import compilation_cache

PROGRAM = """
import logging
import jax, jax.numpy as jnp
from biases_jax import compilation_cache
compilation_cache.keep()
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_explain_cache_misses", True)
logging.basicConfig(level=logging.INFO, format="%(message)s")
print(float(jax.jit(lambda x: (jnp.sin(x) @ jnp.cos(x).T).sum())(jnp.ones((64, 64)))))
"""


def run(**variables):
    """Return what a process of this program prints, and how many programs it kept."""
    environment = {
        k: v for k, v in os.environ.items() if k != compilation_cache.VARIABLE
    }
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment | variables,
        check=True,
        capture_output=True,
        text=True,
    )


def kept(folder):
    return sorted(path for path in folder.rglob("*-cache"))


def test_programs_are_kept_in_the_users_folder_of_caches(tmp_path):
    first = run(XDG_CACHE_HOME=str(tmp_path))
    programs = kept(tmp_path / "biases_jax" / "programs")
    assert programs
    written = [path.stat().st_mtime_ns for path in programs]
    again = run(XDG_CACHE_HOME=str(tmp_path))
    assert again.stdout == first.stdout
    assert kept(tmp_path) == programs
    assert [path.stat().st_mtime_ns for path in programs] == written


def test_jax_own_variable_wins(tmp_path):
    mine, others = tmp_path / "mine", tmp_path / "others"
    run(XDG_CACHE_HOME=str(others), JAX_COMPILATION_CACHE_DIR=str(mine))
    assert kept(mine) and not others.exists()


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "biases_jax").write_text("a file in the way")
    assert run(XDG_CACHE_HOME=str(tmp_path)).returncode == 0


def test_processors_have_folders_of_their_own(monkeypatch):
    here = compilation_cache._processor()
    assert here == compilation_cache._processor()
    monkeypatch.setattr(compilation_cache.platform, "machine", lambda: "another")
    assert compilation_cache._processor() != here


def test_processors_of_one_kind_with_other_instructions_have_their_own(monkeypatch):
    path, names = compilation_cache.pathlib.Path, set()
    monkeypatch.setattr(path, "exists", lambda self: True)
    for flags in ("sse4_2 avx2", "sse4_2 avx2 avx512f"):
        text = f"model name\t: a\nflags\t\t: {flags}\n"
        monkeypatch.setattr(path, "read_text", lambda self, text=text: text)
        names.add(compilation_cache._processor())
    assert len(names) == 2


@pytest.mark.parametrize("home", ["", None])
def test_without_a_setting_it_is_below_the_home_folder(monkeypatch, home):
    if home is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", home)
    monkeypatch.setenv("HOME", "/somewhere")
    assert str(compilation_cache._home()) == "/somewhere/.cache"
