"""Writes small HEIC pictures, and the pixels that libheif makes of each: `python make.py` (pillow, pillow-heif, numpy)."""
import base64
import gzip
import json
from pathlib import Path

import numpy as np
import pillow_heif
from PIL import Image

pillow_heif.register_heif_opener()
here = Path(__file__).parent


def draw(width, height):
    y, x = np.mgrid[0:height, 0:width]
    blue = np.where(x < width // 2, 60, 200)
    return Image.fromarray(np.stack([x * 255 // width, y * 255 // height, blue], axis=-1).astype(np.uint8))


# Its coded picture is larger, so that it is cropped.
draw(48, 36).save(here / 'plain.heic', quality=95)
draw(64, 64).save(here / 'square.heic', quality=95, chroma=444)
pillow_heif.options.GRID_TILE_SIZE = 64
draw(140, 100).save(here / 'tiles.heic', quality=90)
# The library writes no turned or flipped picture. A property that is not needed makes room for it.
square = (here / 'square.heic').read_bytes()
at = square.index(b'pixi')
for name, kind, value in (
    *((f'turned-{quarters}', b'irot', quarters) for quarters in (1, 2, 3)),
    *((f'flipped-{axis}', b'imir', axis) for axis in (0, 1)),
):
    (here / f'{name}.heic').write_bytes(square[:at] + kind + bytes([value]) + square[at + 5:])

cases = {}
for path in sorted(here.glob('*.heic')):
    with Image.open(path) as opened:
        shown = opened.convert('RGB')
        cases[path.name] = {'size': shown.size, 'rgb': base64.b64encode(shown.tobytes()).decode()}
text = ',\n'.join(f'    {json.dumps(name)}: {json.dumps(case)}' for name, case in cases.items())
whole = f'{{\n  "pillow_heif": "{pillow_heif.__version__}",\n  "cases": {{\n{text}\n  }}\n}}\n'
(here / 'cases.json.gz').write_bytes(gzip.compress(whole.encode(), mtime=0))
