"""Embedding models on this machine: the one in the package, and any other that fastembed knows.

The shipped model (all-MiniLM-L6-v2, int8) is run by onnxruntime without fastembed, which gives the
same sentence vectors (a test holds both equal) but takes 0.4 s longer to import and hides the token
vectors. Texts are encoded one at a time: with dynamic quantisation a vector depends on what else is
in its batch. The other models are kept in a folder of Cortex's own.
"""

import hashlib
import threading
from functools import cache
from pathlib import Path
from typing import Any

from cortex_core.base import hook_io
from cortex_core.base.errors import WORDS_ONLY, ModelUnavailable
from cortex_core.base.one_thread import load_numpy, load_onnxruntime
from cortex_core.base.text import STOP_WORDS
from cortex_core.embeddings.names import SHIPPED_TAG
from cortex_core.embeddings.protocol import Encoded, QueryEncoding, Vector

NAME = SHIPPED_TAG
DIMENSION = 384

SHIPPED_FOLDER = Path(__file__).with_name("minilm")

SHA256 = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.onnx": "479f2edac8f6e69c2c475a773e388a905d1969ff5768bab098e4981958458931",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "token-mean.npy": "5ff3181744c4945efb817c9c94fd691319b615030cf4187f0b2b34856bef980b",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
}
"""Digest of each shipped file."""

PART = 510
"""Wordpieces of one run of the model, besides the two special ones."""

MOST_PARTS = 8
"""A longer text is embedded by its first 4,080 wordpieces; its words are all indexed."""

LONGEST = 25 * PART * MOST_PARTS
"""Characters of a text that are cut into wordpieces: the tokenizer lets no other thread run, and
takes a minute for 20 MB."""

BEFORE = 96
"""Most wordpieces of the preceding turns that the model reads as context."""

STOP_PIECES = STOP_WORDS | frozenset("s t d m re ve ll don didn doesn isn wasn won wouldn".split())
"""Wordpieces without content: stop words, and what apostrophes leave of short forms."""


class ShippedModel:
    """The model of the package. Safe to use from several threads."""

    name = NAME
    dimension = DIMENSION

    def __init__(self, folder: Path = SHIPPED_FOLDER) -> None:
        """Load the files in `folder`.

        Raises:
            ModelUnavailable: a file or a library is missing or damaged.
        """
        try:
            load_numpy()
            import numpy as np

            self._mean = np.load(folder / "token-mean.npy").astype(np.float32)
            load_onnxruntime()
            import onnxruntime
            from tokenizers import Tokenizer

            self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
            # Each text is one run of its own, so that a vector depends on nothing else.
            self._tokenizer.no_padding()
            self._tokenizer.no_truncation()
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.inter_op_num_threads = 1
            options.log_severity_level = 4
            self._session: Any = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
        except Exception as problem:
            reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
            raise ModelUnavailable(
                f"The embedding model in {folder} cannot be loaded: {reason[:200]}. {WORDS_ONLY} "
                "Reinstall agent-cortex to repair it; docs/installing.md names where it cannot run."
            ) from problem

    def encode(self, text: str, before: str = "") -> Encoded:
        """The sentence vector of `text`, and the sign bits of its content wordpieces.

        Args:
            before: what was said just before. The model reads its last words too, so that "it"
                and "there" mean something; the vectors are of the text's own wordpieces alone.
        """
        import numpy as np

        vector, content, pieces = self._run(text, before)
        return Encoded(vector, np.packbits(content > self._mean, axis=1).tobytes(), pieces)

    def query(self, text: str) -> QueryEncoding:
        """The sentence vector of `text`, and its content wordpieces as unit vectors."""
        import numpy as np

        vector, content, pieces = self._run(text)
        tokens = content - self._mean
        return QueryEncoding(
            vector, tokens / np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-9), pieces
        )

    def vocabulary(self) -> list[tuple[str, int]]:
        """Every wordpiece and its id."""
        return sorted(self._tokenizer.get_vocab().items())

    def piece(self, number: int) -> Vector:
        """The hidden state of the wordpiece with this id, alone."""
        state: Vector = self._part([number])[1]
        return state

    def _run(self, text: str, before: str = "") -> tuple[Vector, Vector, tuple[int, ...]]:
        """What the model makes of `text`: the vector of the sentence, of unit length; one hidden
        state for each content wordpiece; and the ids of these.

        A text without any content wordpiece, such as “What is it?”, is compared by all of them.
        """
        import numpy as np

        encoding = self._tokenizer.encode(text[:LONGEST], add_special_tokens=False)
        ids, tokens = encoding.ids[: PART * MOST_PARTS], encoding.tokens
        kept = [index for index in range(len(ids)) if has_content(tokens[index])]
        kept = kept or [index for index in range(len(ids)) if tokens[index] != "[UNK]"]
        if before and len(ids) <= PART - BEFORE:
            lead = self._tokenizer.encode(before, add_special_tokens=False).ids[-BEFORE:]
            parts = [self._part([*lead, *ids])[1 + len(lead) :]]
            hidden = parts[0][:-1]
        else:
            parts = [self._part(ids[at : at + PART]) for at in range(0, max(1, len(ids)), PART)]
            hidden = np.concatenate([part[1:-1] for part in parts])
        vector = np.sum([part.sum(axis=0) for part in parts], axis=0)
        vector /= max(float(np.linalg.norm(vector)), 1e-9)
        return vector.astype(np.float32), hidden[kept], tuple(ids[index] for index in kept)

    def _part(self, ids: list[int]) -> Vector:
        """The hidden states of up to `PART` wordpieces, and of the special tokens around them."""
        import numpy as np

        row = np.array([[101, *ids, 102]], dtype=np.int64)
        inputs = {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": np.zeros_like(row),
        }
        states: Vector = self._session.run(None, inputs)[0][0]
        return states


_lock = threading.Lock()


@cache
def _loaded() -> ShippedModel:
    return ShippedModel()


def shipped() -> ShippedModel:
    """The shipped model, loaded once a process.

    Raises:
        ModelUnavailable: a file or a library is missing or damaged.
    """
    with _lock:
        return _loaded()


def verify(folder: Path = SHIPPED_FOLDER) -> list[str]:
    """What is wrong with the shipped files, a sentence each; an empty list when all is well."""
    problems = []
    for name, expected in SHA256.items():
        path = folder / name
        if not path.is_file():
            problems.append(f"{path} is missing.")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            problems.append(f"{path} is not the file that was shipped.")
    return problems


def has_content(token: str) -> bool:
    """Whether a wordpiece is a word or a part of one, and no stop word."""
    return token.removeprefix("##").isalnum() and token not in STOP_PIECES


DOWNLOAD_FOLDER = "models"
"""Folder of other models, below the global side."""


class FastembedModel:
    """A sentence model run by fastembed. It gives no token vectors."""

    def __init__(self, name: str, home: Path, *, download: bool = False) -> None:
        """Load the model `name`.

        Args:
            home: the global side's folder.
            download: whether it may be fetched from the network.

        Raises:
            ModelUnavailable: fastembed does not know it, or it is not there.
        """
        self.name = name
        self._model = _load(name, home / DOWNLOAD_FOLDER, download=download)
        self.dimension = len(next(iter(self._model.embed(["dimension"]))))

    def encode(self, text: str, before: str = "") -> Encoded:
        """The vector of `text`; these models do not read `before`."""
        return Encoded(_unit(next(iter(self._model.embed([text])))), b"", ())

    def query(self, text: str) -> QueryEncoding:
        """The vector of `text`, with the prefix that the model requires before a query."""
        import numpy as np

        vector = _unit(next(iter(self._model.query_embed([text]))))
        return QueryEncoding(vector, np.empty((0, self.dimension), np.float32), ())


def _load(name: str, cache: Path, *, download: bool) -> Any:
    text_embedding = _library()
    try:
        hook_io.private_folder(str(cache))
        return text_embedding(name, cache_dir=str(cache), threads=2, local_files_only=not download)
    except Exception as problem:
        if name not in {each["model"] for each in text_embedding.list_supported_models()}:
            raise ModelUnavailable(
                f"There is no embedding model “{name}”. {WORDS_ONLY} No setting was changed. "
                "cortex models list names some; fastembed's documentation has all that run on your "
                "machine."
            ) from problem
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        advice = (
            "The model in use was not changed. Check your connection, and try again."
            if download
            else f"Download it with: cortex models use {name}"
        )
        raise ModelUnavailable(
            f"The embedding model {name} cannot be loaded: {reason[:200]}. {WORDS_ONLY} {advice}"
        ) from problem


def _library() -> Any:
    """fastembed's class, with its logging quiet."""
    try:
        load_onnxruntime()
        from fastembed import TextEmbedding
        from loguru import logger
    except ImportError as problem:
        raise ModelUnavailable(
            f"Models besides the shipped one need fastembed, which cannot be imported ({problem}). "
            f"{WORDS_ONLY} Install Cortex again with the extra models (docs/installing.md)."
        ) from problem
    logger.disable("fastembed")
    return TextEmbedding


def _unit(vector: Any) -> Vector:
    import numpy as np

    values: Vector = np.asarray(vector, np.float32)
    return values / max(float(np.linalg.norm(values)), 1e-9)
