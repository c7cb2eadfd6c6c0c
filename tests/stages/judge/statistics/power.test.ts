import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  computeDesignEffect,
  estimateClusterCorrelation,
  planClusteredSize,
} from '../../../../stages/judge/statistics/power/clustered-size.js'
import {
  computeLmmsPower,
  formatLmmsPower,
  type LmmsPowerInput,
} from '../../../../stages/judge/statistics/power/lmms-power.js'
import { noncentralTCdf, noncentralTSf } from '../../../../stages/judge/statistics/distributions/noncentral-t.js'
import {
  approximateDetectableEffect,
  approximatePairedSize,
  findDetectableEffect,
  planPairedSize,
  planTwoSampleSize,
} from '../../../../stages/judge/statistics/power/plan-size.js'
import {
  approximatePairedPower,
  approximateTwoSamplePower,
  computePairedPower,
  computeTwoSamplePower,
  type Alternative,
} from '../../../../stages/judge/statistics/power/t-power.js'
import { tCdf } from '../../../../stages/judge/statistics/distributions/student-t.js'
import { goldenRows } from '../../../support/golden.js'
import { listUnrefused, runRows, type GoldenVector } from '../../../support/golden-vectors.js'

interface Input extends LmmsPowerInput {
  readonly d: number
  readonly n: number
  readonly n1: number
  readonly ratio: number
  readonly clusterSize: number
  readonly sizes?: number[]
  readonly icc: number
  readonly x: number[]
  readonly cluster: string[]
  readonly argv: string[]
  readonly taskSizes: Record<string, number>
}

interface Params {
  readonly alpha: number
  readonly power: number
  readonly alternative: Alternative
  readonly ratio: number
  readonly sdDiff: number
  readonly effect: number
}

type Row = GoldenVector<Input, Params>

function computePaired({ id, input: { d, n }, params }: Row): unknown {
  switch (id.split('/')[1]) {
    case 'power':
      return {
        power: computePairedPower({ effect: d, n }, params),
        normal: approximatePairedPower({ effect: d, n }, params),
      }
    case 'n': {
      const [size, normal] = [planPairedSize(d, params), approximatePairedSize(d, params)]
      return { n: size.exact, nCeil: size.docs, nNormal: normal.exact, nNormalCeil: normal.docs }
    }
    default:
      return { d: findDetectableEffect(n, params), dNormal: approximateDetectableEffect(n, params) }
  }
}

function computeTwoSample({ id, input: { d, n1, ratio }, params }: Row): unknown {
  if (id.split('/')[1] === 'power') {
    const design = { effect: d, n: n1, ratio }
    return { z: approximateTwoSamplePower(design, params), t: computeTwoSamplePower(design, params) }
  }
  return {
    z: planTwoSampleSize(d, { ...params, method: 'normal' }).exact,
    t: planTwoSampleSize(d, params).exact,
  }
}

function computeClustered({ input, params }: Row): unknown {
  const sizes = input.sizes ?? input.clusterSize
  const designEffect = computeDesignEffect(sizes, input.icc)
  if (input.sizes !== undefined) return { designEffect, kish: designEffect }
  const plan = planClusteredSize(params.effect / params.sdDiff, { ...params, sizes, icc: input.icc })
  return {
    designEffect: plan.designEffect,
    n: plan.exact,
    clusters: plan.exactClusters,
    effectiveOf1000: 1000 / computeDesignEffect(sizes, input.icc),
  }
}

function computeCorrelation({ input }: Row): unknown {
  const { icc, betweenMeanSquare, withinMeanSquare, size, f, p } = estimateClusterCorrelation(input.x, input.cluster)
  return { icc1: icc, msb: betweenMeanSquare, msw: withinMeanSquare, n0: size, f, p }
}

/** Reads the command line of lmms-eval's power command. */
function readArguments(argv: readonly string[]): LmmsPowerInput {
  const names: Readonly<Record<string, keyof LmmsPowerInput>> = {
    '--effect-size': 'effect_size',
    '--std-a': 'std_a',
    '--std-b': 'std_b',
    '--alpha': 'alpha',
    '--power': 'power',
    '--correlation': 'correlation',
  }
  return Object.fromEntries(
    argv.flatMap((word, i) => (names[word] === undefined ? [] : [[names[word], Number(argv[i + 1])]])),
  )
}

const computeByKind: Readonly<Record<string, (row: Row) => unknown>> = {
  't-paired': computePaired,
  'two-sample': computeTwoSample,
  'design-effect': computeClustered,
  icc1: computeCorrelation,
  lmms: ({ input }) => computeLmmsPower(input),
  'lmms-error': ({ input }) => computeLmmsPower(input),
  'lmms-cli': ({ input }) => ({ stdout: formatLmmsPower(readArguments(input.argv), input.taskSizes) }),
}

test('power, sample sizes, design effects and lmms-eval’s power text equal the reference in every golden row', () => {
  expect(runRows(goldenRows<Row>('stats/power.jsonl.gz'), computeByKind)).toEqual([])
})

test('sizes of two samples equal statsmodels over a grid of effects, powers, ratios and levels', () => {
  const rows = goldenRows<{ effect: number; power: number; ratio: number; alpha: number; n: number }>(
    'stats/two-sample-sizes.jsonl.gz',
  )
  expect(rows.filter(({ power }) => power < 0.699).length).toBeGreaterThan(40)
  const wrong = rows.filter(
    ({ effect, n, ...settings }) => Math.abs(planTwoSampleSize(effect, settings).exact / n - 1) > 1e-7,
  )
  expect(wrong).toEqual([])
})

test('the noncentral t distribution equals Student’s t at 0, and its two tails add up to 1', () => {
  const argument = fc.record({
    t: fc.double({ min: -8, max: 8, noNaN: true }),
    df: fc.double({ min: 0.05, max: 400, noNaN: true }),
    noncentrality: fc.double({ min: -20, max: 20, noNaN: true }),
  })
  fc.assert(
    fc.property(argument, ({ t, df, noncentrality }) => {
      const central = Math.abs(noncentralTCdf(t, df, 0) - tCdf(t, df))
      const both = noncentralTSf(t, df, noncentrality) + noncentralTCdf(t, df, noncentrality)
      return central < 1e-11 && Math.abs(both - 1) < 1e-12
    }),
  )
})

test('a planned number of pairs reaches the power, and one pair fewer does not', () => {
  const plan = fc.record({
    effect: fc.double({ min: 0.05, max: 2, noNaN: true }),
    power: fc.double({ min: 0.5, max: 0.99, noNaN: true }),
  })
  fc.assert(
    fc.property(plan, ({ effect, power }) => {
      const { docs } = planPairedSize(effect, { power })
      const reaches = computePairedPower({ effect, n: docs }) >= power - 1e-9
      return reaches && (docs <= 2 || computePairedPower({ effect, n: docs - 1 }) < power + 1e-9)
    }),
    { numRuns: 30 },
  )
})

test('the smallest detectable effect has the requested power', () => {
  for (const alternative of ['two-sided', 'larger', 'smaller'] as const) {
    const effect = findDetectableEffect(40, { power: 0.9, alternative })
    expect(computePairedPower({ effect, n: 40 }, { alternative })).toBeCloseTo(0.9, 9)
  }
})

test('rejects plans that no number of docs can fulfil, with a reason', () => {
  const wrong = [
    listUnrefused('no effect', () => planPairedSize(0)),
    listUnrefused('the other side', () => planPairedSize(0.2, { alternative: 'smaller' })),
    listUnrefused('power below alpha', () => planPairedSize(0.2, { power: 0.01 })),
    listUnrefused('alpha of 1', () => computePairedPower({ effect: 0.2, n: 20 }, { alpha: 1 })),
    listUnrefused('one pair', () => computePairedPower({ effect: 0.2, n: 1 })),
    listUnrefused('an effect near 0', () => planPairedSize(1e-9)),
    listUnrefused('one cluster', () => estimateClusterCorrelation([1, 2], ['a', 'a'])),
    listUnrefused('clusters of one', () => estimateClusterCorrelation([1, 2], ['a', 'b'])),
    listUnrefused('equal values', () => estimateClusterCorrelation([1, 1, 1, 1], ['a', 'a', 'b', 'b'])),
    listUnrefused('a missing cluster', () => estimateClusterCorrelation([1, 1, 1], ['a', 'a'])),
  ]
  expect(wrong.flat()).toEqual([])
})
