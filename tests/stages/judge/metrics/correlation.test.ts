/** The aggregations `pearson` and `spearman`. The values are those of SciPy 1.17.1, `pearsonr` and `spearmanr`. */
import { expect, test } from 'vitest'
import { pearson, spearman } from '../../../../stages/judge/metrics/correlation.js'
import { computePearson, computeSpearman } from '../../../../stages/judge/statistics/paired/correlations.js'

const golds = [5, 3.8, 0, 2.2, 5, 1.4, 4]
const answers = [0.91, 0.7, 0.12, 0.44, 0.7, 0.5, 0.83]

function fold(definition: typeof pearson, pairs: readonly (readonly [number, number])[]) {
  if (definition.of !== 'folded') throw new Error('it is folded')
  const started = definition.start({}, {} as never)
  for (const pair of pairs) started.add([...pair])
  return started
}

const pairs = golds.map((gold, at) => [gold, answers[at]!] as const)

test('the correlations are those of SciPy', () => {
  expect(fold(pearson, pairs).finish().value).toBeCloseTo(0.9277237147236205, 12)
  expect(fold(spearman, pairs).finish().value).toBeCloseTo(0.8636363636363636, 12)
})

test('there is no correlation without spread, and a pair of other things is refused', () => {
  expect(
    fold(spearman, [
      [1, 2],
      [1, 3],
      [1, 4],
    ]).finish(),
  ).toMatchObject({ value: null })
  expect(() => fold(pearson, [['high', 2] as never])).toThrow('it takes [target, answer], two numbers')
})

test.each([
  { definition: pearson, compute: computePearson },
  { definition: spearman, compute: computeSpearman },
])('docs that a resample has several times count as often: $definition.id', ({ definition, compute }) => {
  const resampling = fold(definition, pairs).resample?.()
  if (resampling === undefined || !('prepareCounts' in resampling)) throw new Error('it is resampled by counts')
  const counts = [2, 0, 1, 3, 1, 1, 0]
  const computeResampled = resampling.prepareCounts({ count: 7, index: Uint32Array.from([0, 1, 2, 3, 4, 5, 6]) })
  const repeat = (values: readonly number[]) =>
    values.flatMap((value, at) => new Array<number>(counts[at]!).fill(value))
  expect(computeResampled(Float64Array.from(counts))).toBeCloseTo(compute(repeat(golds), repeat(answers))!, 12)
})
