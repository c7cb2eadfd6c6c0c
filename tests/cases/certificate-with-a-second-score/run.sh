#!/bin/bash
# A certificate to which something was added after it was signed is rejected in few lines: a key that stands twice, a key within an object, other Base64.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
openssl genpkey -algorithm ed25519 -out "$S/key.pem" 2>/dev/null; openssl pkey -in "$S/key.pem" -pubout -out "$S/pub.pem"
$PIPELINE eval --model dummy --tasks ./a.yaml --store "$S/s" --name r --quiet >/dev/null
$PIPELINE export r --store "$S/s" --output "$S/r.pipeline" --sign "$S/key.pem" >/dev/null 2>&1
cp "$S/r.pipeline.cert.json" "$S/sound.json"
verify() { $PIPELINE verify "$S/r.pipeline" --key "$S/pub.pem" --quiet; echo "exit $?"; }
verify
sed 's/"judgement": {/"judgement": {"scores": [{"task": "g", "value": 0.01}]},\n  "judgement": {/' "$S/sound.json" > "$S/r.pipeline.cert.json"; verify
sed 's/"chunk_bytes"/"note": 1, "chunk_bytes"/' "$S/sound.json" > "$S/r.pipeline.cert.json"; verify
sed 's/"signature": "/"signature": "*/' "$S/sound.json" > "$S/r.pipeline.cert.json"; verify
cp "$S/sound.json" "$S/r.pipeline.cert.json"; head -c "$(stat -c %s "$S/r.pipeline")" /dev/zero > "$S/zero"; cp "$S/zero" "$S/r.pipeline"; verify
