"""Builds the shipped model's ONNX file from the published weights.

    python -m tools.build_model WEIGHTS OUT

WEIGHTS is a folder with sentence-transformers/all-MiniLM-L6-v2 as published (model.safetensors,
config.json). Needs torch, transformers and onnx, which Cortex itself does not. The digest of what
comes out depends on the versions of these; `embedding.shipped.SHA256` names the file that is
shipped, and tests/core/embedding compares its vectors with fastembed's.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any


def export(weights: Path, out: Path) -> None:
    """Write the float32 graph: three inputs, one output, any batch and length."""
    import torch  # type: ignore[import-not-found,unused-ignore]
    from transformers import AutoModel  # type: ignore[import-not-found,unused-ignore]

    class Hidden(torch.nn.Module):  # type: ignore[misc,unused-ignore]
        """The encoder's last hidden state and nothing else."""

        def __init__(self, model: Any) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            return self.model(input_ids, attention_mask, token_type_ids).last_hidden_state

    model = Hidden(AutoModel.from_pretrained(weights).eval())
    example = torch.ones(1, 8, dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    torch.onnx.export(
        model,
        (example, example, torch.zeros_like(example)),
        str(out),
        input_names=names,
        output_names=["last_hidden_state"],
        opset_version=17,
        dynamic_axes={name: {0: "batch", 1: "seq"} for name in (*names, "last_hidden_state")},
    )


def quantise(source: Path, out: Path) -> None:
    """Write the int8 graph; `reduce_range` keeps sums in range on processors without VNNI."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(source, out, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)


def main(arguments: list[str]) -> int:
    """Build; 2 when called with other than two paths."""
    if len(arguments) != 2:
        print(__doc__)
        return 2
    weights, out = map(Path, arguments)
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder, "model.onnx")
        export(weights, full)
        quantise(full, out)
    print(f"Written to {out} ({out.stat().st_size:,} bytes)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
