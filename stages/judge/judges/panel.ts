/** Combines several verdicts of one doc to one: the votes of a judge, or the judges of a panel. */
import type { Json } from '../../../base/values/canonical-json.js'
import { countItems } from '../../../base/collections/counts.js'
import { isList, isObject } from '../../../base/values/canonical-json.js'
import { judgeFailed, scored, unparsed, type ValuePool, type Verdict } from '../define/define-metric.js'
import type { PanelJudge } from '../define/judge-model.js'

/** The rule that merges several values. Values that tie for the majority are averaged. */
export type Combination = 'majority' | 'mean'

/**
 * Merges the votes of one judge to one verdict, which records several votes. A failed vote fails the verdict, because fewer votes would be another
 * metric.
 */
export function combineVotes(votes: readonly Verdict[], combine: Combination): Verdict {
  const [first] = votes
  if (first === undefined) throw new Error('internal error: no votes')
  if (votes.length === 1) return first
  const failed = votes.filter(vote => vote.type === 'judge_failed')
  if (failed[0] !== undefined)
    return judgeFailed(`${failed.length} of ${votes.length} votes failed: ${failed[0].reason}`)
  return combineVerdicts(votes, combine, listed => ({ votes: listed }))
}

/**
 * Asks each judge of a panel, and combines their verdicts to one, which records each. A judge that failed fails the
 * verdict: a smaller panel would be another metric.
 *
 * @throws Error if a judge's value is not a number, and `combine` reads none of it
 */
export async function askPanel(
  judges: readonly PanelJudge[],
  grade: (judge: PanelJudge) => Promise<Verdict>,
  combine: Combination | ValuePool,
): Promise<Verdict> {
  const verdicts = await Promise.all(judges.map(grade))
  const failed = verdicts.flatMap((verdict, i) =>
    verdict.type === 'judge_failed' ? [`${judges[i]?.name ?? ''}: ${verdict.reason}`] : [],
  )
  if (failed.length > 0)
    return judgeFailed(`${failed.length} of the ${judges.length} judges of the panel failed: ${failed.join('; ')}`)
  // A metric that does not apply to the doc abstains for every judge.
  if (verdicts.every(verdict => verdict.type === 'scored' && verdict.value === null)) return scored(null)
  return combineVerdicts(verdicts, combine, listed => ({
    judges: listed.map((verdict, i) => ({ judge: judges[i]?.name ?? '', ...verdict })),
  }))
}

/** The values of a panel's judges in a metric's details, in the order of the judges; undefined if a panel left none. */
export function readPanelValues(details: Json | undefined): readonly number[] | undefined {
  if (!isObject(details) || !isList(details['judges'])) return undefined
  return details['judges'].flatMap(entry =>
    isObject(entry) && typeof entry['value'] === 'number' ? [entry['value']] : [],
  )
}

/** Tells whether details come from a panel with different values. */
export function isDisputedBy(details: Json): boolean {
  const values = readPanelValues(details)
  return values?.some(value => value !== values[0]) === true
}

type Listed = { readonly value: Json; readonly details?: Json }

function combineVerdicts(
  verdicts: readonly Verdict[],
  combine: Combination | ValuePool,
  describe: (listed: readonly Listed[]) => Readonly<Record<string, Json>>,
): Verdict {
  const read = verdicts.flatMap(verdict => (verdict.type === 'judge_failed' ? [] : [verdict]))
  const isPool = typeof combine === 'object'
  const values = read.map(({ value }) => (isPool ? combine.readNumber(value) : readNumber(value)))
  const value = isPool
    ? combine.combine(read.map(verdict => verdict.value))
    : combine === 'mean'
      ? readMean(values)
      : findMajority(values)
  const most = Math.max(...countItems(values).values())
  const listed = read.map(({ details }, i): Listed => ({
    value: values[i] ?? null,
    ...(details !== undefined && { details }),
  }))
  const details: Json = { ...describe(listed), agreement: most / values.length }
  const unread = verdicts.find(verdict => verdict.type === 'unparsed')
  return unread?.type === 'unparsed' ? unparsed(unread.reason, value, details) : scored(value, details)
}

function readNumber(value: Json): number {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value)
  throw new Error(`several verdicts are combined as numbers, and one is ${JSON.stringify(value)}`)
}

const readMean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The most frequent value. Values that are tied are averaged. */
function findMajority(values: readonly number[]): number {
  const counts = countItems(values)
  const most = Math.max(...counts.values())
  return readMean([...counts].flatMap(([value, count]) => (count === most ? [value] : [])))
}
