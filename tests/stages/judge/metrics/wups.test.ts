import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../cache/records.js'
import { wups } from '../../../../stages/judge/metrics/wups/wups.js'
import { languageData } from '../../../../stages/judge/metrics/wups/language-data.js'
import { extractContent } from '../../../../stages/judge/metrics/wups/wups.js'
import { wuPalmer } from '../../../../stages/judge/metrics/wups/wu-palmer.js'
import { goldenRows } from '../../../support/golden.js'

interface Row {
  readonly id: string
  readonly doc: { readonly answer: string; readonly additional_ref_answer: string | null; readonly type: string }
  readonly answer: string
  readonly expected: { readonly content: string; readonly 0: number; readonly '0.9'?: number }
}

const folder = fileURLToPath(new URL('../../../golden/nltk_data', import.meta.url))
const known = languageData(folder)
const counted = { type: ['DB', 'DC'] }

function valueOf(
  answer: string,
  references: readonly string[],
  { doc = {}, ...args }: { readonly doc?: JsonObject; readonly threshold?: number; readonly exact_where?: JsonObject },
) {
  const verdict = wups.judge(
    { text: answer, references, record: { target: '', doc }, bodies: [] },
    wups.args.parse({ nltk_data: folder, ...args }),
  )
  if (verdict instanceof Promise || verdict.type !== 'scored') throw new Error('WUPS is a number')
  return verdict.value
}

const rows = goldenRows<Row>('metrics/wups.jsonl.gz')

test(`${String(rows.length)} answers have the words and the WUPS of the reference of NExT-QA`, () => {
  for (const { id, doc, answer, expected } of rows) {
    const { answer: first, additional_ref_answer: other } = doc
    const references = other === null ? [first] : [first, other]
    expect(extractContent(answer, known), id).toBe(expected.content)
    expect(valueOf(answer, references, { doc, exact_where: counted }), id).toBe(expected[0])
    if (expected['0.9'] === undefined) continue
    expect(valueOf(answer, references, { doc, exact_where: counted, threshold: 0.9 }), id).toBe(expected['0.9'])
  }
})

describe('the similarity of two words', () => {
  const near = (one: string, other: string) =>
    wuPalmer(known.wordnet.firstSense(one)!, known.wordnet.firstSense(other)!)

  // A dog has two paths to animal, and NLTK mixes the shorter with the longer.
  test('equals that of NLTK and is symmetric', () => {
    expect([near('red', 'red'), near('dog', 'dogs')]).toEqual([1, 0.9285714285714286])
    expect(near('dog', 'cat')).toBe(near('cat', 'dog'))
  })

  test('follows the hierarchy: a dog is nearer to a cat than to a kitchen', () => {
    expect(near('dog', 'cat')).toBeGreaterThan(near('dog', 'kitchen')!)
  })

  test('uses a common root for words without a common parent', () => {
    expect(near('red', 'fast')).toBeLessThanOrEqual(0.5)
  })
})

test('counts and yes/no answers need the same word', () => {
  const exactly = { exact_where: counted, doc: { type: 'DC' } }
  expect(valueOf('Two', ['two'], exactly)).toBe(1)
  expect(valueOf('three', ['two'], exactly)).toBe(0)
  expect(valueOf('three', ['two'], { ...exactly, doc: { type: 'CW' } })).toBeGreaterThan(0)
})

test('an empty answer or a doc without a target scores 0', () => {
  expect(valueOf('', ['two'], {})).toBe(0)
  expect(valueOf('two', [], {})).toBe(0)
})

test('names missing data and how to get them', () => {
  expect(() => wups.args.parse({})).toThrow('nltk.downloader wordnet averaged_perceptron_tagger_eng')
  const gone = join(folder, 'gone')
  expect(() => languageData(gone)).toThrow(/NLTK's data in .*gone can't be read: .*WordNet 3\.0: unpack wordnet\.zip/)
})
