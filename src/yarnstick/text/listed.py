"""Word lists as they are best read: in a paragraph."""

from __future__ import annotations


def listed(words: str) -> frozenset[str]:
    """
    >>> sorted(listed("and or but"))
    ['and', 'but', 'or']
    """
    return frozenset(words.split())
