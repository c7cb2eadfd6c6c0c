import type { Json } from '../../../base/values/canonical-json.js'
import { countItems } from '../../../base/collections/counts.js'
import { judgeFailed, scored, unparsed, type Verdict } from '../define/define-metric.js'
import type { GradedArgs } from './graded-args.js'

/**
 * Combines the votes of a panel to one verdict, which records them if there are several. A vote that failed fails the
 * verdict: a panel of fewer votes would be another metric.
 */
export function combineVotes(votes: readonly Verdict[], combine: GradedArgs['combine']): Verdict {
  const [first] = votes
  if (first === undefined) throw new Error('internal error: a panel without votes')
  if (votes.length === 1) return first
  const failed = votes.filter(vote => vote.type === 'judge_failed')
  if (failed[0] !== undefined)
    return judgeFailed(`${failed.length} of ${votes.length} votes failed: ${failed[0].reason}`)
  const values = votes.flatMap(vote => (vote.type === 'judge_failed' ? [] : [Number(vote.value)]))
  const value = combine === 'mean' ? readMean(values) : findMajority(values)
  const most = Math.max(...countItems(values).values())
  const details: Json = {
    votes: votes.map(vote =>
      vote.type !== 'judge_failed' && vote.details !== undefined
        ? { value: vote.value, details: vote.details }
        : { value: vote.type === 'judge_failed' ? null : vote.value },
    ),
    agreement: most / values.length,
  }
  const unread = votes.find(vote => vote.type === 'unparsed')
  return unread?.type === 'unparsed' ? unparsed(unread.reason, value, details) : scored(value, details)
}

const readMean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The most frequent value. Values that are tied are averaged. */
function findMajority(values: readonly number[]): number {
  const counts = countItems(values)
  const most = Math.max(...counts.values())
  return readMean([...counts].flatMap(([value, count]) => (count === most ? [value] : [])))
}
