#!/bin/bash
# A picture in the four colours of print has the same colours with an orientation in its Exif metadata and without: those of Pillow.
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../lib/media-task.sh"
cp "$CHECKOUT/tests/golden/pillow-rgb/print.jpg" up.jpg
# The segment of Exif metadata states orientation 3.
{ head -c 2 up.jpg; printf '\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00'; tail -c +3 up.jpg; } > turned.jpg
printf '{"id":"up","m":"up.jpg"}\n{"id":"turned","m":"turned.jpg"}\n' > t.jsonl
$PIPELINE eval --tasks ./t.yaml --model openai --model-args "base_url=$ADDRESS/v1,model=m,media=lmms" --quiet > /dev/null 2>&1
cat > compare.mjs <<'J'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
const sharp = createRequire(`${process.env.CHECKOUT}/package.json`)('sharp')
const files = readFileSync('requests.jsonl', 'utf8').trim().split('\n').map(line => JSON.parse(line))
const pixels = {}
for (const parts of files) {
  const id = parts.find(part => part.text !== undefined).text
  pixels[id] = await sharp(parts.find(part => part.file !== undefined).file).raw().toBuffer()
}
const [up, turned] = [pixels.up, pixels.turned]
const at = pixel => [0, 1, 2].map(colour => turned[(up.length / 3 - 1 - pixel) * 3 + colour])
let most = 0
for (let pixel = 0; pixel < up.length / 3; pixel += 1)
  at(pixel).forEach((value, colour) => (most = Math.max(most, Math.abs(value - up[pixel * 3 + colour]))))
console.log(`${files.length} pictures, the largest difference is ${most <= 8 ? 'at most 8' : most} of 255`)
J
node compare.mjs
