"""Pictures of docs as PIL images, and PIL images as files."""

from __future__ import annotations

import io
import os
import tempfile
from typing import Any, Dict, Optional, Set

_ORIENTATION = 0x0112
#: Modes that PNG can hold.
_PNG_MODES = ("1", "L", "LA", "I", "I;16", "P", "RGB", "RGBA")


#: Files of the parent. The package `datasets` opens some again, so the images that it gives know only the name of their file.
_given: Set[str] = set()


class MissingPackage(ImportError):
    """A package that a value needs is not installed."""

    def __init__(self, what: str, missing: str) -> None:
        super().__init__(f"{what} needs a package that is not installed")
        self.missing = missing


def open_image(path: str) -> Any:
    """Returns the picture as `datasets` gives it: turned as its orientation says, in its own mode."""
    try:
        from PIL import Image, ImageOps
    except ImportError as error:
        raise MissingPackage("a picture", "pip install Pillow") from error
    _watch(Image)
    image = Image.open(path)
    # A PNG file tells its orientation only after its pixels, and almost none has one: only what the header says is read.
    if "exif" in image.info and image.getexif().get(_ORIENTATION, 1) != 1:
        return ImageOps.exif_transpose(image)
    image.pipeline_path = path
    _given.add(path)
    return image


def _watch(module: Any) -> None:
    """Lets copies know their file, because most tasks return `image.convert("RGB")` of a picture that is RGB already."""
    if getattr(module, "pipeline_watches", False):
        return
    module.pipeline_watches = True
    convert, copy = module.Image.convert, module.Image.copy

    def watched_convert(self: Any, mode: Optional[str] = None, *args: Any, **kwargs: Any) -> Any:
        result = convert(self, mode, *args, **kwargs)
        if mode == self.mode and not args and not kwargs:
            _inherit(self, result)
        return result

    def watched_copy(self: Any) -> Any:
        result = copy(self)
        _inherit(self, result)
        return result

    module.Image.convert, module.Image.copy = watched_convert, watched_copy


def _inherit(source: Any, result: Any) -> None:
    path = getattr(source, "pipeline_path", None)
    if path is not None:
        result.pipeline_path = path


def _is_untouched(image: Any, path: str) -> bool:
    """Whether the image still shows its file. Code may draw into an image, so a loaded one is compared with the file."""
    from PIL import Image

    if getattr(image, "tile", None):
        return True
    with Image.open(path) as original:
        return bool(
            original.mode == image.mode
            and original.size == image.size
            and original.getpalette() == image.getpalette()
            and original.tobytes() == image.tobytes()
        )


def write_image(image: Any, folder: str) -> Dict[str, Any]:
    """Returns the file of a picture: the parent's if the picture is unchanged, else a PNG file in the folder."""
    path = getattr(image, "pipeline_path", None)
    if path is None and getattr(image, "filename", None) in _given:
        path = image.filename
    if path is not None and _is_untouched(image, path):
        return {"path": path}
    buffer = io.BytesIO()
    written = image if image.mode in _PNG_MODES else image.convert("RGBA" if "A" in image.mode else "RGB")
    written.save(buffer, format="PNG", compress_level=1)
    return {"path": write_new(buffer.getvalue(), folder, "png"), "made": True}


def write_new(data: bytes, folder: str, ending: str) -> str:
    """Writes a file of its own for each value, because the parent removes it as soon as its content is stored."""
    handle, path = tempfile.mkstemp(suffix=f".{ending}", dir=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    return path
