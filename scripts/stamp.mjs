// Writes dist/build.json, the contents of the compiled code, and dist/prices.json, the shipped prices, because parsing their YAML takes a twentieth
// of a second. Copies the table of code revisions and the Python code to dist. Runs after tsc.
import { chmodSync, copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { revisionsPath } from '../dist/cache/code/code-revisions.js'
import { describeSources } from '../dist/cache/code/describe-sources.js'
import { builtPrices, parsePrices, shippedPrices } from '../dist/src/cost/prices.js'
import { sha256 } from '../dist/cache/digest.js'

const root = fileURLToPath(new URL('..', import.meta.url))
writeFileSync(`${root}dist/build.json`, `${JSON.stringify(describeSources(root), null, 1)}\n`)

copyFileSync(`${root}${revisionsPath}`, `${root}dist/${revisionsPath}`)

// A file that the project no longer has must not stay in dist. A Python that ran the sources may have left compiled files beside them.
rmSync(`${root}dist/src/python`, { recursive: true, force: true })
cpSync(`${root}src/python`, `${root}dist/src/python`, {
  recursive: true,
  filter: path => !path.includes('__pycache__'),
})

const prices = readFileSync(shippedPrices, 'utf8')
writeFileSync(builtPrices, JSON.stringify({ digest: sha256(prices), table: parsePrices(prices, shippedPrices) }))

// npm sets this bit only when it links the program, and each build creates a new file.
chmodSync(`${root}dist/src/cli/bin.js`, 0o755)
