"""Makes the pictures of this folder and what Pillow reads and resizes them to. Usage: python make.py (Pillow 13.0.0)."""
import hashlib
import json
import random

from PIL import Image, ImageCms, ImageOps

rnd = random.Random(7)


def noise(mode, width, height):
    """Smooth ramps with some noise: JPEG stays like a photograph, and every byte matters when resized."""
    bands = len(Image.new(mode, (1, 1)).getbands())
    data = bytearray()
    for y in range(height):
        for x in range(width):
            for band in range(bands):
                data.append((x * 5 + y * (3 + band) + band * 60 + rnd.randrange(40)) % 256)
    return Image.frombytes(mode, (width, height), bytes(data))


def digest(picture):
    return hashlib.sha256(picture.tobytes()).hexdigest()


rgb = noise("RGB", 37, 23)
rgba = noise("RGBA", 37, 23)
exif = Image.Exif()
exif[0x0112] = 6
grey_alpha = noise("LA", 37, 23)
palette = rgb.quantize(17)
profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()

files = {
    "rgb.png": (rgb, {}),
    "rgba.png": (rgba, {}),
    "grey.png": (noise("L", 37, 23), {}),
    "grey-alpha.png": (grey_alpha, {}),
    "two-colours.png": (noise("L", 37, 23).convert("1"), {}),
    "palette.png": (palette, {}),
    "palette-transparent.png": (palette, {"transparency": 3}),
    "profile.png": (rgb, {"icc_profile": profile}),
    "colour.jpg": (rgb, {"quality": 90}),
    "colour-fine.jpg": (rgb, {"quality": 90, "subsampling": 0}),
    "progressive.jpg": (rgb, {"quality": 60, "progressive": True}),
    "grey.jpg": (noise("L", 37, 23), {"quality": 90}),
    "turned.jpg": (rgb, {"quality": 90, "exif": exif}),
    "lossless.webp": (rgba, {"lossless": True, "exact": True}),
    "palette.gif": (palette, {}),
}
decoded = {}
for name, (picture, options) in files.items():
    picture.save(name, **options)
    with Image.open(name) as opened:
        upright = ImageOps.exif_transpose(opened)
        decoded[name] = {"size": list(upright.size), "sha256": digest(upright.convert("RGB"))}

sizes = [(37, 23), (96, 96), (1, 1), (5, 40), (200, 3), (36, 22), (38, 24), (2, 23), (37, 150), (36, 21), (36, 20), (30, 9), (30, 8), (74, 22)]
resized = [{"size": [w, h], "sha256": digest(rgb.resize((w, h), Image.Resampling.BILINEAR))} for w, h in sizes]
with open("cases.json", "w") as file:
    json.dump({"decoded": decoded, "resized": resized}, file, indent=1)
    file.write("\n")
