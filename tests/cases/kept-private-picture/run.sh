#!/bin/bash
# A picture of a private address that one evaluation fetched is not given to a later one that may only read public addresses, as jobs of a service.
. "$(dirname "$0")/../lib/media-task.sh"
cat > pictures.mjs <<'J'
import { createServer } from 'node:http'
import { renameSync, writeFileSync } from 'node:fs'
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const server = createServer((request, response) => {
  if (request.url === '/old.png') response.writeHead(302, { location: '/a.png' }).end()
  else response.end(Buffer.from(png, 'base64'))
})
server.listen(0, '127.0.0.1', () => {
  writeFileSync('pictures.part', `http://127.0.0.1:${server.address().port}`)
  renameSync('pictures.part', 'pictures')
})
J
node pictures.mjs &
PICTURES=$!
trap 'kill $SERVER $PICTURES; rm -rf "$W"' EXIT
until [ -e pictures ]; do sleep 0.05; done
printf '{"id":"1","m":"%s/a.png"}\n{"id":"2","m":"%s/old.png"}\n' "$(cat pictures)" "$(cat pictures)" > t.jsonl
$PIPELINE eval --model dummy --tasks ./t.yaml --quiet > /dev/null 2>&1
echo "any host: exit code $?"
PIPELINE_MEDIA_HOSTS=public $PIPELINE eval --model dummy --model-args mode=fixed,text=x --tasks ./t.yaml 2>&1
echo "public hosts: exit code $?"
