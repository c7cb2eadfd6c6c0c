/** Statistics of docs that can be computed again and again for resampled docs. */
import { collectTerms, prepareTerms } from './doc-terms.js'
import type { UnitStatistic, Units } from './units.js'

/**
 * A statistic that is a function of sums over the docs, such as a mean (the sum over the count), a word error rate, F1 or
 * a perplexity. Resamples of it need no lists of docs.
 */
export interface SumStatistic<Doc> {
  /** The numbers to sum over the docs. */
  readonly terms: readonly ((doc: Doc) => number)[]
  readonly combine: (sums: Float64Array) => number
}

/**
 * Any statistic of docs. The list is valid during the call only, because its memory is used for the next resample. A
 * statistic of sums is much faster.
 */
export type Statistic<Doc> = SumStatistic<Doc> | ((docs: readonly Doc[]) => number)

/** Prepares a statistic for resampling. */
export const prepareStatistic = <Doc>(
  docs: ArrayLike<Doc>,
  statistic: Statistic<Doc>,
  clusters: Units = { count: docs.length, index: Int32Array.from({ length: docs.length }, (_, at) => at) },
): UnitStatistic =>
  typeof statistic === 'function' ? prepareFunction(docs, statistic, clusters) : prepareSums(docs, statistic, clusters)

function prepareSums<Doc>(docs: ArrayLike<Doc>, { terms, combine }: SumStatistic<Doc>, clusters: Units): UnitStatistic {
  const collected = collectTerms()
  for (let at = 0; at < docs.length; at++) collected.add(terms.map(term => term(docs[at] as Doc)))
  return prepareTerms(collected, clusters, combine)
}

function prepareFunction<Doc>(
  docs: ArrayLike<Doc>,
  compute: (docs: readonly Doc[]) => number,
  { count, index }: Units,
): UnitStatistic {
  const members = Array.from({ length: count }, (): Doc[] => [])
  for (let at = 0; at < docs.length; at++) members[index[at] ?? 0]?.push(docs[at] as Doc)
  const list: Doc[] = []
  const computeFor = (units: Iterable<number>): number => {
    let size = 0
    for (const unit of units) for (const doc of members[unit] ?? []) list[size++] = doc
    list.length = size
    return compute(list)
  }
  return {
    units: count,
    estimate: computeFor(members.keys()),
    computeForUnits: drawn => computeFor(Array.from(drawn)),
    computeWithout: (group, groups) => computeFor([...members.keys()].filter(unit => unit % groups !== group)),
  }
}
