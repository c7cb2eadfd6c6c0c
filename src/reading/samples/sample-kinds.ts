import type { KindFacts, KindTest } from '../../../cache/store.js'

/**
 * The kinds of samples that every list, filter and file knows. `flipped`, `improved` and `worsened` are against another run.
 * The browser shares this file, so it imports only types.
 */
export const sampleKinds = [
  'all',
  'wrong',
  'right',
  'unparsed',
  'failed',
  'empty',
  'cut',
  'disputed',
  'labelled',
  'unlabelled',
  'flipped',
  'improved',
  'worsened',
] as const
export type SampleKind = (typeof sampleKinds)[number]

/** The kinds that compare with another run. */
export const comparedKinds: ReadonlySet<SampleKind> = new Set(['flipped', 'improved', 'worsened'])

const kinds: Readonly<Record<SampleKind, (facts: KindFacts) => boolean>> = {
  all: () => true,
  // Scored and parsed, and not at the best value of the first metric.
  wrong: ({ outcome, isRight }) => outcome === 'scored' && isRight === false,
  right: ({ outcome, isRight }) => outcome === 'scored' && isRight === true,
  unparsed: ({ outcome }) => outcome === 'unparsed',
  failed: ({ outcome }) => outcome === 'failed' || outcome === 'judge_failed' || outcome === 'error',
  empty: ({ isEmpty }) => isEmpty,
  cut: ({ isCut }) => isCut,
  // The judges of a panel gave different values.
  disputed: ({ isDisputed }) => isDisputed,
  labelled: ({ isLabelled }) => isLabelled,
  unlabelled: ({ isLabelled }) => !isLabelled,
  flipped: ({ change }) => change === 1 || change === -1,
  improved: ({ change }) => change === 1,
  worsened: ({ change }) => change === -1,
}

/** The test of a kind, for the index of samples. */
export const kindTest = (kind: SampleKind): KindTest => ({ name: kind, passes: kinds[kind] })

/** Returns how much better a first metric is than in the other run. Null if one of them has no number. */
export function computeDifference(
  value: number | null,
  other: number | null | undefined,
  isLowerBetter: boolean,
): number | null {
  if (value === null || other === null || other === undefined) return null
  return isLowerBetter ? other - value : value - other
}

/** The direction of {@link computeDifference}. */
export function computeChange(...values: Parameters<typeof computeDifference>): KindFacts['change'] {
  const difference = computeDifference(...values)
  if (difference === null) return null
  return difference > 0 ? 1 : difference < 0 ? -1 : 0
}
