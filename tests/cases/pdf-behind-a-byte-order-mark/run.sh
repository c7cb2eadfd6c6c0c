#!/bin/bash
# Readers find "%PDF-" in the first 1,024 bytes. A PDF that lacks its last 200 bytes is refused.
. "$(dirname "$0")/../lib/media-task.sh"
node -e '
const fs = require("fs")
const objects = "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n"
const pdf = "%PDF-1.4\n" + objects + "% text\n".repeat(400) + "trailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF\n"
fs.writeFileSync("bom.pdf", "\ufeff" + pdf)
fs.writeFileSync("blank.pdf", "\n\r\n" + pdf)
fs.writeFileSync("cut.pdf", pdf.slice(0, -200))
fs.writeFileSync("t.jsonl", ["bom", "blank", "cut"].map(id => JSON.stringify({ id, m: id + ".pdf" }) + "\n").join(""))'
$PIPELINE eval --tasks ./t.yaml --model dummy 2>&1
