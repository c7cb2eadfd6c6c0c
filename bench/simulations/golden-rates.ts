/** Repeats simulations whose rates another program computed: the golden rows of `tests/golden/stats/simulation.jsonl.gz`. */
import { computeBernsteinSequence } from '../../stages/judge/statistics/anytime/confidence-sequence.js'
import { testMeanByBetting } from '../../stages/judge/statistics/anytime/betting.js'
import { computePocockBoundary } from '../../stages/judge/statistics/anytime/group-sequential.js'
import { computeAsymptoticSequence } from '../../stages/judge/statistics/anytime/interval-sequences.js'
import { clusteredMean } from '../../stages/judge/statistics/clusters/clustered-mean.js'
import { computeLmmsClusteredStderr } from '../../stages/judge/statistics/clusters/lmms-clustered-stderr.js'
import { normalCdf } from '../../stages/judge/statistics/distributions/normal.js'
import type { Interval } from '../../stages/judge/statistics/intervals/interval.js'
import { estimateMean, testMean, zInterval } from '../../stages/judge/statistics/intervals/mean.js'
import { wald, wilson } from '../../stages/judge/statistics/intervals/proportions.js'
import { adjustPValues } from '../../stages/judge/statistics/multiplicity/adjust-p-values.js'
import { testEquivalence } from '../../stages/judge/statistics/paired/equivalence.js'
import { mcnemar, mcnemarMidP } from '../../stages/judge/statistics/paired/mcnemar.js'
import { estimateHumanMean, estimatePpiMean } from '../../stages/judge/statistics/ppi/ppi-mean.js'
import { drawBinaryDifferences, drawScores, makeDraws, nameClusters, type Draws } from './draws.js'

/** A row: a process of docs, and the rate of each method by another program. */
export interface RateRow {
  /** The kind of simulation and its cell, such as `coverage-mean/G=3/m=3/icc=0.3`. */
  readonly id: string
  readonly input: Process
  readonly expected: Readonly<Record<string, ExpectedRate>>
}

/** The rate of a method: the share of repetitions with an error, or with an interval that covers. */
export interface ExpectedRate {
  readonly rate: number
  /** The Monte Carlo standard error of `rate`. */
  readonly mcSe: number
  /** Four standard errors around `rate`, for 2,000 repetitions. */
  readonly acceptAt2000Reps: Interval
}

interface Process {
  readonly G: number
  readonly m: number
  readonly sizes?: readonly number[]
  readonly icc: number
  readonly mu?: number
  readonly p: number
  readonly n: number
  readonly N: number
  readonly sd: number
  readonly margin: number
  readonly K: number
  readonly tp: number
  readonly fp: number
  readonly T: number
  readonly rho2: number
}

/** Tells for each method whether it erred, or covered, in one repetition. */
type Outcomes = Readonly<Record<string, boolean>>

/** Simulates the methods of a row. @returns the rate of each */
function simulateRates(
  row: RateRow,
  { repetitions, seed }: { readonly repetitions: number; readonly seed: number },
): ReadonlyMap<string, number> {
  const begin = kinds[readKind(row)]
  if (begin === undefined) throw new Error(`internal error: no simulation of ${row.id}`)
  const repeat = begin(row.input, makeDraws(seed), row.id)
  const counts = new Map<string, number>()
  for (let repetition = 0; repetition < repetitions; repetition++)
    for (const [method, holds] of Object.entries(repeat()))
      counts.set(method, (counts.get(method) ?? 0) + Number(holds))
  return new Map([...counts].map(([method, count]) => [method, count / repetitions]))
}

/** A simulated rate beside the expected one. */
export interface ComparedRate {
  readonly row: string
  /** The kind of simulation, such as `coverage-mean`. */
  readonly kind: string
  readonly method: string
  /** NaN for a method that is not simulated. */
  readonly rate: number
  readonly expected: number
  readonly accepted: Interval
  readonly isAccepted: boolean
}

/** Simulates a row, and compares each of its rates. */
export function compareRates(
  row: RateRow,
  simulation: { readonly repetitions: number; readonly seed: number },
): readonly ComparedRate[] {
  const rates = simulateRates(row, simulation)
  return Object.entries(row.expected).map(([method, expected]) => {
    const rate = rates.get(method) ?? Number.NaN
    const accepted = computeAcceptedRates(expected, simulation.repetitions)
    const isAccepted = rate >= accepted[0] && rate <= accepted[1]
    return { row: row.id, kind: readKind(row), method, rate, expected: expected.rate, accepted, isAccepted }
  })
}

/** Reads the kind of a row, the first part of its id. */
export const readKind = ({ id }: Pick<RateRow, 'id'>): string => id.slice(0, id.indexOf('/'))

/** Computes the rates that a row accepts: its own bounds, or as many standard errors for another number of repetitions. */
function computeAcceptedRates(
  { rate, mcSe, acceptAt2000Reps: [low, high] }: ExpectedRate,
  repetitions: number,
): Interval {
  if (repetitions === 2_000) return [low, high]
  const half = (high - rate) / 4
  const variance = Math.max(0, half * half - mcSe * mcSe) * (2_000 / repetitions)
  const reach = 4 * Math.sqrt(variance + mcSe * mcSe)
  return [rate - reach, rate + reach]
}

const listSizes = ({ sizes, G, m }: Process): readonly number[] => sizes ?? new Array<number>(G).fill(m)

const leavesOut = ([low, high]: Interval, value: number): boolean => value < low || value > high

/** Tests whether the mean of differences in clusters is 0. @returns whether each method finds that it is not */
function testClusters(differences: readonly number[], clusters: readonly string[]): Outcomes {
  const plain = estimateMean(differences)
  const clustered = clusteredMean(differences, clusters)
  if (plain === undefined || 'none' in clustered) throw new Error('internal error: a process without clusters')
  const { mean, cr0, cr1, cr2, df, clusters: count } = clustered
  const byT = (stderr: number, degrees: number): boolean => testMean({ mean, stderr, df: degrees }).p < 0.05
  const byZ = (stderr: number): boolean => leavesOut(zInterval({ mean, stderr }), 0)
  return {
    naivePairedT: byT(plain.stderr, plain.n - 1),
    naiveZ: byZ(plain.stderr),
    cr1T: byT(cr1, count - 1),
    cr1Z: byZ(cr1),
    cr0Z: byZ(cr0),
    cr2SatterthwaiteT: byT(cr2, df),
    lmmsClusteredZ: byZ(computeLmmsClusteredStderr(clustered)),
  }
}

type BeginSimulation = (process: Process, draws: Draws, id: string) => () => Outcomes

const rejectNormal: BeginSimulation = (process, draws) => {
  const [sizes, { icc, mu = 0 }] = [listSizes(process), process]
  const clusters = nameClusters(sizes)
  return () =>
    testClusters(
      drawScores(sizes, icc, draws).map(score => score + mu),
      clusters,
    )
}

const rejectBinary: BeginSimulation = (process, draws) => {
  const sizes = listSizes(process)
  const clusters = nameClusters(sizes)
  return () => {
    const differences = drawBinaryDifferences(sizes, process, draws)
    const onlyA = differences.filter(difference => difference > 0).length
    const onlyB = differences.filter(difference => difference < 0).length
    return {
      ...testClusters(differences, clusters),
      mcnemarExact: mcnemar(onlyA, onlyB) < 0.05,
      mcnemarMidP: mcnemarMidP(onlyA, onlyB) < 0.05,
    }
  }
}

/** An interval covers the mean 0 if the test does not reject it. */
const coverMean: BeginSimulation = (process, draws, id) => {
  const reject = rejectNormal(process, draws, id)
  return () => Object.fromEntries(Object.entries(reject()).map(([method, rejects]) => [method, !rejects]))
}

const findEquivalence: BeginSimulation =
  ({ n, sd, margin }, { normal }) =>
  () => {
    const estimate = estimateMean(Array.from({ length: n }, () => margin + sd * normal()))
    if (estimate === undefined) throw new Error('internal error: a process without docs')
    return { tost: testEquivalence({ ...estimate, df: n - 1 }, margin).p < 0.05 }
  }

/** Any rejection is an error. A row such as `family/K=10/correlated-nulls-.7` names the correlation of the tests. */
const rejectAny: BeginSimulation = ({ K: tests }, { uniform, normal }, id) => {
  const correlation = Number(/correlated-nulls-(.+)/.exec(id)?.[1] ?? 0)
  const drawCorrelated = (): readonly number[] => {
    const shared = Math.sqrt(correlation) * normal()
    return Array.from({ length: tests }, () => 2 * normalCdf(-Math.abs(shared + Math.sqrt(1 - correlation) * normal())))
  }
  return () => {
    const pValues = correlation > 0 ? drawCorrelated() : Array.from({ length: tests }, uniform)
    const finds = (adjusted: readonly number[]): boolean => adjusted.some(p => p <= 0.05)
    const holm = finds(adjustPValues(pValues, 'holm'))
    return {
      uncorrected: finds(pValues),
      holm,
      holmSimulated: holm,
      benjaminiHochbergAnyReject: finds(adjustPValues(pValues, 'bh')),
    }
  }
}

const coverByJudge: BeginSimulation = ({ n, N, p, tp, fp }, { uniform }) => {
  const drawBit = (share: number): number => Number(uniform() < share)
  const judge = (label: number): number => drawBit(label === 1 ? tp : fp)
  const covers = ({ interval }: { readonly interval: Interval }): boolean => !leavesOut(interval, p)
  return () => {
    const labels = Array.from({ length: n }, () => drawBit(p))
    const judged = labels.map(judge)
    const unlabelled = Array.from({ length: N }, () => judge(drawBit(p)))
    const scores = { labels, judged, unlabelled }
    return {
      ppiPlusPlus: covers(estimatePpiMean(scores)),
      ppiLambda1: covers(estimatePpiMean(scores, { weight: 1 })),
      humanOnly: covers(estimateHumanMean(labels)),
      judgeOnly: covers(estimateHumanMean([...judged, ...unlabelled])),
    }
  }
}

/** The first moment at which an asymptotic sequence is looked at. */
const firstAsymptotic = 50

const leaveOutAtAnyLook: BeginSimulation = ({ p, T: end, rho2 }, { uniform }) => {
  const looks = Array.from({ length: end / 50 }, (_, look) => 50 * (look + 1))
  const pocock = computePocockBoundary(looks.length)
  return () => {
    const values = Array.from({ length: end }, () => Number(uniform() < p))
    let count = 0
    const sums = values.map(value => (count += value))
    const atLook = (interval: (successes: number, n: number) => Interval): boolean =>
      looks.some(n => leavesOut(interval(sums[n - 1] ?? 0, n), p))
    const known =
      ({ z }: { readonly z: number }) =>
      (successes: number, n: number): Interval => {
        const half = z * Math.sqrt((p * (1 - p)) / n)
        return [successes / n - half, successes / n + half]
      }
    const asymptotic = (successes: number, n: number): Interval => {
      const mean = successes / n
      return computeAsymptoticSequence({ n, mean, deviation: Math.sqrt(mean * (1 - mean)) }, { rho2 })
    }
    return {
      waldPeek20: atLook(wald),
      wilsonPeek20: atLook((successes, n) => wilson(successes, n)),
      wilsonAtEnd: leavesOut(wilson(count, end), p),
      pocock20: atLook(known({ z: pocock })),
      empiricalBernsteinEveryStep: computeBernsteinSequence(values).some(interval => leavesOut(interval, p)),
      bettingEveryStep: testMeanByBetting(values, p).p <= 0.05,
      asymptoticCsFrom50: sums.some((sum, at) => at + 1 >= firstAsymptotic && leavesOut(asymptotic(sum, at + 1), p)),
    }
  }
}

/** Simulations by kind: the first part of a row's id. */
const kinds: Readonly<Record<string, BeginSimulation>> = {
  'type1-normal': rejectNormal,
  'power-at-unclustered-n': rejectNormal,
  'type1-binary': rejectBinary,
  'type1-binary-unequal': rejectBinary,
  'coverage-mean': coverMean,
  'tost-size': findEquivalence,
  family: rejectAny,
  'ppi-coverage': coverByJudge,
  peeking: leaveOutAtAnyLook,
}
