// Writes dist/build.json: what the compiled code was made of. Runs after tsc.
import { chmodSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeSources } from '../dist/cache/code/describe-sources.js'

const root = fileURLToPath(new URL('..', import.meta.url))
writeFileSync(`${root}dist/build.json`, `${JSON.stringify(describeSources(root), null, 1)}\n`)

// npm sets this only where it links the program anew, and a build makes a new file.
chmodSync(`${root}dist/src/cli/bin.js`, 0o755)
