"""B17: no part of the product loads a format that can run code, told by its syntax trees."""

from __future__ import annotations

import ast
import io
import pickle
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CNRagError, StorageCorruptError
from cnrag_core.workspace import Workspace
from tests.hardening.campaign import report

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*(ROOT / "cnrag_core").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"])

MODULES = frozenset({"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "code"})
NAMES = frozenset({"eval", "exec", "compile", "__import__"})
METHODS = frozenset(
    {
        *("read_pickle", "to_pickle", "read_gpickle", "write_gpickle", "full_load", "unsafe_load", "full_load_all"),
        *("load_module", "exec_module"),
    }
)
OF_MODULES = {
    "yaml": {"load", "load_all"},
    "torch": {"load"},
    "os": {"system", "popen"},
    "pd": {"eval"},
    "pandas": {"eval"},
}
FRAME_METHODS = frozenset({"query", "eval"})
"""Of a data frame; the nearest neighbours of a tree of points are asked for by the same name."""


def forbidden(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of everything that could run what a file holds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names if alias.name.split(".")[0] in MODULES]
            yield from ((node.lineno, name) for name in found)
        elif isinstance(node, ast.ImportFrom):
            if (node.module or "").split(".")[0] in MODULES:
                yield node.lineno, str(node.module)
            of_module = OF_MODULES.get(node.module or "", set())
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name in METHODS | of_module)
        elif isinstance(node, ast.Call):
            yield from _forbidden_call(node)


def _forbidden_call(node: ast.Call) -> Iterator[tuple[int, str]]:
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    pickled, shell = keywords.get("allow_pickle"), keywords.get("shell")
    if pickled is not None and not (isinstance(pickled, ast.Constant) and pickled.value is False):
        yield node.lineno, "allow_pickle=True"
    if shell is not None and not (isinstance(shell, ast.Constant) and shell.value is False):
        yield node.lineno, "shell=True"
    called = node.func
    if isinstance(called, ast.Name) and called.id in NAMES:
        yield node.lineno, called.id
    if isinstance(called, ast.Attribute):
        owner = called.value.id if isinstance(called.value, ast.Name) else ""
        is_numpy_load = owner in ("np", "numpy") and called.attr == "load"
        if is_numpy_load and not isinstance(pickled, ast.Constant):
            yield node.lineno, "np.load without allow_pickle=False"
        if called.attr in METHODS or called.attr in OF_MODULES.get(owner, ()):
            yield node.lineno, f"{owner}.{called.attr}"
        of_a_tree = isinstance(called.value, ast.Call) and getattr(called.value.func, "id", "") == "cKDTree"
        if called.attr in FRAME_METHODS and not of_a_tree:
            yield node.lineno, f"{owner}.{called.attr}"


def test_b17_no_source_loads_what_could_run() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in SOURCES
        for line, name in forbidden(ast.parse(path.read_text(encoding="utf-8")))
    ]
    report("B17", len(SOURCES) - len({line.split(":")[0] for line in found}), len(SOURCES), "sources without a loader")
    assert found == []
    assert len(SOURCES) > 100


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "import shelve as s",
        "eval('1')",
        "frame.query('a > 1')",
        "torch.load(path)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=wanted)",
        "yaml.load(text)",
        "yaml.full_load(text)",
        "from yaml import load",
        "pd.read_pickle(path)",
        "nx.read_gpickle(path)",
        "os.system('id')",
        "subprocess.run('id', shell=True)",
    ],
)
def test_b17_the_search_finds_what_it_should(source: str) -> None:
    assert list(forbidden(ast.parse(source)))


@pytest.mark.parametrize(
    "source", ["np.load(path, allow_pickle=False)", "yaml.safe_load(text)", "model.evaluate(x)", "cKDTree(x).query(x)"]
)
def test_b17_the_search_leaves_the_rest_alone(source: str) -> None:
    assert list(forbidden(ast.parse(source))) == []


class Bomb:
    """What runs when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("import builtins; builtins.bombed = True",)


@pytest.mark.parametrize("name", ["corpus.pkl", "corpus.joblib", "corpus.npy", "corpus.gpickle", "corpus.jsonl"])
def test_b17_a_pickle_is_never_accepted_as_a_corpus(name: str) -> None:
    import builtins

    with pytest.raises(CNRagError):
        read_bytes(pickle.dumps([Bomb()]), name)
    assert not hasattr(builtins, "bombed")


def test_b17_a_pickled_array_of_a_workspace_is_never_loaded() -> None:
    import builtins

    objects = io.BytesIO()
    np.save(objects, np.array([Bomb()], dtype=object), allow_pickle=True)
    whole, changed = io.BytesIO(Workspace.of_sample("larkspur").to_bytes()), io.BytesIO()
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(changed, "w") as new:
        for entry in old.namelist():
            new.writestr(entry, objects.getvalue() if entry == "layout.npy" else old.read(entry))
    with pytest.raises(StorageCorruptError, match=r"layout\.npy"):
        Workspace.open(changed.getvalue())
    assert not hasattr(builtins, "bombed")
