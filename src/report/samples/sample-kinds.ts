import type { Aggregate } from '../../../cache/records.js'
import type { Sample } from '../../../cache/store.js'
import { isUnjudged } from './unjudged-docs.js'

/** The kinds of docs that `report --samples` shows. */
export const sampleKinds = ['wrong', 'unparsed', 'failed', 'empty', 'all'] as const
export type SampleKind = (typeof sampleKinds)[number]

/** Metrics for which lower is better, by `metric` or `metric,filter`. */
export const lowerIsBetter = (aggregates: readonly Aggregate[]): ReadonlySet<string> =>
  new Set(
    aggregates
      .filter(({ higherIsBetter }) => !higherIsBetter)
      .flatMap(({ metric, filter }) => [`${metric},${filter}`, ...(filter === 'none' ? [metric] : [])]),
  )

/** Tells whether a doc is of the kind. `wrong` means scored, parsed, and below 1 by its first metric. */
export function isOfKind(sample: Sample, kind: SampleKind, lower: ReadonlySet<string>): boolean {
  switch (kind) {
    case 'all':
      return true
    case 'failed':
      return sample.items.some(item => item.failure !== undefined) || isUnjudged(sample.score)
    case 'unparsed':
      return sample.score?.outcome === 'unparsed'
    case 'empty':
      return isEmpty(sample)
    case 'wrong':
      return isWrong(sample, lower)
  }
}

const isEmpty = ({ score, items }: Sample): boolean =>
  score?.empty ??
  items.some(({ request, response }) => request?.input.continuation === undefined && response?.body.text.trim() === '')

function isWrong({ score }: Sample, lower: ReadonlySet<string>): boolean {
  if (score?.outcome !== 'scored') return false
  const [metric, value] = Object.entries(score.values)[0] ?? []
  if (metric === undefined || typeof value !== 'number') return false
  return lower.has(metric) ? value > 0 : value < 1
}
