"""Embedding models behind an API: Voyage, Gemini, OpenAI, Ollama.

They are used only if the user has chosen one by name. The texts of memories are sent to them; raw
code never is.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from cortex_core.base.errors import WORDS_ONLY, ModelUnavailable
from cortex_core.embeddings.protocol import Encoded, QueryEncoding, Vector

Use = Literal["document", "query"]

TIMEOUT = 20.0
"""Seconds to wait for an answer."""

LONGEST = 24_000
"""Characters of a text that are sent: about what these models read."""

MOST_ANSWER = 4_000_000
"""Bytes of an answer that are read."""


class Provider(NamedTuple):
    """How to call one API."""

    title: str
    url: str
    """`{model}` represents the model's name."""
    key: str
    """The environment variable that holds the key; empty where none is needed."""
    header: str
    """The header that carries the key; `{key}` represents it."""
    ask: Callable[[str, str, Use], Mapping[str, Any]]
    """The request's body for a model, a text and what it is for."""
    vector_path: Sequence[str | int]
    """The keys and indexes that lead to the vector in the answer."""


def _ask_plainly(model: str, text: str, use: Use) -> Mapping[str, Any]:
    return {"model": model, "input": text}


PROVIDERS: Mapping[str, Provider] = {
    "voyage": Provider(
        "Voyage",
        "https://api.voyageai.com/v1/embeddings",
        "VOYAGE_API_KEY",
        "Authorization: Bearer {key}",
        lambda model, text, use: {"model": model, "input": [text], "input_type": use},
        ("data", 0, "embedding"),
    ),
    "gemini": Provider(
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/models/{model}:embedContent",
        "GEMINI_API_KEY",
        "x-goog-api-key: {key}",
        lambda _, text, use: {
            "content": {"parts": [{"text": text}]},
            "taskType": f"RETRIEVAL_{use.upper()}",
        },
        ("embedding", "values"),
    ),
    "openai": Provider(
        "OpenAI",
        "https://api.openai.com/v1/embeddings",
        "OPENAI_API_KEY",
        "Authorization: Bearer {key}",
        _ask_plainly,
        ("data", 0, "embedding"),
    ),
    "ollama": Provider(
        "Ollama",
        "http://127.0.0.1:11434/api/embed",
        "",
        "",
        _ask_plainly,
        ("embeddings", 0),
    ),
}


class RemoteModel:
    """A model behind an API. It gives no token vectors."""

    def __init__(self, name: str) -> None:
        """Prepare to ask for `name` (`PROVIDER:MODEL`); nothing is sent yet.

        `CORTEX_<PROVIDER>_URL` takes the place of the provider's own address.

        Raises:
            ModelUnavailable: there is no such provider, or no key for it.
        """
        kind, _, self._model = name.partition(":")
        if kind not in PROVIDERS or not self._model:
            raise ModelUnavailable(
                f"“{name}” names no model. {WORDS_ONLY} Use PROVIDER:MODEL, with one of "
                f"{', '.join(PROVIDERS)}."
            )
        self.name = name
        self._provider = PROVIDERS[kind]
        self._url = os.environ.get(f"CORTEX_{kind.upper()}_URL") or self._provider.url
        self._key = os.environ.get(self._provider.key, "") if self._provider.key else ""
        if self._provider.key and not self._key:
            raise ModelUnavailable(
                f"{self._provider.title} needs a key in {self._provider.key}, which is not set. "
                f"{WORDS_ONLY} Set it, or choose the shipped model: cortex models use "
                "sentence-transformers/all-MiniLM-L6-v2"
            )
        # Only an answer shows it.
        self._dimension = 0

    @property
    def dimension(self) -> int:
        """Components of a vector; asks the provider once.

        Raises:
            ModelUnavailable: it does not answer.
        """
        if not self._dimension:
            self._embed("dimension", "query")
        return self._dimension

    def encode(self, text: str, before: str = "") -> Encoded:
        """The vector of `text`; these models do not read `before`.

        Raises:
            ModelUnavailable: the provider does not answer, or refuses.
        """
        return Encoded(self._embed(text, "document"), b"", ())

    def query(self, text: str) -> QueryEncoding:
        """The vector of `text` as a question.

        Raises:
            ModelUnavailable: the provider does not answer, or refuses.
        """
        import numpy as np

        vector = self._embed(text, "query")
        return QueryEncoding(vector, np.empty((0, len(vector)), np.float32), ())

    def _embed(self, text: str, use: Use) -> Vector:
        import numpy as np

        answer = self._ask(self._provider.ask(self._model, text[:LONGEST] or " ", use))
        try:
            for step in self._provider.vector_path:
                answer = answer[step]
            vector: Vector = np.asarray(answer, dtype=np.float32)
            length = float(np.linalg.norm(vector))
            if vector.ndim != 1 or not 0 < length < float("inf"):
                raise ValueError("no vector")
        except (KeyError, IndexError, TypeError, ValueError) as problem:
            raise self._unavailable("its answer contains no vector") from problem
        self._dimension = len(vector)
        return vector / length

    def _ask(self, body: Mapping[str, Any]) -> Any:
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError
        from urllib.request import Request, urlopen

        headers = {"Content-Type": "application/json", "User-Agent": "agent-cortex"}
        if self._key:
            name, _, value = self._provider.header.partition(": ")
            headers[name] = value.format(key=self._key)
        request = Request(
            self._url.format(model=self._model), json.dumps(body).encode(), headers, method="POST"
        )
        try:
            with urlopen(request, timeout=TIMEOUT) as answer:
                return json.loads(answer.read(MOST_ANSWER))
        except HTTPError as problem:
            raise self._unavailable(f"it answered {problem.code} {problem.reason}") from problem
        except (URLError, HTTPException, OSError, ValueError) as problem:
            reason = getattr(problem, "reason", problem)
            raise self._unavailable(f"{reason}"[:200]) from problem

    def _unavailable(self, reason: str) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._provider.title} returned no embedding by {self._model}: {reason}. "
            f"{WORDS_ONLY} Try again later, or choose the shipped model: cortex models use "
            "sentence-transformers/all-MiniLM-L6-v2"
        )
