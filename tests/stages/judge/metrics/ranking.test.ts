import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { AggregationDefinition, Fold } from '../../../../stages/judge/define/define-aggregation.js'
import { averagePrecisionAggregation, rocAucAggregation } from '../../../../stages/judge/metrics/likelihood/ranking.js'
import { prepareStatistic } from '../../../../stages/judge/statistics/resampling/statistic.js'
import { prepareCounted } from '../../../../stages/judge/statistics/resampling/units.js'

type Doc = readonly [gold: number, scores: number | readonly number[]]

const startArea = (args: object) => (): Fold => startFold(rocAucAggregation, args)
const startPrecision = (): Fold => startFold(averagePrecisionAggregation, {})

// A few scores only, so that docs tie.
const score = fc.integer({ min: 0, max: 6 }).map(value => value / 6)
const twoClasses: fc.Arbitrary<Doc> = fc.tuple(fc.integer({ min: 0, max: 1 }), score)
const threeClasses: fc.Arbitrary<Doc> = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.tuple(score, score, score))

describe('resampling by counts of units gives the same number as resampling docs', () => {
  test.each([
    { name: 'roc_auc', start: startArea({}), doc: twoClasses },
    { name: 'roc_auc with max_fpr', start: startArea({ max_fpr: 0.4 }), doc: twoClasses },
    { name: 'roc_auc ovr', start: startArea({ multi_class: 'ovr' }), doc: threeClasses },
    { name: 'roc_auc ovo weighted', start: startArea({ multi_class: 'ovo', average: 'weighted' }), doc: threeClasses },
    { name: 'average_precision', start: startPrecision, doc: twoClasses },
  ])('$name', ({ start, doc }) => {
    const unit = fc.integer({ min: 0, max: 4 })
    const draws = fc.array(unit, { minLength: 5, maxLength: 5 })
    const docs = fc.array(fc.record({ doc, unit }), { minLength: 6, maxLength: 24 })
    fc.assert(
      fc.property(docs, draws, (drawable, drawn) => {
        const units = { count: 5, index: drawable.map(one => one.unit) }
        const values = drawable.map(one => one.doc)
        const resampling = addAll(start(), values).resample?.()
        if (resampling === undefined || 'terms' in resampling) throw new Error('expected counts of docs')
        expect(resampling.docs).toBe(values.length)
        const counted = prepareCounted(5, resampling.prepareCounts(units))
        const listed = prepareStatistic(values, given => readNumber(start(), given), units)
        expectSame(counted.estimate, listed.estimate)
        expectSame(counted.computeForUnits(drawn), listed.computeForUnits(drawn))
        expectSame(counted.computeWithout(1, 5), listed.computeWithout(1, 5))
        expectSame(counted.computeWithout(0, 2), listed.computeWithout(0, 2))
      }),
      { numRuns: 60 },
    )
  })
})

test('the area under the curve of 20,000 docs is exact', () => {
  const fold = startArea({})()
  // The positive docs have the scores 1, 3, 5 and so on: the k-th is above k negative docs.
  const docs = 20_000
  for (let at = 0; at < docs; at++) fold.add([at % 2, at])
  expect(fold.finish().value).toBe((docs / 2 + 1) / docs)
})

function startFold<Args extends z.ZodType>(aggregation: AggregationDefinition<Args>, args: object): Fold {
  if (aggregation.of !== 'folded') throw new Error('expected a fold')
  return aggregation.start(aggregation.args.parse(args))
}

function addAll(fold: Fold, docs: readonly Doc[]): Fold {
  for (const [gold, scores] of docs) fold.add([gold, typeof scores === 'number' ? scores : [...scores]])
  return fold
}

/** The number of a list of docs; NaN if it is undefined. */
const readNumber = (fold: Fold, docs: readonly Doc[]): number =>
  docs.length === 0 ? Number.NaN : (addAll(fold, docs).finish().value ?? Number.NaN)

/** Equal up to rounding. Average precision without a positive doc is 0, and without docs nothing. */
function expectSame(counted: number, listed: number): void {
  if (Number.isNaN(listed)) expect(Number.isFinite(counted) ? counted : 0).toBe(0)
  else expect(counted).toBeCloseTo(listed, 12)
}
