/** Intervals of aggregations that are not means of docs. */
import { describe, expect, test } from 'vitest'
import { createSeededRandom } from '../../../base/values/seeded-random.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { Aggregate, JsonObject } from '../../../cache/records.js'
import { wilson } from '../../../stages/judge/statistics/intervals/proportions.js'
import { builtInJudges, makeScorer } from '../../support/scorer.js'

interface Case {
  readonly args?: JsonObject
  /** Draws a doc's value from two numbers from 0 to 1. */
  readonly draw: (a: number, b: number, at: number) => Json
  /** The interval's method without clusters. @default 'bca' */
  readonly method?: string
}

const yesNo = (share: number): string => (share < 0.5 ? 'yes' : 'no')
const pairOf = (a: number, b: number): Json => [a < 0.4 ? 1 : 0, b < 0.7 === a < 0.4 ? 1 : 0]
const yesNoPair = (a: number, b: number): Json => ({ gold: yesNo(a), answer: yesNo(b < 0.7 ? a : 1 - a) })
const counts = (a: number, b: number): Json => {
  const substitutions = Math.floor(4 * b)
  return { hits: 5 + Math.floor(10 * a), substitutions, deletions: Math.floor(2 * a), insertions: b < 0.3 ? 1 : 0 }
}
const bleuCounts = (a: number, b: number): Json => {
  const length = 6 + Math.floor(8 * a)
  const totals = [0, 1, 2, 3].map(order => length - order)
  return {
    counts: totals.map(one => Math.floor(one * (0.3 + 0.6 * b))),
    totals,
    sys_len: length,
    ref_len: 10,
    nrefs: 1,
  }
}
const words = 'the a cat dog sits on mat near house by tree and bird'.split(' ')
const caption = (a: number): string =>
  Array.from({ length: 6 }, (_, at) => words[Math.floor(words.length * a + at * (1 + 2 * a)) % words.length]).join(' ')

const cases: Readonly<Record<string, Case>> = {
  f1: { draw: pairOf, method: 'wilson' },
  fbeta: { draw: pairOf, args: { beta: 2 }, method: 'wilson' },
  precision: { draw: pairOf, method: 'wilson' },
  recall: { draw: pairOf, args: { average: 'macro' }, method: 'wilson' },
  jaccard: { draw: pairOf, method: 'wilson' },
  matthews_corrcoef: { draw: pairOf },
  balanced_accuracy: { draw: pairOf, method: 'wilson' },
  cohen_kappa: { draw: pairOf },
  accuracy: { draw: pairOf, method: 'wilson' },
  yes_no_precision: { draw: yesNoPair },
  yes_no_recall: { draw: yesNoPair },
  yes_no_f1: { draw: yesNoPair },
  yes_no_ratio: { draw: yesNoPair },
  wer: { draw: counts, method: 't' },
  mer: { draw: counts, method: 't' },
  wil: { draw: counts },
  wip: { draw: counts, args: { percent: true } },
  bleu: { draw: bleuCounts },
  coco_bleu: { draw: bleuCounts },
  evaluate_bleu: { draw: bleuCounts },
  chrf: { draw: (a, b) => [[caption(a)], caption(b < 0.5 ? a : b)] },
  ter: { draw: (a, b) => ({ num_edits: Math.floor(6 * b), ref_length: 5 + Math.floor(8 * a), nrefs: 1 }) },
  meteor: {
    draw: (a, b) => {
      const [length, hits] = [5 + Math.floor(6 * a), 2 + Math.floor(4 * b)]
      const counted = [length, length, 0, 0, hits, hits, ...new Array<number>(14).fill(0), 2, hits, hits]
      return { statistics: counted }
    },
  },
  cider: { draw: (a, b) => [[caption(a)], caption(b < 0.5 ? a : b)], method: 'bca_fixed' },
  weighted_perplexity: { draw: (a, b) => [-5 - 20 * a * b, 3 + Math.floor(6 * a)] },
  bits_per_byte: { draw: (a, b) => [-5 - 20 * a * b, 30 + Math.floor(60 * a)] },
  perplexity: { draw: a => -3 * a, method: 't' },
  instruction_accuracy: { draw: (a, b) => ({ followed: Math.floor(3 * a * b), given: 1 + Math.floor(2 * a) + 1 }) },
  roc_auc: { draw: (a, b) => [a < 0.5 ? 1 : 0, a < 0.5 ? b : b * b] },
  average_precision: { draw: (a, b) => [a < 0.5 ? 1 : 0, a < 0.5 ? b : b * b] },
  r2: { draw: (a, b) => [1000 + 10 * a, 1000 + 10 * a + 3 * b] },
  pearson: { draw: (a, b) => [a, a + b] },
  spearman: { draw: (a, b) => [Math.floor(6 * a), a + b] },
  mean_absolute_error: { draw: (a, b) => [a, b], method: 't' },
  mean_squared_error: { draw: (a, b) => [a, b], method: 't' },
  brier_score: { draw: (a, b) => [b < a ? 1 : 0, [1 - a, a]], method: 't' },
  log_loss: { draw: (a, b) => [b < a ? 1 : 0, [1 - a, a]], method: 't' },
  pass_at_k: { draw: a => [4, Math.floor(5 * a)], args: { k: 2 }, method: 't' },
  nanmean: { draw: (a, b) => (b < 0.1 ? null : a), method: 't' },
  grouped_mean: { draw: a => ({ group: a < 0.5 ? 'x' : 'y', score: a }), method: 't' },
  acc_all: { draw: (a, _, at) => ({ question: String(at), right: a < 0.6 }), method: 'wilson' },
  median: { draw: a => a, method: 'order' },
  sum: { draw: a => a, method: 't' },
  mean: { draw: a => a, method: 't' },
  mean_percent: { draw: a => a, method: 't' },
  mean_last30: { draw: a => a, method: 't' },
}

const elsewhere = ['ece', 'mce', 'confusion_matrix', 'bypass', 'mme', 'mme_acc_plus']

test('every aggregation has a case', () => {
  expect(Object.keys(cases).sort()).toEqual(
    [...builtInJudges.aggregations.keys()].filter(id => !elsewhere.includes(id)).sort(),
  )
})

function aggregate(
  name: string,
  values: readonly Json[],
  { args = {}, clusters, ...rest }: AggregateOptions = {},
): Aggregate {
  const entry = { metric: 'm', aggregation: name, ...args }
  const scorer = makeScorer({
    task: 't',
    outputType: 'generate_until',
    config: { metric_list: [entry], ...(clusters && { cluster_key: 'picture' }) },
    scorerCode: { files: {} },
    processResults: () => ({}),
    ...rest,
  })
  const bodies = values.map((value, at) => {
    const cluster = clusters?.[at]
    return {
      outcome: 'scored',
      values: { m: value },
      extracted: {},
      ...(cluster !== undefined && { cluster }),
    } as const
  })
  return scorer.aggregate(bodies, { docs: values.length })[0]!
}

interface AggregateOptions {
  readonly args?: JsonObject | undefined
  readonly clusters?: readonly string[]
  readonly parity?: 'lmms-eval'
  readonly task?: string
}

/** Draws values of `count` docs, each repeated for `size` docs in a row. */
function drawValues(draw: Case['draw'], count: number, size = 1): readonly Json[] {
  const next = createSeededRandom(3)
  const drawn = Array.from({ length: count / size }, () => [next() / 2 ** 32, next() / 2 ** 32] as const)
  return Array.from({ length: count }, (_, at) => draw(...drawn[Math.floor(at / size)]!, at))
}

describe.each(Object.entries(cases))('%s', (name, { args, draw, method = 'bca' }) => {
  const width = ({ interval }: Aggregate): number => interval![1] - interval![0]

  test('has an interval that contains its value and is the same each time', () => {
    const values = drawValues(draw, 120)
    const once = aggregate(name, values, { args })
    expect(once.error).toBeUndefined()
    expect(once.intervalMethod).toBe(method)
    expect(once.interval![0]).toBeLessThan(once.value!)
    expect(once.interval![1]).toBeGreaterThan(once.value!)
    expect(JSON.stringify(aggregate(name, values, { args }))).toBe(JSON.stringify(once))
  })

  test('has a wider interval if docs of a cluster agree', () => {
    const values = drawValues(draw, 180, 6)
    const clusters = values.map((_, at) => String(Math.floor(at / 6)))
    const [plain, clustered] = [aggregate(name, values, { args }), aggregate(name, values, { args, clusters })]
    expect(clustered.intervalMethod).toMatch(/^clustered/)
    expect(clustered.value).toBe(plain.value)
    expect(width(clustered) / width(plain)).toBeGreaterThan(1.4)
  })
})

test('MME resamples pictures with both of their questions', () => {
  const answers = drawValues(
    (a, b, at) => ({
      category: at % 4 < 2 ? 'count' : 'color',
      picture: String(Math.floor(at / 2)),
      score: a + b < 1.2 ? 1 : 0,
    }),
    160,
  )
  const score = aggregate('mme', answers)
  expect(score.intervalMethod).toBe('clustered_bca')
  expect(score.interval![0]).toBeLessThan(score.value!)
  expect(score.interval![1]).toBeGreaterThan(score.value!)
  const plus = aggregate('mme_acc_plus', answers)
  expect(plus.interval).toEqual(wilson(Math.round(80 * plus.value!), 80))
})

test('the mean of groups has an interval as lmms-eval computes it', () => {
  const values = drawValues(a => ({ group: a < 0.3 ? 'x' : 'y', score: a }), 100)
  const whole = aggregate('grouped_mean', values, { parity: 'lmms-eval' })
  expect(whole).toMatchObject({ intervalMethod: 'bca' })
  expect(whole.interval![0]).toBeLessThan(whole.value!)
})

test('the resamples depend on the name of the task', () => {
  const values = drawValues(pairOf, 100)
  const [one, other] = [aggregate('matthews_corrcoef', values), aggregate('matthews_corrcoef', values, { task: 'u' })]
  expect(other.value).toBe(one.value)
  expect(other.interval).not.toEqual(one.interval)
})

test('resamples many docs in blocks, with an interval of the same width', () => {
  const values = drawValues(yesNoPair, 20_000)
  const whole = aggregate('yes_no_precision', values)
  expect(whole.intervalMethod).toBe('block_bca')
  const n = values.filter(one => (one as JsonObject)['answer'] === 'yes').length
  const stderr = Math.sqrt((whole.value! * (1 - whole.value!)) / n)
  expect(whole.stderr! / stderr).toBeGreaterThan(0.93)
  expect(whole.stderr! / stderr).toBeLessThan(1.07)
})

test('a note says why there is no interval', () => {
  const right = drawValues(a => [a < 0.5 ? 1 : 0, a < 0.5 ? 1 : 0], 50)
  expect(aggregate('matthews_corrcoef', right)).toMatchObject({ value: 1, interval: null, intervalMethod: 'none' })
  expect(aggregate('matthews_corrcoef', right).note).toBe('without an interval: no doc changes the value')
  const mixed = drawValues(pairOf, 40)
  const clusters = mixed.map((_, at) => String(at % 3))
  expect(aggregate('f1', mixed, { clusters }).note).toBe(
    'without an interval: the docs come in 3 clusters, and it takes at least 5 of about one size',
  )
  expect(aggregate('f1', mixed.slice(0, 3))).toMatchObject({ interval: null })
})

test('the interval of the sum is that of the mean times the number of docs', () => {
  const values = drawValues(a => a, 60) as readonly number[]
  const [sum, mean] = [aggregate('sum', values), aggregate('mean', values)]
  expect(sum.interval![0]).toBeCloseTo(60 * mean.interval![0], 9)
  expect(sum.stderr).toBeCloseTo(60 * mean.stderr!, 9)
})

test('the interval of the median of ten values runs from the second to the ninth', () => {
  const values = [3, 1, 4, 1.5, 9, 2.6, 5.3, 5.8, 9.7, 9.3]
  expect(aggregate('median', values)).toMatchObject({ value: 4.65, interval: [1.5, 9.3], intervalMethod: 'order' })
  expect(aggregate('median', values.slice(0, 5)).interval).toBeNull()
})

test.each(['ece', 'mce'])('%s has no interval, which would lie above the error of a calibrated model', name => {
  const next = createSeededRandom(5)
  const values = Array.from({ length: 300 }, () => {
    const confidence = 0.5 + next() / 2 ** 33
    return [confidence, next() / 2 ** 32 < confidence ? 1 : 0]
  })
  const clusters = values.map((_, at) => String(at % 50))
  for (const options of [{}, { clusters }]) {
    const summary = aggregate(name, values, options)
    expect(summary).toMatchObject({ stderr: null, interval: null, intervalMethod: 'none' })
    expect(summary.note).toContain('chance makes it larger')
  }
})

/** Draws `[target, answer]` of `classes` classes, of which the last has the share `rare`. */
function drawClasses(count: number, classes: number, rare: number, right: number, seed: number): readonly Json[] {
  const draw = createSeededRandom(seed)
  const random = (): number => draw() / 2 ** 32
  return Array.from({ length: count }, () => {
    const gold = random() < rare ? classes - 1 : Math.floor(random() * (classes - 1))
    const other = (gold + 1 + Math.floor(random() * (classes - 1))) % classes
    return [gold, random() < right ? gold : other]
  })
}

describe('intervals of rates of classes cover, have a width and stay within 0 and 1', () => {
  test.each(
    ['f1', 'precision', 'recall', 'jaccard'].flatMap(name =>
      [
        { average: 'macro', classes: 3, rare: 1 / 3, n: 30 },
        { average: 'macro', classes: 5, rare: 0.2, n: 50 },
        { average: 'macro', classes: 2, rare: 0.1, n: 50 },
        { average: 'weighted', classes: 3, rare: 0.1, n: 50 },
        { average: 'micro', classes: 3, rare: 0.1, n: 50 },
      ].map(cell => ({ name, ...cell })),
    ),
  )('%j', ({ name, average, classes, rare, n }) => {
    const args = { average }
    for (const right of [0.8, 0.95]) {
      const truth = aggregate(name, drawClasses(60_000, classes, rare, right, 1), { args }).value!
      let [covered, found] = [0, 0]
      for (let seed = 2; seed < 152; seed++) {
        const { interval, note } = aggregate(name, drawClasses(n, classes, rare, right, seed), { args })
        if (interval === null) {
          expect(note).toContain('it takes at least 3')
          continue
        }
        found += 1
        expect(interval[0]).toBeGreaterThanOrEqual(0)
        expect(interval[1]).toBeLessThanOrEqual(1)
        expect(interval[1] - interval[0]).toBeGreaterThan(0.02)
        covered += Number(interval[0] <= truth && truth <= interval[1])
      }
      // Three standard errors of 150 repetitions below 93.5 %.
      expect(covered / found).toBeGreaterThan(0.875)
    }
  })
})

test('a class with too few docs, or none, has no F1 with an interval', () => {
  const values: readonly Json[] = [...Array.from({ length: 30 }, (): Json => [0, 0]), [1, 1], [1, 0]]
  expect(aggregate('f1', values)).toMatchObject({
    interval: null,
    note: 'without an interval: the class 1 is the target of 2 docs, and it takes at least 3',
  })
  expect(aggregate('f1', values, { args: { average: 'weighted' } }).interval).not.toBeNull()
  expect(aggregate('f1', values.slice(0, 30), { args: { average: 'macro' } }).interval![0]).toBeLessThan(0.95)
})
