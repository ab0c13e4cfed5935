"""How a cost grows with its input, so that no test depends on how fast the machine is."""

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")

TIMES = 8  # between the two sizes: what is linear grows by 8, what is quadratic by 64
MOST = 3 * TIMES
NOISE_SECONDS = 0.02  # below this a clock tells more of the machine than of the code


def cost(act: Callable[[Input], object], given: Input) -> float:
    """Give the seconds of processor time that one act takes."""
    start = time.process_time()
    act(given)
    return time.process_time() - start


def assert_linear(act: Callable[[Input], object], make: Callable[[int], Input], size: int) -> None:
    """Hold an act to a cost that grows like its input's size, up to this one."""
    small = cost(act, make(size // TIMES))

    large = cost(act, make(size))

    assert large <= MOST * max(small, NOISE_SECONDS), (small, large)
