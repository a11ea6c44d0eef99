"""The crew of processes: results in order, errors that arrive, a death that is noticed, nobody left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from itertools import count

import pytest

from yarnstick.errors import InputError, YarnstickError
from yarnstick.union.perturb.processes import Crew


def _slow_where_even(number: int) -> int:
    time.sleep(0.02 if number % 2 == 0 else 0.0)
    return number * number


def _refuses_three(number: int) -> int:
    if number == 3:
        raise InputError("three is too many", remedy="two will do")
    return number


def _dies_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_results_come_in_the_order_of_the_chunks() -> None:
    with Crew(_slow_where_even, 2) as crew:
        assert list(crew.work(iter(range(1, 30)))) == [number * number for number in range(1, 30)]
        assert list(crew.work(iter([]))) == []
        assert list(crew.work(iter([5]))) == [25]


def test_an_error_in_a_worker_is_raised_here() -> None:
    with Crew(_refuses_three, 2) as crew, pytest.raises(InputError, match="three is too many") as caught:
        list(crew.work(iter(range(1, 9))))
    assert caught.value.remedy == "two will do"


def test_a_worker_that_is_killed_is_noticed() -> None:
    with Crew(_dies_at_three, 2) as crew, pytest.raises(YarnstickError, match="a worker process died"):
        list(crew.work(iter(range(1, 9))))


def test_no_more_is_read_than_can_be_held_and_nobody_is_left_behind() -> None:
    taken = []

    def endless():
        for number in count(1):
            taken.append(number)
            yield number

    with Crew(_slow_where_even, 2) as crew:
        results = crew.work(endless())
        assert [next(results) for _ in range(3)] == [1, 4, 9]
        results.close()
    assert len(taken) <= 12
    assert not multiprocessing.active_children()
