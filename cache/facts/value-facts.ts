/** Facts about one value of a doc's score. Other values of the same score may have another state. */
import type { ScoreBody } from '../records.js'

type ScoreState = Pick<ScoreBody, 'outcome'> & Partial<Pick<ScoreBody, 'failed' | 'unparsed'>>

/** Returns whether a value of a doc could not be computed. */
export const isUnscored = ({ outcome }: Pick<ScoreBody, 'outcome'>): boolean =>
  outcome === 'judge_failed' || outcome === 'error'

/**
 * Returns whether a value could not be computed, so that it lowers the coverage of its metric. False if it was, or if its
 * metric does not apply to the doc.
 */
export const hasFailed = (score: ScoreState, name: string): boolean =>
  isUnscored(score) && (score.failed === undefined || Object.hasOwn(score.failed, name))

/** Returns whether a value is what the benchmark counts for an answer that could not be read. */
export const isUnparsed = ({ outcome, unparsed }: ScoreState, name: string): boolean =>
  unparsed?.includes(name) ?? outcome === 'unparsed'
