import { expect, it } from 'vitest'
import { sentences } from '../../../../../stages/judge/text/sentences/sentences.js'
import { treebankWords } from '../../../../../stages/judge/text/sentences/treebank-words.js'
import { goldenRows } from '../../../../support/golden.js'

interface Row {
  readonly text: string
  readonly sentences: readonly string[]
  readonly words: readonly string[]
}

const rows = goldenRows<Row>('text/sentences.jsonl.gz')

it(`splits ${rows.length} texts into sentences as NLTK does`, () => {
  for (const row of rows) expect(sentences(row.text), row.text).toEqual(row.sentences)
})

it(`splits ${rows.length} texts into words as NLTK does`, () => {
  for (const row of rows) expect(treebankWords(row.text), row.text).toEqual(row.words)
})
