"""Table 3: how far the three raters of a story agree (intraclass correlation, average of three raters)."""

from __future__ import annotations

from yarnstick.agreement.icc import Coefficient, icc, icc_forms, mean_squares_from_f
from yarnstick.reproduce.hanna_data import CRITERIA, Hanna
from yarnstick.reproduce.hanna_workers import ANNOTATIONS, ratings_by_worker
from yarnstick.reproduce.published import published
from yarnstick.reproduce.verdict import Document, Exhibit, Outcome, Row, judged

_FILE = "table3_icc.json"
_FORMS = ("ICC1k", "ICC2k", "ICC3k")
_HEADINGS = ("ICC2k", "low", "high")


def reliability(hanna: Hanna) -> Outcome:
    """What the released ratings give, and what they cannot.

    A story's three ratings stand in the order of the annotations, not by worker. ICC1k does not care who rated; the
    printed ICC2k does, and needs the workers' names. The F the notebook prints gives the two mean squares that are
    missing, so that the formula, though not the table, can be checked. Where the annotations with the workers' names
    lie in the folder, the table itself is computed too.
    """
    named = ratings_by_worker(hanna.folder)
    by_name = []
    as_released, one_way, from_f = [], [], []
    content = {}
    for place, (criterion, row) in enumerate(zip(CRITERIA, published("hanna_table3"), strict=True)):
        released = icc(hanna.ratings[place].reshape(-1, hanna.ratings.shape[-1]))
        found = released.mean_squares
        squares = mean_squares_from_f(
            found.between_stories, found.within_stories, float(row["notebook_f"]), found.stories, found.raters
        )
        workers = icc_forms(squares)
        paper = (row["icc2k"], row["low"], row["high"])
        notebook = (_six(float(row["notebook_icc2k"])), row["notebook_low"], row["notebook_high"])
        as_released.append(Row(criterion, _printed(released["ICC2k"]), paper))
        if named is not None:
            by_name.append(Row(criterion, _printed(icc(named[place])["ICC2k"]), paper))
        one_way.append(Row(criterion, (_six(released["ICC1k"].value),), (_six(float(row["notebook_icc1k"])),)))
        from_f.append(Row(criterion, (_six(workers["ICC2k"].value), *_printed(workers["ICC2k"])[1:]), notebook))
        content[criterion] = {
            "paper_LB_ICC2k_UB": [float(row[name]) for name in ("low", "icc2k", "high")],
            "notebook_ICC2k": float(row["notebook_icc2k"]),
            "notebook_CI": [float(row["notebook_low"]), float(row["notebook_high"])],
            "notebook_ICC1k": float(row["notebook_icc1k"]),
            "released_columns_as_raters": {form: _triple(released[form]) for form in _FORMS},
            "MSR": squares.between_stories,
            "MSW": squares.within_stories,
            "worker_alignment_recovered_from_F": {
                "F": float(row["notebook_f"]),
                "MSE": squares.residual,
                "MSC": squares.between_raters,
                **{form: _triple(workers[form]) for form in _FORMS[1:]},
            },
        }
    exhibits = _exhibits(as_released, one_way, from_f)
    if by_name:
        exhibits.insert(1, _by_name(by_name))
    return Outcome(exhibits, [Document(_FILE, content)])


def _exhibits(as_released: list[Row], one_way: list[Row], from_f: list[Row]) -> list[Exhibit]:
    return [
        judged(
            "Table 3",
            "agreement of the raters, with the first, second and third rating of a story as raters",
            _HEADINGS,
            as_released,
            differs="it cannot be had from the released ratings: they are in the order of annotation, and ICC2k needs "
            f"the workers' identities, which {ANNOTATIONS} has: with it in the folder the table is computed from them",
            files=[_FILE],
        ),
        judged(
            "Table 3, one-way",
            "ICC1k, for which it does not matter who rated",
            ("ICC1k",),
            one_way,
            source="notebook",
            files=[_FILE],
        ),
        judged(
            "Table 3, formula",
            "ICC2k from the released ratings and the F that the notebook prints",
            _HEADINGS,
            from_f,
            note="so the formula is the paper's; the paper's table prints .10 for CH's lower end where its notebook "
            "has .01, and upper ends a hundredth away",
            source="notebook",
            files=[_FILE],
        ),
    ]


def _by_name(rows: list[Row]) -> Exhibit:
    return judged(
        "Table 3, by worker",
        f"ICC2k with the three busiest workers of {ANNOTATIONS} as raters",
        _HEADINGS,
        rows,
        differs="the paper's interval ends are cut off, not rounded, and its notebook has .01 for CH's lower end",
    )


def _triple(found: Coefficient) -> list[float]:
    return [found.value, *found.interval]


def _printed(found: Coefficient) -> tuple[str, ...]:
    return tuple(f"{value:.2f}" for value in _triple(found))


def _six(value: float) -> str:
    return f"{value:.6f}"
