import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { numberClusters } from '../../../../../stages/judge/statistics/clusters/number-clusters.js'
import {
  computeBootstrapIntervals,
  computeReplicates,
} from '../../../../../stages/judge/statistics/resampling/bootstrap.js'
import { collectTerms, prepareTerms } from '../../../../../stages/judge/statistics/resampling/doc-terms.js'
import { bootstrapInterval } from '../../../../../stages/judge/statistics/resampling/bootstrap-interval.js'
import { runJackknife } from '../../../../../stages/judge/statistics/resampling/jackknife.js'
import { runLmmsBootstrap } from '../../../../../stages/judge/statistics/resampling/lmms-bootstrap.js'
import {
  prepareStatistic,
  type Statistic,
  type SumStatistic,
} from '../../../../../stages/judge/statistics/resampling/statistic.js'
import { listMisses, listTopics, readVectors } from '../../../../support/golden-vectors.js'

/** A doc of the golden rows: a list of one or two numbers. */
type Doc = readonly number[]

/** The mean of numbers. */
const meanStatistic: SumStatistic<number> = {
  terms: [value => value, () => 1],
  combine: ([sum = 0, count = 0]) => sum / count,
}

const first = (doc: Doc): number => doc[0]!
const second = (doc: Doc): number => doc[1]!

function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length / 2
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!
}

function computeDeviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
}

/** A statistic of the four counts of 0/1 gold and predicted values. */
const ofCounts = (combine: (tp: number, fp: number, fn: number, tn: number) => number): SumStatistic<Doc> => ({
  terms: [[1, 1] as const, [0, 1] as const, [1, 0] as const, [0, 0] as const].map(
    ([gold, predicted]) =>
      (doc: Doc) =>
        Number(doc[0] === gold && doc[1] === predicted),
  ),
  combine: ([tp, fp, fn, tn]) => combine(tp!, fp!, fn!, tn!),
})

const statistics: Record<string, Statistic<Doc>> = {
  mean: { terms: [first, () => 1], combine: ([sum, n]) => sum! / n! },
  median: docs => computeMedian(docs.map(first)),
  'sample standard deviation (ddof 1)': docs => computeDeviation(docs.map(first)),
  'mean(x0 - x1)': { terms: [doc => first(doc) - second(doc), () => 1], combine: ([sum, n]) => sum! / n! },
  'sum(x0)/sum(x1) (e.g. WER: errors/words)': { terms: [first, second], combine: ([a, b]) => a! / b! },
  'binary F1, x0 = gold, x1 = prediction (0 when both are empty)': ofCounts((tp, fp, fn) =>
    tp + fp + fn === 0 ? 0 : (2 * tp) / (2 * tp + fp + fn),
  ),
  'exp(-mean(x))': { terms: [first, () => 1], combine: ([sum, n]) => Math.exp(-sum! / n!) },
  'exp(-sum(x0)/sum(x1))': { terms: [first, second], combine: ([a, b]) => Math.exp(-a! / b!) },
  '-sum(x0)/sum(x1)/ln 2': { terms: [first, second], combine: ([a, b]) => -a! / b! / Math.LN2 },
  'Matthews correlation, x0 = gold, x1 = prediction (0 when undefined)': ofCounts((tp, fp, fn, tn) => {
    const spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return spread === 0 ? 0 : (tp * tn - fp * fn) / Math.sqrt(spread)
  }),
}

/** Turns a list of numbers, or one list for each of two numbers, into docs. */
function listDocs(x: readonly number[] | readonly number[][]): readonly Doc[] {
  const columns = Array.isArray(x[0]) ? (x as readonly number[][]) : [x as readonly number[]]
  return columns[0]!.map((_, at) => columns.map(column => column[at]!))
}

const compute: Record<string, (input: never, params: never) => unknown> = {
  bootstrap(
    { x, indices }: { x: number[]; indices: number[][] },
    { statistic, alpha }: { statistic: string; alpha: number },
  ) {
    const prepared = prepareStatistic(listDocs(x), statistics[statistic]!)
    const replicates = computeReplicates(prepared, indices)
    const { estimate, leaveOneOut } = runJackknife(prepared)
    const found = computeBootstrapIntervals({ estimate, replicates, leaveOneOut, level: 1 - alpha })
    const { percentile, basic, stderr: se, bca } = found
    // For values that do not vary, the reference has a bias of 0 and no acceleration.
    if ('none' in bca) return { theta: estimate, se, percentile, basic, bcaZ0: 0 }
    return { theta: estimate, se, percentile, basic, bca: bca.interval, bcaZ0: bca.bias, bcaA: bca.acceleration }
  },
  'bootstrap-cluster'(
    { x, cluster, clusterIndices }: { x: number[]; cluster: number[]; clusterIndices: number[][] },
    { alpha }: { alpha: number },
  ) {
    const units = numberClusters(cluster.map(String))
    const prepared = prepareStatistic(listDocs(x), statistics['mean']!, units)
    const ofTerms = prepareTerms(collectMeanTerms(x), units, ([sum = 0, count = 0]) => sum / count)
    expect(computeReplicates(ofTerms, clusterIndices)).toEqual(computeReplicates(prepared, clusterIndices))
    const replicates = computeReplicates(prepared, clusterIndices)
    const { estimate, leaveOneOut, stderr } = runJackknife(prepared)
    const found = computeBootstrapIntervals({ estimate, replicates, leaveOneOut, level: 1 - alpha })
    return { theta: estimate, se: found.stderr, percentile: found.percentile, jackknifeSe: stderr }
  },
  jackknife({ x }: { x: number[][] }, { statistic }: { statistic: string }) {
    const { estimate, stderr, bias, leaveOneOut } = runJackknife(prepareStatistic(listDocs(x), statistics[statistic]!))
    return { theta: estimate, se: stderr, bias, leaveOneOut: [...leaveOneOut] }
  },
  'lmms-bootstrap'(
    { x }: { x: number[] },
    { statistic, iters, chunk }: { statistic: 'mean' | 'perplexity'; iters: number; chunk: number },
  ) {
    const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length
    const score = statistic === 'mean' ? mean : (values: readonly number[]) => Math.exp(-mean(values))
    const { stderr, replicates } = runLmmsBootstrap(x, score, { iterations: iters, chunk })
    return { se: stderr, theta: score(x), first3: [...replicates.slice(0, 3)] }
  },
}

function collectMeanTerms(values: readonly number[]) {
  const terms = collectTerms()
  for (const value of values) terms.add([value, 1])
  return terms
}

describe('resampling equals the reference at every golden row', () => {
  test.each(Object.keys(compute))('%s', topic => {
    const rows = readVectors('means', [topic])
    const wrong = rows.flatMap(row => listMisses(row, compute[topic]!(row.input as never, row.params as never)))
    expect(wrong).toEqual([])
    expect(rows).not.toHaveLength(0)
  })
})

test('every topic of the golden means has a test', () => {
  const elsewhere = ['mean', 'interval', 'interval-df', 'proportion', 'coverage', 'group', 'bounds']
  expect(new Set(listTopics('means'))).toEqual(new Set([...elsewhere, ...Object.keys(compute)]))
})

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length

describe('the seeded interval', () => {
  test('is the same for a sum and for a function of docs', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 30 }),
        fc.nat(5),
        (values, size) => {
          const clusters = size < 2 ? undefined : values.map((_, at) => String(Math.floor(at / size)))
          const options = { clusters, resamples: 200, seed: 7 }
          const sums = bootstrapInterval(values, meanStatistic, options)
          const list = bootstrapInterval(values, mean, options)
          if ('none' in sums || 'none' in list) return 'none' in sums && 'none' in list
          expect(sums.interval[0]).toBeCloseTo(list.interval[0], 9)
          expect(sums.interval[1]).toBeCloseTo(list.interval[1], 9)
          return sums.units === list.units
        },
      ),
      { numRuns: 40 },
    )
  })

  test('depends only on the seed', () => {
    const values = Array.from({ length: 50 }, (_, at) => (at * 37) % 11)
    const [once, again, other] = [1, 1, 2].map(seed => bootstrapInterval(values, meanStatistic, { seed }))
    expect(again).toEqual(once)
    expect(other).not.toEqual(once)
  })

  test('is wider if docs of a cluster agree', () => {
    const values = Array.from({ length: 120 }, (_, at) => (Math.floor(at / 6) * 7) % 5)
    const clusters = values.map((_, at) => String(Math.floor(at / 6)))
    const [plain, clustered] = [undefined, clusters].map(of =>
      bootstrapInterval(values, meanStatistic, { clusters: of }),
    )
    expect(clustered).toMatchObject({ n: 120, units: 20 })
    expect((clustered as { stderr: number }).stderr).toBeGreaterThan(2 * (plain as { stderr: number }).stderr)
  })

  test('says why it is missing', () => {
    expect(bootstrapInterval([1], meanStatistic)).toEqual({ none: 'fewer than 2 docs' })
    expect(bootstrapInterval([1, 1, 1], meanStatistic)).toEqual({ none: 'no unit changes the value' })
    expect(bootstrapInterval([1, 2], meanStatistic, { clusters: ['a', 'a'] })).toEqual({
      none: 'fewer than 2 clusters',
    })
    expect(bootstrapInterval([1, 2], meanStatistic, { clusters: ['a', undefined] })).toEqual({
      none: 'a value has no cluster id',
    })
    expect(bootstrapInterval([1, 2], () => Number.NaN)).toEqual({ none: 'the statistic of all docs is undefined' })
    const ratio: SumStatistic<number> = { terms: [value => value], combine: ([sum]) => 1 / sum! }
    expect(bootstrapInterval([0, 0, 0, 1], ratio, { resamples: 100 })).toMatchObject({
      none: expect.stringMatching(/^the statistic is undefined for \d+ of 100 resamples$/) as string,
    })
  })

  test('computes the acceleration of a function from few lists of docs', () => {
    let calls = 0
    const values = Array.from({ length: 2_500 }, (_, at) => at % 17)
    const found = bootstrapInterval(values, docs => ((calls += 1), mean(docs)), { resamples: 50 })
    expect(calls).toBe(1_051)
    expect(found).toMatchObject({ units: 2_500 })
  })
})
