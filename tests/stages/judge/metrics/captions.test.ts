import { describe, expect, test } from 'vitest'
import { ciderAggregation as ciderOfCorpus } from '../../../../stages/judge/metrics/captions/cider.js'
import { cocoBleuAggregation as cocoBleuOfCorpus } from '../../../../stages/judge/metrics/captions/coco-bleu.js'
import type { AggregationDefinition } from '../../../../stages/judge/define/define-aggregation.js'
import type { MetricDefinition, Verdict } from '../../../../stages/judge/define/define-metric.js'
import { anlsOfCompared } from '../../../../stages/judge/metrics/anls.js'
import { characterBleu } from '../../../../stages/judge/helpers/character-bleu.js'
import { captionBleu, captionBleuStatistics } from '../../../../stages/judge/metrics/captions/coco-bleu.js'
import { ciderScores } from '../../../../stages/judge/metrics/captions/cider.js'
import { cider } from '../../../../stages/judge/metrics/captions/cider.js'
import { cocoBleu } from '../../../../stages/judge/metrics/captions/coco-bleu.js'
import { cocoRougeL } from '../../../../stages/judge/metrics/captions/coco-rouge-l.js'
import { rouge } from '../../../../stages/judge/metrics/rouge.js'
import { bestCocoRougeL as cocoRougeLOf } from '../../../../stages/judge/metrics/captions/coco-rouge-l.js'
import { bestGoogleRouge, googleRouge, rougeVariants } from '../../../../stages/judge/metrics/rouge.js'
import { meanSetRouge, setRouge } from '../../../../stages/judge/helpers/set-rouge.js'
import { captionWords } from '../../../../stages/judge/metrics/captions/caption-words.js'
import { porterStem } from '../../../../stages/judge/text/porter-stemmer.js'
import { ptbTokens } from '../../../../stages/judge/text/ptb/ptb-tokenizer.js'
import { rougeTokens } from '../../../../stages/judge/metrics/rouge.js'
import { goldenRows } from '../../../support/golden.js'
import { recordOf } from '../../../support/judged.js'

interface Row<Input, Expected, Params = Readonly<Record<string, never>>> {
  readonly id: string
  readonly fn: string
  readonly input: Input
  readonly params: Params
  readonly expected: Expected
  readonly right?: Expected
}

type Captions = Readonly<Record<string, readonly string[]>>

/** Numbers within 1e-9 of the larger one, all else exactly. */
function expectNear(id: string, got: unknown, wanted: unknown): void {
  if (typeof wanted === 'number' && typeof got === 'number') {
    const close = Math.abs(got - wanted) <= 1e-9 * Math.max(1, Math.abs(got), Math.abs(wanted))
    if (!close) expect([id, got]).toEqual([id, wanted])
    return
  }
  if (typeof wanted === 'object' && wanted !== null && typeof got === 'object' && got !== null) {
    expect([id, Object.keys(got).sort()]).toEqual([id, Object.keys(wanted).sort()])
    for (const [key, value] of Object.entries(wanted)) {
      expectNear(`${id}.${key}`, (got as Record<string, unknown>)[key], value)
    }
    return
  }
  expect([id, got]).toEqual([id, wanted])
}

/** Calls the function that `fn` of each row names, and returns the number of rows. */
function expectRows(
  file: string,
  functions: Readonly<Record<string, (input: never, params: never) => unknown>>,
): number {
  const rows = goldenRows<Row<never, unknown, never>>(`metrics/${file}`)
  for (const { id, fn, input, params, expected, right } of rows) {
    const compute = functions[fn]
    if (compute === undefined) throw new Error(`${id}: nothing computes ${fn}`)
    const wanted = right ?? expected
    if (typeof wanted === 'object' && wanted !== null && 'error' in wanted) {
      expect(() => compute(input, params), id).toThrow()
    } else {
      expectNear(id, compute(input, params), wanted)
    }
  }
  return rows.length
}

const scoredVariants = ['rouge1', 'rouge2', 'rouge3', 'rougeL', 'rougeLsum'] as const

describe('golden rows', () => {
  test('ROUGE equals rouge-score with its tokenizer and stemmer; ROUGE-L of captions equals pycocoevalcap', () => {
    const rows = expectRows('rouge.jsonl.gz', {
      'rouge_score.score': (
        { target, prediction }: { target: string; prediction: string },
        { use_stemmer: useStemmer }: { use_stemmer: boolean },
      ) =>
        Object.fromEntries(
          scoredVariants.map(variant => [variant, googleRouge(prediction, target, { variant, useStemmer })]),
        ),
      'rouge_score.score_multi': (
        { targets, prediction }: { targets: string[]; prediction: string },
        { use_stemmer: useStemmer }: { use_stemmer: boolean },
      ) =>
        Object.fromEntries(
          scoredVariants.map(variant => [variant, bestGoogleRouge(prediction, targets, { variant, useStemmer })]),
        ),
      'rouge_score.tokenize': ({ text }: { text: string }, { use_stemmer }: { use_stemmer: boolean }) => ({
        tokens: rougeTokens(text, use_stemmer),
      }),
      'nltk.PorterStemmer.stem': ({ words }: { words: string[] }) => ({ stems: words.map(porterStem) }),
      'pycocoevalcap.rouge.calc_score': ({ candidate, refs }: { candidate: string; refs: string[] }) => ({
        rouge_l: cocoRougeLOf(candidate, refs),
      }),
    })
    expect(rows).toBeGreaterThanOrEqual(446)
  })

  test('the package rouge, BLEU over characters and the package anls give the same values', () => {
    const rows = expectRows('rouge_other.jsonl.gz', {
      'rouge.get_scores': ({ hyp, ref }: { hyp: string; ref: string }) => setRouge(hyp, ref),
      'rouge.get_scores(avg)': ({ hyps, refs }: { hyps: string[]; refs: string[] }) =>
        meanSetRouge(hyps.map((hyp, i) => [hyp, refs[i]!] as const)),
      'nltk.sentence_bleu(chars, method1)': ({ hyp, ref }: { hyp: string; ref: string }) => ({
        bleu: characterBleu(hyp, ref),
      }),
      'anls.anls_score': (
        { gold_labels, prediction }: { gold_labels: string[]; prediction: string },
        { threshold }: { threshold: number },
      ) => ({ anls: anlsOfCompared(prediction, gold_labels, threshold) }),
    })
    expect(rows).toBeGreaterThanOrEqual(181)
  })

  test('captions are tokenized as by the Stanford tokenizer; line breaks other than LF are spaces', () => {
    const rows = goldenRows<Row<{ caption: string }, { raw: string; tokens: string[] }, { last_in_file: boolean }>>(
      'metrics/ptb_tokenizer.jsonl.gz',
    )
    for (const { id, input, params, expected, right } of rows) {
      const after = params.last_in_file ? '' : '\na cat'
      expect([id, captionWords(input.caption, after)]).toEqual([id, (right ?? expected).tokens])
    }
    expect(rows.length).toBeGreaterThanOrEqual(457)
  })

  test('corpora of captions have the tokens, BLEU, ROUGE-L and CIDEr of pycocoevalcap (METEOR is tested apart)', () => {
    const rows =
      goldenRows<Row<{ gts: Captions; res: Captions }, Record<string, unknown>, { tokenize: boolean }>>(
        'metrics/cococap.jsonl.gz',
      )
    for (const { id, input, params, expected } of rows) {
      const gts = params.tokenize ? tokenized(input.gts) : input.gts
      const res = params.tokenize ? tokenized(input.res) : input.res
      const wanted = Object.fromEntries(Object.entries(expected).filter(([name]) => !name.startsWith('meteor')))
      expectNear(id, { ...(params.tokenize && { tokenized: { gts, res } }), ...corpusScores(gts, res) }, wanted)
    }
    expect(rows.length).toBeGreaterThanOrEqual(11)
  })
})

/** All captions as one text, a line each, as the reference reads them. */
function tokenized(captions: Captions): Captions {
  const lines = Object.values(captions).flat()
  let at = 0
  return Object.fromEntries(
    Object.entries(captions).map(([image, texts]) => [
      image,
      texts.map(text => {
        const following = lines.slice(++at)
        return captionWords(text, following.map(line => `\n${line}`).join('')).join(' ')
      }),
    ]),
  )
}

function corpusScores(gts: Captions, res: Captions) {
  const images = Object.keys(gts)
  const segments = images.map(image => ({ answer: res[image]![0]!, references: gts[image]! }))
  const rougeL = segments.map(({ answer, references }) => cocoRougeLOf(answer, references))
  const statistics = segments.map(({ answer, references }) => captionBleuStatistics(answer, references))
  const bleu = statistics.map(captionBleu)
  const values = statistics.map(one => ({ ...one, nrefs: 1 }))
  return {
    images,
    bleu: [1, 2, 3, 4].map(order => fold(cocoBleuOfCorpus, values, { order })),
    bleu_per_image: [0, 1, 2, 3].map(i => bleu.map(scores => scores[i]!)),
    rouge_l: rougeL.reduce((sum, score) => sum + score, 0) / rougeL.length,
    rouge_l_per_image: rougeL,
    cider: fold(ciderOfCorpus, segments, {}),
    cider_per_image: [...ciderScores(segments)],
  }
}

function fold(aggregation: AggregationDefinition, values: readonly object[], args: object): number | null {
  if (aggregation.of !== 'folded') throw new Error(`${aggregation.id} is no fold`)
  const sums = aggregation.start(aggregation.args.parse(args))
  for (const value of values) sums.add(value as never)
  return sums.finish().value
}

describe('metrics', () => {
  const judge = (metric: MetricDefinition, text: string, references: readonly string[], args: object = {}) => {
    const verdict = metric.judge({ text, references, record: recordOf(''), bodies: [] }, metric.args.parse(args))
    return verdict as Exclude<Verdict, { type: 'judge_failed' }>
  }

  test('rouge uses the best reference and the requested number', () => {
    const references = ['nothing of it', 'the dogs ran']
    expect(judge(rouge, 'the dog ran off', references, { variant: 'rouge1' }).value).toBeCloseTo(4 / 7, 12)
    expect(judge(rouge, 'the dog ran off', references, { variant: 'rouge1', of: 'recall' }).value).toBeCloseTo(
      2 / 3,
      12,
    )
    expect(
      judge(rouge, 'the dog ran off', ['the running dogs'], { use_stemmer: true, of: 'precision' }).value,
    ).toBeCloseTo(2 / 4, 12)
    expect(
      rougeVariants.map(variant => judge(rouge, 'a b c d e f g h i', ['a b c d e f g h i'], { variant }).value),
    ).toEqual(rougeVariants.map(() => 1))
  })

  test('caption metrics ignore punctuation and case, and their values give the corpus score', () => {
    const docs = [
      { text: 'A dog runs, fast!', references: ['a dog runs fast', 'The dog is running.'] },
      { text: 'Two cats.', references: ['two cats sleep'] },
    ]
    expect(judge(cocoRougeL, docs[0]!.text, docs[0]!.references).value).toBe(1)
    for (const [metric, aggregation] of [
      [cider, ciderOfCorpus],
      [cocoBleu, cocoBleuOfCorpus],
    ] as const) {
      const values = docs.map(({ text, references }) => judge(metric, text, references).value as object)
      const pairs = docs.map(({ text, references }) => [references, text])
      expect(fold(aggregation, values, {})).toBe(fold(aggregation, pairs, {}))
    }
    expect(judge(cider, docs[1]!.text, docs[1]!.references).value).toEqual({
      answer: 'two cats',
      references: ['two cats sleep'],
    })
  })

  test('an aggregation says which values it takes', () => {
    expect(() => fold(ciderOfCorpus, [{ score: 1 }], {})).toThrow('[reference(s), answer]')
    expect(() => fold(cocoBleuOfCorpus, [{ score: 1 }], {})).toThrow('[reference(s), answer]')
  })

  test.each([rouge, cider, cocoBleu, cocoRougeL])('$id needs a reference', metric => {
    expect(() => judge(metric, 'a', [])).toThrow('this doc has none')
  })
})

test('the next line decides how a final letter with a period is tokenized', () => {
  expect(ptbTokens('plan A.')).toEqual(['plan', 'a.'])
  expect(ptbTokens('plan A.', '\nThe dog')).toEqual(['plan', 'a', '.'])
})
