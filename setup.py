"""The compiled engine of the benchmark, where a compiler and Python's headers are there; everything else: setup.cfg.

Without them raidctl installs all the same, and measures with its portable engine.
"""

from setuptools import Extension, setup  # type: ignore[import-untyped] # setuptools brings no types along

setup(
    ext_modules=[
        Extension(
            "raidctl.bench._engine",
            ["raidctl/bench/_engine.c"],
            extra_compile_args=["-O2", "-g0", "-pthread"],  # debug information would name the directory of the build
            extra_link_args=["-pthread"],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
