"""How threads share a task that has as many parts as there are threads.

The thread that leads numbers its tasks. It publishes the number of a task, does the first part, and then any part that
nobody has begun; at last it waits for those that others have begun. Each of the others waits for a number, and begins
with the part that is its own, if it is still there. So nobody depends on a thread that comes late, as on a machine that
is busy, and a part gives the same numbers whoever does it.

`team.word` has the words that all of them see, a cache line or two apart, so that waiting for one does not slow down
writing another:

    TASK_NUMBER, END, then for each part the number of the last task in which it was begun, and of that in which it was
    done
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels._words import load_word, pause, store_word, swap_word, yield_core

APART = 16
"""Words from one that is shared to the next: two cache lines."""
TASK_NUMBER, END, FIRST_PART = 0, APART, 2 * APART
SPINS = 1000
"""Looks at a word after which a thread that waits lets others have its core: some 30 us."""


@kernel(inline=True)
def rest(count):
    """Wait a little, for the time number `count`."""
    if count < SPINS:
        pause()
    else:
        yield_core()


@kernel(inline=True)
def find_begun(part):
    """Where the number of the last task is in which a part was begun."""
    return FIRST_PART + 2 * APART * part


@kernel(inline=True)
def begin_part(word_work, part, number):
    """Whether this thread is to do a part of the task with this number."""
    return swap_word(word_work, find_begun(part), number - 1, number)


@kernel(inline=True)
def end_part(word_work, part, number):
    """A part of the task with this number is done."""
    store_word(word_work, find_begun(part) + APART, number)


@kernel
def wait_for_part(word, part, number):
    """Wait until a part is done."""
    count = 0
    while load_word(word, find_begun(part) + APART) != number:
        rest(count)
        count += 1


@kernel
def wait_for_task(word, before, end):
    """Wait for another task than that with the number `before`; gives its number, or 0 when this `end` has come."""
    count = 0
    while True:
        if load_word(word, END) >= end:
            return 0
        number = load_word(word, TASK_NUMBER)
        if number != before:
            return number
        rest(count)
        count += 1
