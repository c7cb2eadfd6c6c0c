"""Makes the inputs of a model of `transformers` from requests: chat template, tokens and pixels."""
from __future__ import annotations

import inspect
from typing import Any, Dict, List

import models_media as media

# Processors that put the tokens of images into a text by themselves.
PLACES_IMAGES = ("PaliGemma", "Blip2", "InstructBlip")


class Prompts:
    """Makes inputs with the processor of a pipeline, or with its tokenizer if it has none."""

    def __init__(self, pipe: Any, exchange: str) -> None:
        self.exchange = exchange
        self.model = pipe.model
        # A pipeline for text may load a processor that its model does not need.
        self.processor = pipe.processor if pipe.task == "image-text-to-text" else None
        self.tokenizer = getattr(self.processor, "tokenizer", None) or pipe.tokenizer
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token or self.tokenizer.unk_token
        # New tokens follow the last token of each prompt, so padding comes first.
        self.tokenizer.padding_side = "left"
        self.template_of = next(
            (one for one in (self.processor, self.tokenizer) if getattr(one, "chat_template", None) is not None), None
        )
        # Tokenizers that were made by hand return token types. They tell a processor's images from text, but GPT-2 adds
        # an embedding of them to each word, which a pipeline for text never does.
        has_types = self.processor is not None and "token_type_ids" in inspect.signature(self.model.forward).parameters
        self.left_out = set() if has_types else {"token_type_ids"}

    def inputs(self, requests: List[Dict[str, Any]], texts: List[str]) -> Dict[str, Any]:
        """The tensors of requests that all have images, or none. `texts` are their prompts."""
        bos = self.tokenizer.bos_token
        is_complete = self.template_of is not None and (self.processor is None or bool(bos and texts[0].startswith(bos)))
        given = {"padding": True, "return_tensors": "pt", **({"add_special_tokens": False} if is_complete else {})}
        if self.processor is None:
            made = self.tokenizer(texts, **given)
        else:
            images = [media.media_of(request, self.exchange) for request in requests]
            made = self.processor(text=texts, **({"images": images} if images[0] else {}), **given)
        return {name: self.placed(value) for name, value in made.items() if name not in self.left_out}

    def placed(self, value: Any) -> Any:
        """A tensor on the model's device and, if it is not made of integers, in its arithmetic."""
        if not hasattr(value, "is_floating_point"):
            return value
        return value.to(self.model.device, self.model.dtype) if value.is_floating_point() else value.to(self.model.device)

    def text(self, request: Dict[str, Any]) -> str:
        """The text of a prompt with the placeholders of its images."""
        if self.template_of is None:
            return self.plain(request)
        # An answer that has been begun is continued.
        goes_on = request["messages"][-1]["role"] == "assistant"
        return self.template_of.apply_chat_template(
            self.conversation(request), tokenize=False, add_generation_prompt=not goes_on, continue_final_message=goes_on
        )

    def conversation(self, request: Dict[str, Any]) -> List[Dict[str, Any]]:
        """The messages as templates expect them: parts for processors, texts for tokenizers."""
        if self.template_of is self.processor:
            return [
                {"role": message["role"], "content": [shown(part) for part in message["content"]]}
                for message in request["messages"]
            ]
        return [
            {"role": message["role"], "content": "".join(self.marked(part) for part in message["content"])}
            for message in request["messages"]
        ]

    def plain(self, request: Dict[str, Any]) -> str:
        """The texts of a request for a model without a template."""
        messages = ("".join(self.marked(part) for part in message["content"]) for message in request["messages"])
        return "\n\n".join(text for text in messages if text)

    def marked(self, part: Dict[str, Any]) -> str:
        """The text of a part, or the placeholder of an image."""
        if part["type"] == "text":
            return part["text"]
        if type(self.processor).__name__.startswith(PLACES_IMAGES):
            return ""
        token = getattr(self.processor, "image_token", None)
        if token is None:
            raise NotImplementedError("this model has neither a chat template nor a placeholder for images")
        return str(token)


def shown(part: Dict[str, Any]) -> Dict[str, Any]:
    """A part of a message for a template, which needs the type of a medium and not the medium."""
    return {"type": "text", "text": part["text"]} if part["type"] == "text" else {"type": part["type"]}
