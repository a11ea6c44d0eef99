"""How much of a story is copied from a source, and in pieces of what length (Grusky et al. 2018, section 4).

Published story scores take the prompt as the source and compare tokens in lower case; HANNA's also counted
the newline that ended each text as a token.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Fragment(NamedTuple):
    """A run of tokens that also occurs in the source."""

    start: int
    length: int


def extractive_fragments(tokens: Sequence[str], source: Sequence[str]) -> list[Fragment]:
    """Shared runs of tokens, from left to right, each as long as can be: F(A, S) of the paper.

    In time linear in both lengths, by the suffix automaton of the source, which accepts just its runs. The
    paper's procedure steps over places inside a match it has seen, so in a source that overlaps itself
    ("a b a b a c") it may miss the longest run; here the longest is always found.
    """
    follow = _suffix_automaton(source)
    fragments: list[Fragment] = []
    start = state = 0
    for at, token in enumerate(tokens):
        after = follow[state].get(token)
        if after is None:
            if at > start:
                fragments.append(Fragment(start, at - start))
            start = at
            after = follow[0].get(token)
            if after is None:
                after, start = 0, at + 1
        state = after
    if len(tokens) > start:
        fragments.append(Fragment(start, len(tokens) - start))
    return fragments


def _suffix_automaton(tokens: Sequence[str]) -> list[dict[str, int]]:
    """Transitions of the smallest automaton of the runs of ``tokens`` (Blumer et al. 1985), from state 0."""
    follow: list[dict[str, int]] = [{}]
    longest = [0]
    fallback = [-1]
    last = 0
    for token in tokens:
        new = len(follow)
        follow.append({})
        longest.append(longest[last] + 1)
        fallback.append(0)
        state = last
        while state >= 0 and token not in follow[state]:
            follow[state][token] = new
            state = fallback[state]
        if state >= 0:
            after = follow[state][token]
            if longest[state] + 1 == longest[after]:
                fallback[new] = after
            else:
                # `after` also ends longer runs, which have not been seen here: split it.
                copy = len(follow)
                follow.append(dict(follow[after]))
                longest.append(longest[state] + 1)
                fallback.append(fallback[after])
                while state >= 0 and follow[state].get(token) == after:
                    follow[state][token] = copy
                    state = fallback[state]
                fallback[after] = fallback[new] = copy
        last = new
    return follow


class FragmentStatistics(NamedTuple):
    """Coverage, density and compression of a story against its source."""

    coverage: float
    density: float
    compression: float


def fragment_statistics(tokens: Sequence[str], source: Sequence[str], *, lowercase: bool = True) -> FragmentStatistics:
    """COVERAGE = 1/|S| sum |f|, DENSITY = 1/|S| sum |f|^2, COMPRESSION = |A| / |S| (the paper's eqs. 1 to 3).

    S is the story and A the source. An empty story has 0 of each.
    """
    if not tokens:
        return FragmentStatistics(0.0, 0.0, 0.0)
    mine, theirs = (
        ([token.lower() for token in tokens], [token.lower() for token in source]) if lowercase else (tokens, source)
    )
    lengths = [fragment.length for fragment in extractive_fragments(mine, theirs)]
    size = len(tokens)
    return FragmentStatistics(
        coverage=sum(lengths) / size,
        density=sum(length * length for length in lengths) / size,
        compression=len(source) / size,
    )
