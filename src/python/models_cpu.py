"""Lets models of lmms-eval compute on the CPU of a machine without a GPU, although their classes name `cuda`.

Many of them move weights and inputs to `cuda:0` whatever device they are given, and could not be tried otherwise.
"""
from __future__ import annotations

import sys
from typing import Any


def is_gpu(value: Any) -> bool:
    """Whether a value names a GPU of NVIDIA."""
    if isinstance(value, str):
        return value == "cuda" or value.startswith("cuda:")
    return type(value).__name__ == "device" and value.type == "cuda"


def compute_on_cpu() -> None:
    """Replaces `cuda` by `cpu` in calls of torch and transformers, if there is no GPU."""
    import torch

    if torch.cuda.is_available():
        return
    from torch.overrides import TorchFunctionMode

    class OnCpu(TorchFunctionMode):
        """Replaces the device in each call of a function of torch."""

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is torch.Tensor.cuda:
                return args[0]
            given = tuple("cpu" if is_gpu(value) else value for value in args)
            return func(*given, **{name: "cpu" if is_gpu(value) else value for name, value in (kwargs or {}).items()})

    OnCpu().__enter__()
    load_on_cpu()
    print("There is no GPU: where the model's class names cuda, the CPU is used", file=sys.stderr)


def load_on_cpu() -> None:
    """Loads weights of `transformers` to the CPU where a GPU, or an empty place, is named."""
    try:
        from transformers import PreTrainedModel  # type: ignore[import-not-found]
    except ImportError:
        return
    load = PreTrainedModel.from_pretrained.__func__

    def from_pretrained(cls: Any, *args: Any, **kwargs: Any) -> Any:
        place = kwargs.get("device_map")
        if is_gpu(place) or place == "":
            kwargs["device_map"] = "cpu"
        return load(cls, *args, **kwargs)

    PreTrainedModel.from_pretrained = classmethod(from_pretrained)
