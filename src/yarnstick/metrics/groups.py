"""Names for several metrics at once. A group's name can stand wherever a metric's name can."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """Requests behind one name."""

    members: tuple[str, ...]
    summary: str


GROUPS: dict[str, Group] = {
    "hanna-string": Group(
        (
            "bleu:preset=hanna",
            "rouge:preset=hanna",
            "meteor:preset=hanna",
            "chrf:preset=hanna",
            "cider:preset=hanna",
            "fragments:preset=hanna",
            "length:preset=hanna",
            "novelty:preset=hanna",
            "repetition:preset=hanna",
        ),
        "the 38 string-based columns of HANNA (Chhun et al. 2022), with its settings and under its names",
    ),
    "rouge-1": Group(("rouge:variants=1",), "ROUGE-1 recall, precision and F"),
    "rouge-2": Group(("rouge:variants=2",), "ROUGE-2 recall, precision and F"),
    "rouge-3": Group(("rouge:variants=3",), "ROUGE-3 recall, precision and F"),
    "rouge-4": Group(("rouge:variants=4",), "ROUGE-4 recall, precision and F"),
    "rouge-l": Group(("rouge:variants=L",), "ROUGE-L recall, precision and F"),
    "rouge-w": Group(("rouge:variants=W-1.2",), "ROUGE-W-1.2 recall, precision and F"),
    "rouge-s": Group(("rouge:variants=S*",), "ROUGE-S* recall, precision and F"),
    "rouge-su": Group(("rouge:variants=SU*",), "ROUGE-SU* recall, precision and F"),
    "text": Group(
        ("length", "repetition", "distinct", "lexical-diversity", "readability"),
        "what can be said of a story without a prompt or a reference",
    ),
}
