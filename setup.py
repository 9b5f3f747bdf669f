"""The compiled engine of the benchmark. Everything else is in setup.cfg.

The engine is built where a compiler and Python's headers are there. Without them raidctl can still be installed, and
measures with its portable engine.
"""

import os
import re
from pathlib import Path

from setuptools import Extension, setup  # type: ignore[import-untyped] # setuptools brings no types along
from setuptools.command.bdist_wheel import bdist_wheel  # type: ignore[import-untyped] # as above
from setuptools.command.build_ext import build_ext  # type: ignore[import-untyped] # as above


class BuildExtension(build_ext):  # type: ignore[misc] # it has no types
    """A build that links without the library path of this Python.

    A Python that was built by hand would leave that path in the module.
    """

    def build_extensions(self) -> None:
        """Build all; the modules need libc only."""
        self.compiler.linker_so = [word for word in self.compiler.linker_so if not word.startswith("-Wl,-rpath")]
        super().build_extensions()


class Wheel(bdist_wheel):  # type: ignore[misc] # it has no types
    """A wheel for every platform if the engine could not be compiled."""

    def run(self) -> None:
        """Build first: only then is it known whether there is an engine."""
        self.run_command("build")
        if not all(Path(path).exists() for path in self.get_finalized_command("build_ext").get_outputs()):
            self.distribution.ext_modules = None
            self.root_is_pure = True
            self.announce("The engine of the benchmark was not compiled: the wheel is for all platforms.", level=3)
        super().run()


# debug information would name the directory of the build; distributions ask for it, and take the directory out
DEBUG = [] if "-g" in os.environ.get("CFLAGS", "").split() else ["-g0"]
README = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")

setup(
    cmdclass={"build_ext": BuildExtension, "bdist_wheel": Wheel},
    # on an index, links to files of the repository lead nowhere: their words stay
    long_description=re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", README),
    ext_modules=[
        Extension(
            "raidctl.bench._engine",
            ["raidctl/bench/_engine.c"],
            extra_compile_args=["-O2", *DEBUG, "-pthread"],
            extra_link_args=["-pthread"],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
