"""The name a number carries, in the manner of sacreBLEU: metric, column, settings, versions.

    chrf|column:chrF|beta:2|case:mixed|...|rev:1|yarnstick:0.1.0

Same signature, same text: same score. Readable by people, and :meth:`Signature.parse` reads it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.metadata import version as installed_version

from yarnstick.errors import YarnstickError
from yarnstick.metrics.card import Card, OptionValue
from yarnstick.version import __version__

_ESCAPES = {"%": "%25", "|": "%7C", ":": "%3A"}


@dataclass(frozen=True, slots=True)
class Signature:
    """``metric`` and its ``fields`` in order. Values are kept as the text they are printed as."""

    metric: str
    fields: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, card: Card, options: Mapping[str, OptionValue], corpus: str = "") -> Signature:
        """The signature of a metric under these settings. ``corpus`` names the set a corpus metric was fitted on."""
        fields = {name: _show(value) for name, value in sorted(options.items())}
        if card.stamp is not None:
            fields.update(card.stamp(**options))
        if corpus:
            fields["corpus"] = corpus
        fields["rev"] = str(card.revision)
        for library in card.libraries:
            fields[library] = installed_version(library)
        fields["yarnstick"] = __version__
        return cls(card.name, fields)

    def for_column(self, column: str) -> Signature:
        """The signature of one column."""
        return Signature(self.metric, {"column": column, **self.fields})

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a printed signature back."""
        metric, *parts = text.split("|")
        fields = {}
        for part in parts:
            key, colon, value = part.partition(":")
            if not key or not colon:
                raise YarnstickError(
                    f"{text!r} is not a signature",
                    remedy="they look like chrf|column:chrF|beta:2|...|yarnstick:0.1.0",
                )
            fields[_unescape(key)] = _unescape(value)
        return cls(_unescape(metric), fields)

    def __str__(self) -> str:
        parts = [f"{_escape(key)}:{_escape(value)}" for key, value in self.fields.items()]
        return "|".join([_escape(self.metric), *parts])

    @property
    def digest(self) -> str:
        """A short stable hash: the key under which the score store files this metric's numbers."""
        return blake2b(str(self).encode(), digest_size=8).hexdigest()


def _show(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(sign, sign) for sign in text)


def _unescape(text: str) -> str:
    for sign, escaped in reversed(_ESCAPES.items()):
        text = text.replace(escaped, sign)
    return text
