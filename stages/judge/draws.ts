/** Finds docs of a task that share an answer: its requests were equal, and the model drew one answer for them. */
import type { DisjointSets } from '../../base/collections/disjoint-sets.js'
import { growingColumn } from '../../base/collections/growing-column.js'
import { withoutInterval, type Summary } from './define/define-aggregation.js'

/** The effect of docs that share answers on a mean: fewer observations than docs. */
export interface SharedDraws {
  /** The number of different answers behind the docs. */
  readonly count: number
  /** The cluster of each doc, in the order of the docs. Docs with the same answer have the same cluster. */
  readonly clusters: readonly string[]
}

/** Collects the answers of docs, as the store numbers them. It keeps eight bytes for each doc. */
export interface Draws {
  /** @param draw undefined if the doc's answer is unknown. It then counts as a separate draw */
  add(draw: number | undefined): void
  /** Returns undefined if no two docs share an answer. */
  shared(): SharedDraws | undefined
}

/** @param joined sets of numbers of the same draw. They may grow until `shared` is called */
export function collectDraws(joined?: DisjointSets<number>): Draws {
  const column = growingColumn()
  return {
    add: draw => column.push(draw ?? NaN),
    shared() {
      const values = column.values()
      const draws = joined === undefined || joined.isEmpty ? values : values.map(draw => joined.find(draw))
      // In most runs, answers are in the order of the docs already.
      const count = countDiffering(isAscending(draws) ? draws : draws.toSorted())
      if (count === draws.length) return undefined
      return { count, clusters: Array.from(draws, (draw, at) => (Number.isNaN(draw) ? `doc ${at}` : String(draw))) }
    },
  }
}

/** The number of a medium: 52 bits of its digest, below 0 so that it is no answer's. */
export const numberMedium = (digest: string): number => -1 - Number.parseInt(digest.slice(-13), 16)

const isAscending = (draws: Float64Array): boolean =>
  draws.every((draw, at) => at === 0 || draw >= (draws[at - 1] ?? 0))

/** Counts the different numbers of a sorted list. Each NaN differs from all others. */
const countDiffering = (sorted: Float64Array): number =>
  sorted.reduce((count, draw, at) => (at > 0 && draw === sorted[at - 1] ? count : count + 1), 0)

/**
 * Adds the number of draws to a summary of `docs` docs. An interval that takes docs as independent would count one
 * draw several times, so it is left out with its standard error.
 */
export function summaryOfDraws(
  summary: Summary,
  docs: number,
  { count: draws }: SharedDraws,
): Summary & { draws: number } {
  const note = `of ${docs} docs, ${draws} ${draws === 1 ? 'draw' : 'draws'}: docs that share an answer are not independent`
  const isRight = summary.intervalMethod.startsWith('clustered') || summary.note?.startsWith(withoutInterval) === true
  const hasError = summary.stderr !== null || summary.interval !== null
  if (isRight || !hasError)
    return { ...summary, draws, note: summary.note === undefined ? note : `${summary.note}; ${note}` }
  return { ...withoutError(summary), draws, note: `${noneForClusters}; ${note}` }
}

/** Adds the number of media to a summary of docs that share them, and leaves out an interval that takes docs as independent. */
export function summaryOfMedia<S extends Summary>(summary: S, { count: media }: SharedDraws): S & { media: number } {
  const isRight = summary.intervalMethod.startsWith('clustered')
  if (isRight || (summary.stderr === null && summary.interval === null)) return { ...summary, media }
  if (summary.note?.startsWith(withoutInterval) === true) return { ...summary, media }
  return { ...withoutError(summary), media, note: noneForClusters }
}

const noneForClusters = `${withoutInterval}: this aggregation has none for docs in clusters`

const withoutError = <S extends Summary>(summary: S): S => ({
  ...summary,
  ...{ stderr: null, interval: null, intervalMethod: 'none' },
})
