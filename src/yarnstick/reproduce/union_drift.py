"""UNION's Figure 2: metrics on sets of stories biased towards a quality."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.drift import biased_sets
from yarnstick.reproduce.union_votes import METRIC_FILES, UnionSet
from yarnstick.reproduce.verdict import OURS_ONLY, Document, Exhibit, Outcome, Row

_FILE = "fig2_biased_sets.json"
DRAWS = 500
SEED = 0


def quality_drift(one: UnionSet, *, draws: int = DRAWS, seed: int = SEED) -> Outcome:
    """The eight sets: what is to be expected of their make-up, and Pearson's r over many draws where the paper drew
    once and shows a picture."""
    found = biased_sets(one.scores, one.reasonable, draws=draws, seed=seed)
    rows, content = [], {}
    for place, number in enumerate(found.centres):
        size = float(found.expected_sizes[place])
        pairs = list(zip(found.mean[place].tolist(), found.deviation[place].tolist(), strict=True))
        content[str(number)] = {
            "expected_size": size,
            "expected_share_k0..7": np.round(found.expected_shares[place], 6).tolist(),
            f"pearson_mean_sd_{draws}_draws": {
                metric: [round(mean, 4), round(deviation, 4)]
                for metric, (mean, deviation) in zip(METRIC_FILES, pairs, strict=True)
            },
        }
        cells = (f"{mean:.2f}±{deviation:.2f}" for mean, deviation in pairs)
        rows.append(Row(f"set {number}", (f"{size:.0f}", *cells)))
    exhibit = Exhibit(
        "Fig 2",
        f"Pearson on eight sets biased towards a quality, mean and standard deviation of {draws} draws",
        OURS_ONLY,
        ("size", *METRIC_FILES),
        tuple(rows),
        "the paper's values are in a picture alone, of draws whose number and seed are not told",
        files=(_FILE,),
    )
    return Outcome([exhibit], [Document(_FILE, content)])
