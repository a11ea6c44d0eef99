"""UNION's Table 2 and section 3.1 (what is wrong with stories), and Table 7 (metrics on stories of one error type)."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from yarnstick.agreement.correlation import correlate
from yarnstick.agreement.drift import ErrorTypes, error_types, in_error_sets
from yarnstick.agreement.types import Floats
from yarnstick.reproduce.published import published
from yarnstick.reproduce.union_votes import METRIC_FILES, TYPE_NAMES, UnionSet
from yarnstick.reproduce.verdict import IMPOSSIBLE, Document, Exhibit, Outcome, Row, judged

#: the types that section 3.1 counts and Table 7 selects by: all but "others"
TOGETHER = 4
#: votes of the seven that put a story into the set of an error type (Table 7)
ENOUGH = 3
_PAIRS = list(combinations(range(TOGETHER), 2))
_FILE = "table2_table7.json"
_OURS = "`yarnstick reproduce union --train` trains such models"


def errors(one: UnionSet) -> Outcome:
    """How many stories have which errors, and how UNION does on the stories of each type.

    A story is unreasonable unless all seven found it reasonable, and has an error that at least one of them named.
    """
    found = error_types(one.votes, one.errors, together=TOGETHER, least=ENOUGH)
    four = TYPE_NAMES[:TOGETHER]
    together = 100 * np.array(found.stories_with[1:]) / found.unreasonable
    sizes = dict(zip(four, found.sizes, strict=False))
    union = one.scores[[list(METRIC_FILES).index("UNION")]]
    r = {"All": float(correlate(union, one.votes.mean(axis=1)[None], "pearson")[0, 0])}
    r |= dict(zip(four, in_error_sets(union, one.votes, found)[0].tolist(), strict=False))
    printed = {row["set"]: row for row in published("union_table7")}
    content = {
        "n": len(one.votes),
        "unreasonable(<7/7)": found.unreasonable,
        "score_hist_k_of_7": np.bincount(one.reasonable.astype(int), minlength=one.votes.shape[1] + 1).tolist(),
        "table2_percent_of_381": dict(zip(TYPE_NAMES, np.round(100 * found.shares, 2).tolist(), strict=True)),
        "n_stories_with_k_of_4_types": list(found.stories_with),
        "percent_1234": np.round(together, 2).tolist(),
        "spearman_presence_400": np.round(found.overlap[:TOGETHER, :TOGETHER], 6).tolist(),
        "spearman_p": np.round(found.overlap_p[:TOGETHER, :TOGETHER], 6).tolist(),
        "table7_sizes_ge3": sizes,
        "reasonable": found.reasonable,
        "table7_UNION_r_from_released_scores": {name: r[name] for name in four},
        "table7_UNION_r_paper": {name: float(printed[name]["union_r"]) for name in four},
    }
    exhibits = [
        _table_2(found),
        _section_3_1(together),
        _independence(found),
        *_table_7({"All": len(one.votes), **sizes}, r, printed),
    ]
    return Outcome(exhibits, [Document(_FILE, content)])


def _table_2(found: ErrorTypes) -> Exhibit:
    rows = [
        Row(row["type"], (f"{100 * share:.1f}",), (row["printed"],))
        for row, share in zip(published("union_table2"), found.shares.tolist(), strict=True)
    ]
    title = f"the {found.unreasonable} unreasonable stories that have an error of each type, in percent"
    return judged("Table 2", title, ["share"], rows, files=[_FILE])


def _section_3_1(together: Floats) -> Exhibit:
    rows = [
        Row(f"{row['types']} of the four types", (f"{share:.2f}",), (row["printed"],))
        for row, share in zip(published("union_shares"), together.tolist(), strict=True)
    ]
    title = "unreasonable stories with one, two, three or four types of error, in percent"
    return judged("Section 3.1", title, ["share"], rows, files=[_FILE])


def _independence(found: ErrorTypes) -> Exhibit:
    lowest = min(float(found.overlap_p[pair]) for pair in _PAIRS)
    strongest = max(abs(float(found.overlap[pair])) for pair in _PAIRS)
    rows = [
        Row("no two types correlate (p > .01)", ("yes" if lowest > 0.01 else "no",), ("yes",)),
        Row("largest |rho|, smallest p", (f"{strongest:.3f}, {lowest:.3f}",)),
    ]
    title = "Spearman between the presence of two error types, all stories"
    return judged("Section 3.1, independence", title, ["value"], rows, files=[_FILE])


def _table_7(sizes: dict[str, int], r: dict[str, float], printed: dict[str, dict[str, str]]) -> list[Exhibit]:
    counted = [Row(name, (str(size),), (printed[name]["stories"],)) for name, size in sizes.items()]
    against = [Row(name, (f"{value:.4f}",), (printed[name]["union_r"],)) for name, value in r.items()]
    return [
        judged(
            "Table 7, sizes",
            f"stories to which at least {ENOUGH} of 7 people gave an error type",
            ["stories"],
            counted,
            files=[_FILE],
        ),
        judged(
            "Table 7, UNION",
            "Pearson of UNION on all stories, and on the reasonable ones with those of one error type",
            ["r"],
            against,
            differs="the released scores give the printed r of all stories, and not those of the four sets, though the "
            "sets have the printed sizes; rank coefficients, yes-or-no labels, shares of error votes and sets that do "
            "not overlap do not give them either",
            files=[_FILE],
        ),
        Exhibit(
            "Table 7, ablations",
            "UNION trained without one technique",
            IMPOSSIBLE,
            why=f"the scores of the ablated models are not released; {_OURS}",
        ),
        Exhibit(
            "Table 6",
            "UNION trained on one dataset and tested on the other",
            IMPOSSIBLE,
            why=f"the scores of models trained on the other dataset are not released; {_OURS}",
        ),
    ]
