"""Published corpora of stories and ratings, read as they were released.

In reading order: ``card``, ``finding``, ``cache``, ``fetching``, ``told``, a file a corpus (``bundled``, ``hanna``,
``union``, ``mans``, ``rocstories``, ``writingprompts``), then ``registry``, which knows them all.
"""

from yarnstick.stories.corpora.card import Corpus, CorpusCard, CorpusFile
from yarnstick.stories.corpora.registry import corpora, corpus, sample

__all__ = ["Corpus", "CorpusCard", "CorpusFile", "corpora", "corpus", "sample"]
