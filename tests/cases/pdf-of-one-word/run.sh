#!/bin/bash
# A PDF of 77 kB that names one stream of 60 MB 2,000 times is refused at once, and the other doc is answered.
. "$(dirname "$0")/../lib/media-task.sh"
node -e '
const fs = require("fs")
const stream = require("zlib").deflateSync(Buffer.alloc(60 * 2 ** 20), { level: 9 })
fs.writeFileSync("b.pdf", Buffer.concat([Buffer.from("%PDF-1.7\n" + "/ObjStm ".repeat(2000) + "\nstream\n"), stream, Buffer.from("\nendstream\n%%EOF")]))
const png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
fs.writeFileSync("t.jsonl", JSON.stringify({ id: "bad", m: "b.pdf" }) + "\n" + JSON.stringify({ id: "good", m: png }) + "\n")'
timeout -s KILL 60 $PIPELINE eval --tasks ./t.yaml --model dummy 2>&1
echo "exit code $?"
