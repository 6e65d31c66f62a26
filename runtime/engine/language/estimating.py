"""Lower bounds on the charges of calls, estimated before the calls run.

Before a primitive calls a function on each element of a container, one such call is followed
without an element: the element is `UNKNOWN`, and so are the results of primitives on it, except
functions, which are built. If that call's charges, due for every element, exceed the budget, the
operation fails at once. The estimate leaves out calls of closures and of `power`, elements of
unknown containers, and everything after a call that fails without an element.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from megabatt.runtime.engine.language.limits import UNLIMITED, LimitError, budget, charge
from megabatt.runtime.engine.language.values import Function, arity_of, call_cost

MOST = 1 << 31
"""The cap on a call's charge, so that products stay within int64 on the machine."""


UNKNOWN = object()


@dataclass
class Estimate:
    """Follows calls with unknown arguments, and charges a lower bound.

    primitive_of: Returns the primitive of a scalar form, or None.
    """

    primitive_of: Callable[[Any], Any]

    def require_for_each(self, function: Any, container: Any) -> None:
        """Require that the budget covers a lower bound of all calls, if nothing is charged yet.

        Raises LimitError otherwise.
        """
        left = budget.left
        if left != budget.limit or left == UNLIMITED or len(container) < 2:
            return
        try:
            self._charge_each(function, container)
        except LimitError:
            raise
        except Exception:
            pass  # the operation then fails likewise, or by its budget
        finally:
            budget.left = left

    def _charge_each(self, function: Any, container: Any) -> None:
        if not callable(function) or container.__class__ not in (tuple, frozenset) or not container:
            return
        charge(len(container) * call_cost(function))
        left = budget.left
        self.call(function, [UNKNOWN])
        charge((len(container) - 1) * min(left - budget.left, MOST))

    def call(self, function: Any, args: list[Any]) -> Any:
        """Follow a call. Returns its result or `UNKNOWN`; an error ends the estimate."""
        if isinstance(function, Function):
            if function.arity != len(args):
                raise TypeError
            calls = getattr(function, "calls", None)
            return UNKNOWN if calls is None else calls(self, list(function.args), args)
        if not callable(function):
            raise TypeError
        primitive = self.primitive_of(function)
        if primitive is None:
            return UNKNOWN
        if arity_of(function) != len(args):
            raise TypeError
        return self.apply(primitive, args)

    def apply(self, primitive: Any, args: list[Any]) -> Any:
        if primitive.builds is not None:
            return primitive.function(*args)
        if primitive.each is not None:
            given = dict(zip(primitive.parameters, args, strict=True))
            self._charge_each(*[given[name] for name in primitive.each])
        return UNKNOWN
