"""Writes classes of a source otherwise; see `constants` and `methods`.

A class stays as it is where it is not certain what the source does with it.
"""

from __future__ import annotations

import ast
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from megabatt.codegen.analysis.names import as_written, bound_in, named_in
from megabatt.codegen.analysis.nodes import called_name, copy_of_all, forget, nodes_in
from megabatt.codegen.analysis.ownership import Comprehension
from megabatt.runtime.printable import brief


class Unclear(Exception):
    """Raised where it is not certain what classes are used for.

    args: The names of the classes. why: Says what is not certain and what to write instead; it
    takes the number of lines that the file has before the source.
    """

    def __init__(self, *names: str, why: Callable[[int], str] | None = None) -> None:
        super().__init__(*names)
        self.why = why


def said_of(node: ast.AST, text: str) -> Callable[[int], str]:
    """Return a `why`, see `Unclear`. text: What it says, with `{}` for the node and its line."""
    written, line = f"`{brief(as_written(node))}`", getattr(node, "lineno", 1)
    return lambda before: text.format(f"{written} in line {line + before}")


def rename_of_class(value: ast.expr, names: Mapping[str, str]) -> None:
    """Rename what an expression of a class reads of the class; functions in it read no such names.

    names: The new names.
    """
    left: list[ast.AST] = [value]
    for node in left:
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.Lambda):
            left += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        elif isinstance(node, Comprehension):
            left.append(node.generators[0].iter)
        else:
            left += ast.iter_child_nodes(node)


def words_of_named_tuples(tree: ast.Module) -> Iterator[str]:
    """Yield the words in calls of `namedtuple` and its like, the fields among them."""
    for call in nodes_in(tree, ast.Call):
        if "namedtuple" in (text := ast.unparse(call)).lower():
            yield from re.findall(r"\w+", text)


def asks_for_tuples(tree: ast.Module) -> bool:
    """Tell whether a source may ask if values are tuples, such as objects that are read as some."""
    calls = (call for call in nodes_in(tree, ast.Call) if called_name(call) == "isinstance")
    asked = {name for call in calls for name in named_in(call)}
    return "type" in named_in(tree) or not asked.isdisjoint({"list", "tuple"})


class ClassWriter(ast.NodeTransformer):
    """Writes classes, and what uses them, otherwise. classes: What they are, by name."""

    def __init__(self, classes: Mapping[str, Any]) -> None:
        self._classes = classes

    @abstractmethod
    def written(self, one: Any) -> Iterator[ast.stmt]:
        """Yield the statements that a class is written as."""

    def statements(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements of a module with the classes written otherwise."""
        for statement in body:
            one = self._classes.get(getattr(statement, "name", ""))
            if one is None or one.definition is not statement:
                yield self.visit(statement)
            else:
                yield from self.written(one)


Writer = TypeVar("Writer", bound=ClassWriter)


def with_classes_written(
    tree: ast.Module,
    class_of: Callable[[ast.ClassDef, Mapping[str, int], ast.Module], Any],
    writer_of: Callable[[Mapping[str, Any], ast.Module], Writer],
) -> tuple[ast.Module, Writer | None]:
    """Return a source in which the classes that can be are written otherwise, and the writer.

    class_of: Returns what a class of the module is, from its definition and from how often the
    source binds each name; None if it stays. writer_of: Makes a writer, which may raise Unclear.
    The writer returned is None if all classes stay.
    """
    stay: set[str] = set()
    while any(isinstance(part, ast.ClassDef) for part in tree.body):
        made = copy_of_all(tree)
        bound = Counter(bound_in(made))
        classes = {
            part.name: one for part in made.body
            if isinstance(part, ast.ClassDef) and bound[part.name] == 1 and part.name not in stay
            and (one := class_of(part, bound, made)) is not None
        }  # fmt: skip
        if not classes:
            break
        try:
            writer = writer_of(classes, made)
            made.body = [*writer.statements(made.body)]
        except Unclear as unclear:
            stay.update(unclear.args)
            for part in tree.body:
                if getattr(part, "name", "") in unclear.args:
                    part.why_unclear = unclear.why  # type: ignore[attr-defined]
            continue
        forget(made)
        return made, writer
    return tree, None
