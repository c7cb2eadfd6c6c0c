"""Writes small pictures of many kinds, and what Pillow's convert('RGB') makes of each: `python make.py`."""
import base64
import json
import struct
import zlib
from pathlib import Path

import numpy as np
import PIL
from PIL import Image

here = Path(__file__).parent
width, height = 20, 12
y, x = np.mgrid[0:height, 0:width]
rgb = np.stack([x * 12, y * 20, (x * 7 + y * 11) % 256], axis=-1).astype(np.uint8)
alpha = ((x * 13 + y * 5) % 256).astype(np.uint8)
alpha[:3] = 0
picture = Image.fromarray(rgb)
transparent = Image.fromarray(np.dstack([rgb, alpha]))
other = Image.fromarray(255 - rgb)

turned = Image.Exif()
turned[0x0112] = 6
picture.save(here / 'turned.jpg', quality=90, exif=turned)
picture.save(here / 'turned.png', exif=turned)
picture.convert('CMYK').save(here / 'print.jpg', quality=95)
picture.convert('CMYK').save(here / 'print.tiff')
Image.fromarray(((x * 3300 + y * 17) % 65536).astype(np.uint16)).save(here / 'deep-grey.png')
Image.fromarray(((x * 11 + y * 17) % 65536).astype(np.uint16)).save(here / 'deep-grey.tiff')
transparent.save(here / 'alpha.png')
transparent.convert('LA').save(here / 'grey-alpha.png')
palette = picture.quantize(16)
palette.save(here / 'palette.png', transparency=3)
palette.convert('RGB').convert('1').save(here / 'bits.png')
picture.save(here / 'clear-colour.png', transparency=(0, 0, 0))
frames = {'save_all': True, 'append_images': [other], 'duration': 100, 'loop': 0}
picture.save(here / 'moving.gif', **frames)
clear = picture.quantize(16)
clear.save(here / 'clear.gif', transparency=clear.getpixel((4, 6)))
clear.save(here / 'moving-clear.gif', transparency=clear.getpixel((9, 3)), save_all=True, append_images=[other.quantize(16)], duration=100)
# The frame covers a part of the picture.
for name, source in (('part-clear.gif', 'clear.gif'), ('part.gif', 'moving.gif')):
    whole = (here / source).read_bytes()
    at = whole.index(b'\x2c' + struct.pack('<HHHH', 0, 0, width, height))
    placed = struct.pack('<HHHH', 3, 2, width, height)
    part = whole[:6] + struct.pack('<HH', width + 6, height + 4) + whole[10:at + 1] + placed + whole[at + 9:]
    (here / name).write_bytes(part)
picture.save(here / 'moving.webp', lossless=True, **frames)
transparent.save(here / 'moving-alpha.webp', lossless=True, exact=True, **frames)
transparent.save(here / 'alpha.webp', lossless=True, exact=True)
picture.save(here / 'lossy.webp', quality=80)
picture.save(here / 'pages.tiff', save_all=True, append_images=[other], compression='tiff_lzw')
picture.save(here / 'plain.bmp')
picture.save(here / 'plain.avif', quality=90)
# 16 bits a colour, which Pillow does not write.

def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
deep = (rgb.astype(np.uint32) * 250 + 77).astype('>u2')
rows = b''.join(b'\0' + row.tobytes() for row in deep)
(here / 'deep-colour.png').write_bytes(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 16, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))

cases = {}
for path in sorted(here.iterdir()):
    if path.suffix in ('.py', '.json', '.md'):
        continue
    with Image.open(path) as opened:
        shown = opened.convert('RGB')
        cases[path.name] = {'mode': opened.mode, 'size': shown.size, 'rgb': base64.b64encode(shown.tobytes()).decode()}
text = ',\n'.join(f'    {json.dumps(name)}: {json.dumps(case)}' for name, case in cases.items())
(here / 'cases.json').write_text(f'{{\n  "pillow": "{PIL.__version__}",\n  "cases": {{\n{text}\n  }}\n}}\n')
