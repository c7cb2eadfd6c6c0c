// Writes the tables for language detection and sentence splitting, from published data: see tasks/_shared/data/README.md.
//
//   node scripts/language-data.mjs LANGDETECT PUNKT_TAB
//
// LANGDETECT is the folder of the Python package langdetect 1.0.9, PUNKT_TAB the folder `english` of NLTK's punkt_tab.
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const [langdetect, punkt] = process.argv.slice(2)
if (langdetect === undefined || punkt === undefined) throw new Error('usage: language-data.mjs LANGDETECT PUNKT_TAB')

function write(name, value) {
  const text = JSON.stringify(value)
  const options = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 }
  const bytes = brotliCompressSync(text, { params: options })
  writeFileSync(join(import.meta.dirname, '..', 'tasks', '_shared', 'data', `${name}.json.br`), bytes)
  console.log(name, createHash('sha256').update(bytes).digest('hex'))
}

const lines = (folder, name) =>
  readFileSync(join(folder, name), 'utf8')
    .split(/\r?\n/)
    .filter(line => line !== '')

function language(file) {
  const { name, n_words: totals, freq } = JSON.parse(readFileSync(file, 'utf8'))
  const grams = [1, 2, 3].map(length =>
    Object.keys(freq)
      .filter(gram => gram.length === length)
      .sort(),
  )
  return {
    name,
    totals,
    grams: grams.map(list => list.join('')),
    counts: grams.map(list => list.map(gram => freq[gram])),
  }
}

const profiles = join(langdetect, 'profiles')
const kanji = lines(join(langdetect, 'utils'), 'messages.properties')
  .filter(line => line.startsWith('NGram.KANJI_'))
  .map(line => JSON.parse(`"${line.slice(line.indexOf('=') + 1)}"`))
write('language-profiles', {
  languages: readdirSync(profiles)
    .sort()
    .map(file => language(join(profiles, file))),
  kanji,
})

const contexts = lines(punkt, 'ortho_context.tab').map(line => line.split('\t'))
write('punkt-english', {
  abbreviations: lines(punkt, 'abbrev_types.txt').sort(),
  collocations: lines(punkt, 'collocations.tab')
    .map(line => line.split('\t'))
    .sort(),
  starters: lines(punkt, 'sent_starters.txt').sort(),
  contexts: Object.fromEntries(contexts.map(([word, flags]) => [word, Number(flags)]).sort()),
})
