"""N-gram overlap with references: BLEU, chrF and chrF++, TER, CIDEr."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from yarnstick.features import Batch
from yarnstick.metrics import chrf_score, cider_score, ter_score
from yarnstick.metrics.bleu_score import BleuReferences, Smoothing, bleu_references
from yarnstick.metrics.bleu_score import bleu as bleu_of
from yarnstick.metrics.card import Column
from yarnstick.metrics.option_checks import above, at_least, checks, one_of
from yarnstick.metrics.registry import metric
from yarnstick.text.tokenize_13a import tokenize_13a


def characters(text: str) -> list[str]:
    """The characters but white space."""
    return list("".join(text.split()))


_BLEU_TOKENIZERS: dict[str, Callable[[str], Sequence[str]]] = {
    "13a": tokenize_13a,
    "none": str.split,
    "char": characters,
}


@metric(
    name="bleu",
    family="overlap with references",
    needs=("story", "reference"),
    columns=[
        Column(
            "BLEU",
            "higher",
            0,
            100,
            "Share of the story's 1- to 4-grams found in a reference, shorter stories penalised.",
        )
    ],
    several_references="an n-gram counts if any reference has it; the reference nearest in length sets the length",
    paper="Papineni et al. 2002; sentence BLEU as in sacreBLEU",
    option_help={
        "order": "the longest n-grams",
        "lowercase": "compare without regard to case",
        "smoothing": "for orders without a match: exp, floor, add-k, none",
        "tokenize": "13a (sacreBLEU's default), none (white space), char",
        "effective_order": "leave out orders the story is too short for",
    },
    presets={"hanna": {}},
    check=checks(
        order=at_least(1), smoothing=one_of("exp", "floor", "add-k", "none"), tokenize=one_of(*_BLEU_TOKENIZERS)
    ),
    caveat="Made for translation: a good story that takes another turn than the reference scores near 0.",
)
def bleu(
    batch: Batch,
    *,
    order: int = 4,
    lowercase: bool = False,
    smoothing: str = "exp",
    tokenize: str = "13a",
    effective_order: bool = True,
) -> list[float]:
    """Sentence BLEU of the whole story."""
    references = batch.each_set(references_for_bleu, order=order, lowercase=lowercase, tokenize=tokenize)
    return [
        bleu_of(story, prepared, smoothing=cast(Smoothing, smoothing), effective_order=effective_order)
        for story, prepared in zip(batch.stories, references, strict=True)
    ]


def references_for_bleu(references: Sequence[str], order: int, lowercase: bool, tokenize: str) -> BleuReferences:
    """Counted n-grams of one story's references."""
    return bleu_references(references, order=order, lowercase=lowercase, tokenize=_BLEU_TOKENIZERS[tokenize])


_CHRF_HELP = {
    "char_order": "the longest character n-grams",
    "beta": "how much more recall weighs than precision",
    "whitespace": "keep white space as characters",
    "lowercase": "compare without regard to case",
    "line_end": "keep the line break that ended each text in HANNA's files (shows only with whitespace=yes)",
}


@metric(
    name="chrf",
    family="overlap with references",
    needs=("story", "reference"),
    columns=[Column("chrF", "higher", 0, 100, "F-score of character 1- to 6-grams shared with the reference.")],
    several_references="the best",
    paper="Popović 2015; as in sacreBLEU",
    option_help=_CHRF_HELP,
    check=checks(char_order=at_least(1), beta=above(0)),
    presets={"hanna": {"beta": 3.0, "whitespace": True, "line_end": True}},
)
def chrf(
    batch: Batch,
    *,
    char_order: int = 6,
    beta: float = 2.0,
    whitespace: bool = False,
    lowercase: bool = False,
    line_end: bool = False,
) -> list[float]:
    """Character n-gram F-score."""
    return _chrf(batch, char_order, 0, beta, whitespace, lowercase, line_end)


@metric(
    name="chrf++",
    family="overlap with references",
    needs=("story", "reference"),
    columns=[Column("chrF++", "higher", 0, 100, "chrF with word 1- and 2-grams beside the characters.")],
    several_references="the best",
    paper="Popović 2017; as in sacreBLEU",
    option_help={**_CHRF_HELP, "word_order": "the longest word n-grams"},
    check=checks(char_order=at_least(1), word_order=at_least(0), beta=above(0)),
)
def chrf_plus_plus(
    batch: Batch,
    *,
    char_order: int = 6,
    word_order: int = 2,
    beta: float = 2.0,
    whitespace: bool = False,
    lowercase: bool = False,
) -> list[float]:
    """Character and word n-gram F-score."""
    return _chrf(batch, char_order, word_order, beta, whitespace, lowercase, line_end=False)


def _chrf(
    batch: Batch,
    char_order: int,
    word_order: int,
    beta: float,
    whitespace: bool,
    lowercase: bool,
    line_end: bool,
) -> list[float]:
    references = batch.each_reference(
        reference_for_chrf,
        char_order=char_order,
        word_order=word_order,
        whitespace=whitespace,
        lowercase=lowercase,
        line_end=line_end,
    )
    end = "\n" if line_end else ""
    return [
        chrf_score.chrf(f"{story}{end}", prepared, beta=beta)
        for story, prepared in zip(batch.stories, references, strict=True)
    ]


def reference_for_chrf(
    reference: str, char_order: int, word_order: int, whitespace: bool, lowercase: bool, line_end: bool
) -> chrf_score.ChrfReference:
    """Counted n-grams of one reference."""
    return chrf_score.chrf_reference(
        f"{reference}\n" if line_end else reference,
        char_order=char_order,
        word_order=word_order,
        whitespace=whitespace,
        lowercase=lowercase,
    )


@metric(
    name="ter",
    family="overlap with references",
    needs=("story", "reference"),
    columns=[Column("TER", "lower", 0, None, "Edits that turn the story into the reference, per 100 reference words.")],
    cost="heavy",
    several_references="the one that needs the fewest edits, per mean reference length",
    paper="Snover et al. 2006; as sacreBLEU computes it",
    libraries=("sacrebleu",),
    option_help={
        "normalized": "split punctuation from words first",
        "case_sensitive": "compare with regard to case",
        "max_words": "leave longer texts undefined",
    },
    check=checks(max_words=at_least(1)),
    undefined="more than max_words words on either side: the search for shifts would take too long",
    caveat="Distance, not similarity; above 100 for stories longer than the reference.",
)
def ter(batch: Batch, *, normalized: bool = False, case_sensitive: bool = False, max_words: int = 3000) -> list[float]:
    """Translation edit rate."""
    stories = batch.each(words_for_ter, batch.stories, normalized=normalized, case_sensitive=case_sensitive)
    references = batch.each_reference(words_for_ter, normalized=normalized, case_sensitive=case_sensitive)
    scores = []
    for story, against in zip(stories, references, strict=True):
        if max(map(len, (story, *against))) > max_words:
            scores.append(float("nan"))
            continue
        edits, words = min(ter_score.edits(story, one) for one in against), sum(map(len, against)) / len(against)
        # Without a reference word any edit at all is everything.
        scores.append(100 * edits / words if words else 100.0 * (edits > 0))
    return scores


def words_for_ter(text: str, normalized: bool, case_sensitive: bool) -> list[str]:
    """Tercom's tokens, by sacreBLEU."""
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    tokens: str = TercomTokenizer(normalized=normalized, case_sensitive=case_sensitive)(text.rstrip())
    return tokens.split()


def _documents(batches: Iterable[Batch], *, order: int = 4, lowercase: bool = True) -> cider_score.DocumentFrequencies:
    """Document frequencies over the distinct sets of references: a prompt's set counts once, however many systems."""
    distinct = {tuple(references) for batch in batches for references in batch.references if references}
    tokenize = lowered_word_runs if lowercase else cider_score.word_character_runs
    return cider_score.document_frequencies(sorted(distinct), order=order, tokenize=tokenize)


def lowered_word_runs(text: str) -> list[str]:
    """Runs of letters, digits and underscores, in lower case."""
    return cider_score.word_character_runs(text.lower())


@metric(
    name="cider",
    family="overlap with references",
    needs=("story", "reference"),
    columns=[
        Column(
            "CIDEr",
            "higher",
            0,
            10,
            "Agreement in the n-grams that are rare among the references; 10 is equal.",
        )
    ],
    several_references="the mean",
    paper="Vedantam et al. 2015 (CIDEr-D)",
    prepare=_documents,
    check=checks(order=at_least(1), sigma=above(0)),
    option_help={
        "order": "the longest n-grams",
        "sigma": "how many words of difference in length are forgiven",
        "lowercase": "compare without regard to case",
    },
    presets={"hanna": {"lowercase": False}},
    caveat="Made for captions: two stories whose lengths differ by more than some 20 words score next to 0. Depends on "
    "all references of the set (the signature's corpus); 0 for a set with one prompt, where nothing is rare.",
)
def cider(batch: Batch, *, order: int = 4, sigma: float = 6.0, lowercase: bool = True) -> list[float]:
    """CIDEr-D, with document frequencies from the references of the whole set."""
    frequencies: cider_score.DocumentFrequencies = batch.corpus
    stories = batch.each(cider_score.tf_idf_vector, batch.stories, df=frequencies)
    references = batch.each_reference(cider_score.tf_idf_vector, df=frequencies)
    return [
        cider_score.cider(story, vectors, frequencies, sigma=sigma)
        for story, vectors in zip(stories, references, strict=True)
    ]
