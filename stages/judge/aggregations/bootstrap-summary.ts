import { createHash } from 'node:crypto'
import type { BootstrapMethod, IntervalMethod } from '../../../cache/records.js'
import { createSeededRandom } from '../../../base/values/seeded-random.js'
import {
  describeTooFewClusters,
  withoutInterval,
  type Clusters,
  type Resampling,
  type Summary,
} from '../define/define-aggregation.js'
import { numberClusters } from '../statistics/clusters/number-clusters.js'
import { normalCdf } from '../statistics/distributions/normal.js'
import { tQuantile } from '../statistics/distributions/student-t.js'
import { bootstrapUnits } from '../statistics/resampling/bootstrap-interval.js'
import { prepareTerms } from '../statistics/resampling/doc-terms.js'
import { prepareCounted, type UnitStatistic, type Units } from '../statistics/resampling/units.js'

/** The minimum number of docs or clusters. Fewer show too little of the spread. */
const fewestUnits = 5

/** The most units that are drawn. More docs or clusters are drawn in this many random blocks of equal size. */
const mostUnits = 4_096

const [mostResamples, fewestResamples] = [2_000, 500]

/** The most steps of all resamples together, and of all leave-out values together. */
const [mostSteps, mostLeaveOutSteps] = [4e8, 1e8]

/**
 * Adds the standard error and the interval of the seeded bootstrap (BCa) to the number of an aggregation. Small samples
 * get wider quantiles, as Student's t does. Nothing is added to fewer than five docs, and a note says why if there is
 * no interval for more.
 *
 * Sources: Efron, "Better Bootstrap Confidence Intervals", JASA 82 (1987); Hesterberg, "What Teachers Should Know About
 * the Bootstrap", The American Statistician 69 (2015), section 4.5, for the quantiles; Davison and Hinkley, "Bootstrap
 * Methods and their Application" (1997), section 3.8, for clusters.
 *
 * @param seed a text from which the draws follow
 */
export function addBootstrap(
  summary: Summary,
  resampling: Resampling,
  { clusters, seed }: { readonly clusters?: Clusters | undefined; readonly seed: string },
): Summary {
  const { cost = 0, isFixed = false, unfit } = resampling
  if (unfit !== undefined) return refuse(summary, unfit)
  // Without sums, each doc is counted.
  const { docs, cells } = 'terms' in resampling ? resampling.terms : { docs: resampling.docs, cells: resampling.docs }
  const allUnits = clusters === undefined ? listDocs(docs) : numberClusters(clusters)
  const size = countEffectiveUnits(allUnits)
  if (size < fewestUnits - 1e-9)
    return clusters === undefined ? summary : refuse(summary, describeTooFewClusters(allUnits.count))
  const units = gatherBlocks(allUnits)
  const steps = Math.max(cells, Math.min(docs, units.count * cells)) + cost
  const resamples = Math.round(Math.min(mostResamples, Math.max(fewestResamples, mostSteps / steps)))
  const bootstrap = bootstrapUnits(prepareResampling(resampling, units), {
    resamples,
    seed: hashSeed(seed),
    level: widenLevel(size),
    groups: Math.min(units.count, Math.max(100, Math.floor(mostLeaveOutSteps / (cells + cost)))),
  })
  const value = summary.value ?? Number.NaN
  if ('none' in bootstrap)
    return refuse(summary, bootstrap.none.replace('no unit', clusters === undefined ? 'no doc' : 'no cluster'))
  const [low, high] = bootstrap.interval
  if (!(low <= value && value <= high)) return refuse(summary, 'nearly all resamples are on one side of the value')
  const method: BootstrapMethod = `${allUnits.count > mostUnits ? 'block_' : ''}bca${isFixed ? '_fixed' : ''}`
  const intervalMethod: IntervalMethod = clusters === undefined ? method : `clustered_${method}`
  const notes = [summary.note, resamples < mostResamples ? `its interval is from ${resamples} resamples` : undefined]
  const note = notes.filter(text => text !== undefined).join('; ')
  return {
    ...summary,
    stderr: bootstrap.stderr,
    interval: bootstrap.interval,
    intervalMethod,
    ...(note !== '' && { note }),
  }
}

const refuse = (summary: Summary, why: string): Summary => ({
  ...summary,
  note: [`${withoutInterval}: ${why.replace(/^without an interval: /, '')}`, summary.note].filter(Boolean).join('; '),
})

const listDocs = (count: number): Units => ({ count, index: Int32Array.from({ length: count }, (_, at) => at) })

/** The number of units of equal size that would tell as much. Source: Kish, "Survey Sampling", 1965. */
function countEffectiveUnits({ count, index }: Units): number {
  const sizes = new Float64Array(count)
  for (let at = 0; at < index.length; at++) sizes[index[at] ?? 0] = (sizes[index[at] ?? 0] ?? 0) + 1
  return index.length ** 2 / sizes.reduce((sum, size) => sum + size * size, 0)
}

/**
 * Puts more than {@link mostUnits} units into that many random blocks of equal size. Sums of random blocks spread as
 * sums of units do, so that an interval keeps its width. Source: Wolter, "Introduction to Variance Estimation" (2007),
 * chapter 2, random groups.
 */
function gatherBlocks({ count, index }: Units): Units {
  if (count <= mostUnits) return { count, index }
  const block = Uint32Array.from({ length: count }, (_, at) => at % mostUnits)
  const next = createSeededRandom(0)
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor((next() * (at + 1)) / 2 ** 32)
    const swapped = block[at] ?? 0
    block[at] = block[other] ?? 0
    block[other] = swapped
  }
  return { count: mostUnits, index: Uint32Array.from(index, unit => block[unit] ?? 0) }
}

const prepareResampling = (resampling: Resampling, units: Units): UnitStatistic =>
  'terms' in resampling
    ? prepareTerms(resampling.terms, units, resampling.combine)
    : prepareCounted(units.count, resampling.prepareCounts(units))

/** The level whose normal quantiles are those of t for a mean of `size` units, whose spread the bootstrap makes too small. */
const widenLevel = (size: number): number =>
  1 - 2 * normalCdf(-Math.sqrt(size / (size - 1)) * tQuantile(0.975, size - 1))

const hashSeed = (text: string): number => createHash('sha256').update(text).digest().readUInt32LE(0)
