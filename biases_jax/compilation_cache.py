"""Where are compiled programs kept, so that the next run need not compile them?"""

import hashlib
import os
import pathlib
import platform
import re

import jax
from absl import logging

VARIABLE = "JAX_COMPILATION_CACHE_DIR"  # JAX' own: another folder; '' for none
LARGEST = 4 * 2**30  # bytes; what was not used for longest makes room
WORTH = 0.3  # seconds of compiling, from which on a program is kept


def keep() -> None:
    """Have JAX keep its programs in the user's folder of caches.

    It finds them by the program itself, JAX' version and the kind of device. Kinds of
    processors have folders of their own: a home folder may be shared by machines of
    which some lack instructions that programs for others use.
    """
    if os.environ.get(VARIABLE) is None:
        folder = _home() / "biases_jax" / "programs" / _processor()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            logging.info("compiled programs are not kept: %s", error)
            return
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_compilation_cache_max_size", LARGEST)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", WORTH)


def _home() -> pathlib.Path:
    """Return the folder of caches by the convention of freedesktop.org."""
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()


def _processor() -> str:
    """Return a name for what this machine's processor can do."""
    known = [platform.machine()]
    listed = pathlib.Path("/proc/cpuinfo")  # Linux
    if listed.exists():
        known += re.findall(r"^(?:flags|Features)\s*:.*$", listed.read_text(), re.M)[:1]
    return hashlib.sha256("\n".join(known).encode()).hexdigest()[:12]
