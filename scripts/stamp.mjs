// Writes dist/build.json: what the compiled code was made of, and dist/prices.json: the shipped prices, whose YAML takes a
// twentieth of a second to read. Copies the table of code revisions, which is looked up there. Runs after tsc.
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { revisionsPath } from '../dist/cache/code/code-revisions.js'
import { describeSources } from '../dist/cache/code/describe-sources.js'
import { builtPrices, parsePrices, shippedPrices } from '../dist/src/cost/prices.js'
import { sha256 } from '../dist/cache/digest.js'

const root = fileURLToPath(new URL('..', import.meta.url))
writeFileSync(`${root}dist/build.json`, `${JSON.stringify(describeSources(root), null, 1)}\n`)

copyFileSync(`${root}${revisionsPath}`, `${root}dist/${revisionsPath}`)

const prices = readFileSync(shippedPrices, 'utf8')
writeFileSync(builtPrices, JSON.stringify({ digest: sha256(prices), table: parsePrices(prices, shippedPrices) }))

// npm sets this only where it links the program anew, and a build makes a new file.
chmodSync(`${root}dist/src/cli/bin.js`, 0o755)
