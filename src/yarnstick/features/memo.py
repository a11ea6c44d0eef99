"""A memo of per-text features: tokens, n-gram counts and the like, once per distinct text.

References and prompts repeat across systems, and several metrics want the same tokens. A metric therefore
never calls a tokeniser itself; it asks ``batch.each(tokeniser, texts)``, and whoever asked before has paid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

Value = TypeVar("Value")

#: a text, or a story's references taken together
Key: TypeAlias = str | tuple[str, ...]


class Features:
    """Values of ``function(text, **options)``, kept while the text is likely to come back.

    A story's own features go when its batch is done. Those of texts that many stories share (prompts and
    references) stay until ``keep_characters`` of such text or ``keep_bytes`` of arrays are held (what a model reads
    of a text takes thousands of times its room), so memory does not grow with the file.
    """

    def __init__(self, keep_characters: int = 20_000_000, keep_bytes: int = 1 << 30) -> None:
        self._keep_characters = keep_characters
        self._keep_bytes = keep_bytes
        self._held_characters = 0
        self._held_bytes = 0
        self._shared_texts: set[Key] = set()
        self._shared: dict[Hashable, dict[Key, Any]] = {}
        self._of_batch: dict[Hashable, dict[Key, Any]] = {}
        #: how often each function was really run; tests hold "once per distinct text" to it
        self.computed: Counter[str] = Counter()

    def each(self, function: Callable[..., Value], texts: Sequence[Key], **options: Hashable) -> list[Value]:
        """``function`` of every text, in order, computed once per distinct text."""
        name = f"{function.__module__}.{function.__qualname__}"
        key = (name, tuple(sorted(options.items())))
        shared = self._shared.setdefault(key, {})
        own = self._of_batch.setdefault(key, {})
        values = []
        for text in texts:
            if text in shared:
                values.append(shared[text])
                continue
            if text not in own:
                own[text] = function(text, **options)
                self.computed[name] += 1
            values.append(own[text])
        return values

    def together(
        self, function: Callable[..., Sequence[Value]], texts: Sequence[Key], **options: Hashable
    ) -> list[Value]:
        """Like :meth:`each` for a ``function`` of many texts at once, which is handed only those not known yet.

        Models read many texts in less time than one after the other; what one text gives must not depend on the rest.
        """
        name = f"{function.__module__}.{function.__qualname__}"
        key = (name, tuple(sorted(options.items())))
        shared = self._shared.setdefault(key, {})
        own = self._of_batch.setdefault(key, {})
        if new := [text for text in dict.fromkeys(texts) if text not in shared and text not in own]:
            own.update(zip(new, function(new, **options), strict=True))
            self.computed[name] += len(new)
        return [shared[text] if text in shared else own[text] for text in texts]

    def end_batch(self, shared_texts: Iterable[Key]) -> None:
        """Let go of the batch just done, but for the texts its stories share with others."""
        for text in set(shared_texts):
            if text not in self._shared_texts:
                self._shared_texts.add(text)
                self._held_characters += len(text) if isinstance(text, str) else sum(map(len, text))
            for key, own in self._of_batch.items():
                if text in own:
                    self._shared[key][text] = own[text]
                    self._held_bytes += getattr(own[text], "nbytes", 0)
        self._of_batch.clear()
        if self._held_characters > self._keep_characters or self._held_bytes > self._keep_bytes:
            self._shared.clear()
            self._shared_texts.clear()
            self._held_characters = self._held_bytes = 0
