import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  bleuScore,
  bleuShape,
  bleuSignature,
  bleuStatistics,
  type BleuStatistics,
} from '../../../../stages/judge/metrics/sacrebleu/bleu.js'
import {
  chrfScore,
  chrfShape,
  chrfSignature,
  chrfStatistics,
  type ChrfStatistics,
} from '../../../../stages/judge/metrics/sacrebleu/chrf.js'
import { plusEach } from '../../../support/plus-each.js'
import { withReferences, type ReferenceCount } from '../../../../stages/judge/metrics/sacrebleu/corpus-fold.js'
import {
  terScore,
  terShape,
  terSignature,
  terStatistics,
  type TerStatistics,
} from '../../../../stages/judge/metrics/sacrebleu/ter.js'
import { bleuSegment, type BleuTokenizerName } from '../../../../stages/judge/text/translation-tokenizers.js'
import { tercomWords } from '../../../../stages/judge/text/translation-tokenizers.js'
import { goldenRows } from '../../../support/golden.js'

interface Segment {
  readonly hyp: string
  readonly refs: readonly string[]
}

type Expected = Readonly<Record<string, number | string | readonly number[]>>

interface Row<Input, Output = Expected> {
  readonly id: string
  readonly fn: string
  readonly input: Input
  readonly params: Readonly<Record<string, string | number | boolean>>
  readonly expected: Output
}

const bleuArgs = z.strictObject(bleuShape)
const chrfArgs = z.strictObject(chrfShape)
const terArgs = z.strictObject(terShape)

type Reference = (segments: readonly Segment[], params: object) => object

const bleuOf: Reference = (segments, params) => {
  const options = bleuArgs.parse(params)
  const total = segments
    .map(({ hyp, refs }) => bleuStatistics(hyp, refs, options))
    .reduce((a: BleuStatistics, b) => ({
      counts: plusEach(a.counts, b.counts),
      totals: plusEach(a.totals, b.totals),
      sys_len: a.sys_len + b.sys_len,
      ref_len: a.ref_len + b.ref_len,
    }))
  return { ...bleuScore(total, options), signature: bleuSignature(referenceCount(segments), options) }
}

const chrfOf: Reference = (segments, params) => {
  const options = chrfArgs.parse(params)
  const total = segments
    .map(({ hyp, refs }) => chrfStatistics(hyp, refs, options))
    .reduce((a: ChrfStatistics, b) => ({
      hyp: plusEach(a.hyp, b.hyp),
      ref: plusEach(a.ref, b.ref),
      match: plusEach(a.match, b.match),
    }))
  return { score: chrfScore(total, options), signature: chrfSignature(referenceCount(segments), options) }
}

const terOf: Reference = (segments, params) => {
  const options = terArgs.parse(params)
  const total = segments
    .map(({ hyp, refs }) => terStatistics(hyp, refs, options))
    .reduce((a: TerStatistics, b) => ({
      num_edits: a.num_edits + b.num_edits,
      ref_length: a.ref_length + b.ref_length,
    }))
  return { score: terScore(total), ...total, signature: terSignature(referenceCount(segments), options) }
}

const referenceCount = (segments: readonly Segment[]): ReferenceCount =>
  segments.reduce<ReferenceCount | undefined>((known, { refs }) => withReferences(known, refs.length), undefined) ?? 0

const references: Readonly<Record<string, Reference>> = {
  'sacrebleu.sentence_bleu': bleuOf,
  'sacrebleu.sentence_chrf': chrfOf,
  'sacrebleu.sentence_ter': terOf,
  'sacrebleu.corpus_bleu': bleuOf,
  'sacrebleu.corpus_chrf': chrfOf,
  'sacrebleu.corpus_ter': terOf,
}

/** MeCab's dictionaries are not included, so its tokens cannot be computed. */
const needsMecab = ({ params }: Pick<Row<never>, 'params'>): boolean =>
  params['tokenize'] === 'ja-mecab' || params['tokenize'] === 'ko-mecab'

/** Numbers within 1e-9, relative where they are above 1; whole numbers, texts and keys exactly. */
function expectClose(got: object, expected: Expected, id: string): void {
  const isClose = (a: unknown, b: unknown): boolean =>
    typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))
  const actual = got as Expected
  const nearest = (value: Expected[string] | undefined, wanted: Expected[string]): Expected[string] | undefined => {
    if (Array.isArray(value) && Array.isArray(wanted)) {
      return value.map((one: number, i) => (isClose(one, wanted[i]) ? (wanted[i] as number) : one))
    }
    return isClose(value, wanted) && !(Number.isInteger(wanted) && Number.isInteger(value)) ? wanted : value
  }
  const adjusted = Object.fromEntries(Object.keys(expected).map(key => [key, nearest(actual[key], expected[key]!)]))
  expect({ id, ...adjusted }).toEqual({ id, ...expected })
}

describe('a segment has the score, statistics and signature of sacrebleu', () => {
  test.each([
    ['sentence_bleu', 781],
    ['sentence_chrf', 801],
    ['sentence_ter', 801],
  ])('%s, %i rows', (name, count) => {
    const rows = goldenRows<Row<Segment>>(`metrics/sacrebleu_${name}.jsonl.gz`).filter(row => !needsMecab(row))
    expect(rows).toHaveLength(count)
    for (const { id, fn, input, params, expected } of rows) {
      expectClose(references[fn]!([input], params), expected, `${id} ${JSON.stringify(params)}`)
    }
  })
})

interface CorpusInput {
  readonly hyps: readonly string[]
  readonly refs: readonly (readonly (string | null)[])[]
}

const corpora = goldenRows<Row<CorpusInput, readonly Row<never>[]>>('metrics/sacrebleu_corpus.jsonl.gz')

describe('a corpus has the score and signature of sacrebleu, with absent references left out (16 of 488 runs)', () => {
  const runsOf = (row: (typeof corpora)[number]) => row.expected.filter(run => !needsMecab(run))
  expect([corpora.length, corpora.flatMap(runsOf).length]).toEqual([16, 488])

  test.each(corpora.map(row => [row.id, row] as const))('%s', (id, row) => {
    const { hyps, refs } = row.input
    const segments = hyps.map((hyp, i) => ({
      hyp,
      refs: refs.flatMap(stream => (typeof stream[i] === 'string' ? [stream[i]] : [])),
    }))
    for (const { fn, params, expected } of runsOf(row)) {
      expectClose(references[fn]!(segments, params), expected, `${id} ${fn} ${JSON.stringify(params)}`)
    }
  })
})

const tokenizerRows = goldenRows<Row<{ readonly text: string }, { readonly text: string }>>(
  'metrics/sacrebleu_tokenizers.jsonl.gz',
)

function expectTokens({ id, fn, input, params, expected }: (typeof tokenizerRows)[number]): void {
  const got =
    fn === 'sacrebleu.tokenize'
      ? bleuSegment(input.text, params['tokenize'] as BleuTokenizerName, params['lowercase'] === true)
      : tercomWords(input.text, terArgs.parse(params)).join(' ')
  expect({ id, params, text: got }).toEqual({ id, params, text: expected.text })
}

test('tokenizers return the same texts as sacrebleu, 1,402 rows', () => {
  const rows = tokenizerRows.filter(row => !needsMecab(row))
  expect(rows).toHaveLength(1402)
  rows.forEach(expectTokens)
})

test('odd characters, mixed arguments, long and different segments: 608 more rows', () => {
  const rows = goldenRows<Row<Segment> | (typeof tokenizerRows)[number]>('metrics/sacrebleu_random.jsonl.gz')
  expect(rows).toHaveLength(608)
  for (const row of rows) {
    const { id, fn, params } = row
    if ('text' in row.input) expectTokens(row as (typeof tokenizerRows)[number])
    else expectClose(references[fn]!([row.input], params), row.expected, `${id} ${JSON.stringify(params)}`)
  }
})

test('rejects tokenizers that need MeCab: 47 rows of tokenizers, 20 of segments, 4 corpora', () => {
  const segments = goldenRows<Row<Segment>>('metrics/sacrebleu_sentence_bleu.jsonl.gz')
  const refused = [tokenizerRows, segments, corpora.flatMap(row => row.expected)].map(rows =>
    rows.filter(needsMecab).map(({ params }) => params['tokenize']),
  )
  expect(refused.map(names => names.length)).toEqual([47, 20, 4])
  for (const tokenize of new Set(refused.flat())) {
    expect(() => bleuArgs.parse({ tokenize })).toThrow("sacrebleu's others need MeCab's dictionaries")
  }
})
