/** Intervals of rates of classes, such as macro F1. */
import {
  describeTooFewClusters,
  withoutInterval,
  type Clusters,
  type Summary,
} from '../../define/define-aggregation.js'
import { clusteredMean } from '../../statistics/clusters/clustered-mean.js'
import { numberClusters } from '../../statistics/clusters/number-clusters.js'
import { tQuantile } from '../../statistics/distributions/student-t.js'
import { hasTooFewClusters } from '../../statistics/intervals/bounded-interval.js'
import { wilson, z95 } from '../../statistics/intervals/proportions.js'
import { pythonText } from '../../../../base/python/python-text.js'
import type { Label } from './confusion.js'
import type { Average, RateName } from './f-scores.js'

/** A doc's target and answer. An answer of null is unparsed. */
export type Pair = readonly [gold: Label, answer: Label | null]

interface RateOfClasses {
  readonly rate: RateName
  readonly average: Average
  /** The factor by which recall counts more than precision. */
  readonly beta: number
  /** The classes that are averaged: one if `average` is `binary`. @default the classes that occur */
  readonly labels?: readonly Label[] | undefined
}

/** The fewest docs of a rate that has an interval, and of each of its classes if they count alike. */
const [fewestDocs, fewestOfClass] = [5, 3]

/** The docs that each class gets beside its own: so many that are right, answered with another class, and of another class. */
const prior = 0.5

/**
 * Adds the standard error and the interval to a rate in [0, 1]: Wilson's on the effective number of docs, which is the variance of a share over
 * that of the rate. That variance is the delta method's, from counts to which each class adds half a doc of each kind, so that a class without a
 * mistake has a variance, too. In clusters, the number is divided by the design effect of the docs' influences.
 *
 * Sources: Takahashi, Yamamoto, Kuchiba and Koyama, "Confidence interval for micro-averaged F1 and macro-averaged F1 scores", Applied
 * Intelligence 52 (2022), for the variance; Korn and Graubard (1998) for the effective number; Agresti and Coull (1998) for added docs.
 */
export function addRateInterval(
  summary: Summary,
  pairs: readonly Pair[],
  { clusters, ...options }: RateOfClasses & { readonly clusters?: Clusters | undefined },
): Summary {
  const { value } = summary
  const n = pairs.length
  if (value === null || n < fewestDocs) return summary
  const docs = pairs.map(([gold, answer]) => ({
    gold: formatName(gold),
    answer: answer === null ? null : formatName(answer),
  }))
  const occurring = new Set(docs.flatMap(({ gold, answer }) => (answer === null ? [gold] : [gold, answer])))
  const names = options.labels?.map(label => (occurring.has(formatName(label)) ? formatName(label) : pythonText(label)))
  const rare = findRare(docs, names, options.average)
  if (rare !== undefined) return { ...summary, note: `${withoutInterval}: ${rare}` }
  const spread = measureSpread(docs, { ...options, names: names ?? [...occurring], prior })
  const design = clusters === undefined ? undefined : findDesign(spread.influences, clusters)
  if (design === 'too few') return { ...summary, note: describeTooFewClusters(numberClusters(clusters ?? []).count) }
  const { classes, golds } = spread
  const widening = (tQuantile(0.975, Math.max(1, golds / classes - 1)) / z95) ** 2
  const size = (spread.value * (1 - spread.value)) / spread.variance / (design?.effect ?? 1) / widening
  const plain = measureSpread(docs, { ...options, names: names ?? [...occurring], prior: 0 })
  return {
    ...summary,
    stderr: Math.sqrt(plain.variance * (design?.ratio ?? 1)),
    interval: wilson(value * size, size),
    intervalMethod: clusters === undefined ? 'wilson' : 'clustered_wilson',
  }
}

interface NamedDoc {
  readonly gold: string
  readonly answer: string | null
}

const formatName = (label: Label): string => String(typeof label === 'boolean' ? Number(label) : label)

/** Describes a class with too few docs. Where classes count alike, it decides the rate, and a few docs do not tell its own. */
function findRare(
  docs: readonly NamedDoc[],
  names: readonly string[] | undefined,
  average: Average,
): string | undefined {
  const golds = new Map<string, number>((names ?? []).map(name => [name, 0]))
  for (const { gold } of docs) if (names === undefined || golds.has(gold)) golds.set(gold, (golds.get(gold) ?? 0) + 1)
  const total = [...golds.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return 'no doc has one of the classes as target'
  if (average === 'micro' || average === 'weighted') return undefined
  const rare = [...golds].find(([, count]) => count < fewestOfClass)
  return rare && `the class ${rare[0]} is the target of ${rare[1]} docs, and it takes at least ${fewestOfClass}`
}

/** The widening of an interval by clusters: `ratio` is that of the variances, and `effect` also allows for few clusters. */
interface Design {
  readonly ratio: number
  readonly effect: number
}

function findDesign(influences: Float64Array, clusters: Clusters): Design | 'too few' {
  const mean = clusteredMean(influences, clusters)
  if ('none' in mean || hasTooFewClusters(mean.df)) return 'too few'
  const n = influences.length
  const { plainStderr, cr2, df, parts } = mean
  if (plainStderr < 1e-12) return { ratio: 1, effect: n / parts }
  const ratio = (cr2 / plainStderr) ** 2
  const fewer = (tQuantile(0.975, df) / tQuantile(0.975, n - 1)) ** 2
  return { ratio, effect: Math.max(1, ratio * fewer) }
}

interface Spread {
  /** The rate of the counts with the added docs. */
  readonly value: number
  /** The variance of the rate. */
  readonly variance: number
  /** The number of classes, and of docs that have one of them. */
  readonly classes: number
  readonly golds: number
  /** The change of the rate by each doc. */
  readonly influences: Float64Array
}

interface Counts {
  right: number
  gold: number
  predicted: number
}

/** Measures how a rate varies with its docs, by the derivatives for the counts of each class. */
function measureSpread(
  docs: readonly NamedDoc[],
  {
    names,
    average,
    rate,
    beta,
    prior: added,
  }: Omit<RateOfClasses, 'labels'> & { readonly names: readonly string[]; readonly prior: number },
): Spread {
  const isPooled = average === 'micro'
  const counts = new Map<string, Counts>()
  const known = new Set(names)
  const findKey = (name: string): string | undefined => (known.has(name) ? (isPooled ? '' : name) : undefined)
  const openCounts = (key: string): Counts => {
    const found = counts.get(key) ?? { right: 0, gold: 0, predicted: 0 }
    counts.set(key, found)
    return found
  }
  for (const { gold, answer } of docs) {
    const [goldKey, answerKey] = [findKey(gold), answer === null ? undefined : findKey(answer)]
    if (goldKey !== undefined) openCounts(goldKey).gold += 1
    if (answerKey !== undefined) openCounts(answerKey).predicted += 1
    if (goldKey !== undefined && gold === answer) openCounts(goldKey).right += 1
  }
  const smoothed = [...counts.values()].filter(({ gold }) => gold > 0)
  for (const one of smoothed) {
    one.right += added
    one.gold += 2 * added
    one.predicted += 2 * added
  }
  const golds = [...counts.values()].reduce((sum, { gold }) => sum + gold, 0)
  const classes = new Map(
    [...counts].map(([key, one]) => [
      key,
      { ...derive(one, rate, beta), weight: average === 'weighted' ? one.gold / golds : 1 / counts.size },
    ]),
  )
  const value = [...classes.values()].reduce((sum, one) => sum + one.weight * one.value, 0)
  const influence = (gold: string | undefined, answer: string | undefined, isRight: boolean): number => {
    const [goldClass, answerClass] = [gold, answer].map(key => (key === undefined ? undefined : classes.get(key)))
    let sum = 0
    if (goldClass !== undefined) {
      sum += goldClass.weight * (goldClass.gold + (isRight ? goldClass.right : 0))
      if (average === 'weighted') sum += (goldClass.value - value) / golds
    }
    if (answerClass !== undefined) sum += answerClass.weight * answerClass.predicted
    return sum
  }
  const influences = Float64Array.from(docs, ({ gold, answer }) =>
    influence(findKey(gold), answer === null ? undefined : findKey(answer), gold === answer),
  )
  /** Sums the squares of the influences of one doc of each class that is right, and of one that is answered with any other class. */
  const measureAdded = (keys: readonly string[]): number => {
    const missed = keys.map(key => influence(key, undefined, false))
    const claimed = keys.map(key => influence(undefined, key, false))
    const [all, squares] = [addUp(claimed), addUp(claimed.map(one => one * one))]
    return addUp(
      keys.map((key, at) => {
        const [miss = 0, claim = 0] = [missed[at], claimed[at]]
        const right = influence(key, key, true) ** 2
        // The other class of a single one is not averaged, unless it stands for all classes.
        if (keys.length === 1) return right + (isPooled ? (miss + claim) ** 2 : miss ** 2 + claim ** 2)
        const others = keys.length - 1
        return right + miss ** 2 + (2 * miss * (all - claim) + squares - claim ** 2) / others
      }),
    )
  }
  let variance = influences.reduce((sum, one) => sum + one * one, 0)
  if (added > 0) variance += added * measureAdded([...counts].filter(([, { gold }]) => gold > 0).map(([key]) => key))
  return { value, variance: (variance * docs.length) / (docs.length - 1), classes: counts.size, golds, influences }
}

const addUp = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

interface Derived {
  readonly value: number
  /** The derivatives for the number of docs that are right, that have the class and that are answered with it. */
  readonly right: number
  readonly gold: number
  readonly predicted: number
}

function derive({ right, gold, predicted }: Counts, rate: RateName, beta: number): Derived {
  const square = beta ** 2
  const isRecall = rate === 'recall' || (rate === 'f' && square === Infinity)
  const [scale, ofGold, ofPredicted, ofRight] = isRecall
    ? [1, 1, 0, 0]
    : rate === 'precision'
      ? [1, 0, 1, 0]
      : rate === 'f'
        ? [1 + square, square, 1, 0]
        : [1, 1, 1, -1]
  const whole = ofGold * gold + ofPredicted * predicted + ofRight * right
  if (whole === 0) return { value: 0, right: 0, gold: 0, predicted: 0 }
  const value = (scale * right) / whole
  return {
    value,
    right: (scale - value * ofRight) / whole,
    gold: (-value * ofGold) / whole,
    predicted: (-value * ofPredicted) / whole,
  }
}
