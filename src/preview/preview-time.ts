import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import type { RunSpec, Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { runStats } from '../reading/runs/run-stats.js'

/** The pending requests of a task, and the duration of a request if stored answers show it. */
export interface LeftToAsk {
  readonly toAsk: number
  readonly requestMs?: number
}

/**
 * Estimates the milliseconds for all pending requests. It uses the rate of the run so far, or of the last run of the same model on the same tasks; else the
 * allowed concurrency with the durations of stored answers to these tasks. Undefined if there are none.
 */
export async function expectedTime(
  tasks: readonly LeftToAsk[],
  { store, asked, concurrency }: { readonly store: Store; readonly asked: RunSpec; readonly concurrency: unknown },
): Promise<number | undefined> {
  const open = tasks.filter(({ toAsk }) => toAsk > 0)
  const openRequests = open.reduce((sum, { toAsk }) => sum + toAsk, 0)
  if (openRequests === 0) return 0
  const perSecond = await knownRate(store, asked)
  if (perSecond !== undefined) return (openRequests * 1000) / perSecond
  const durations = open.flatMap(({ toAsk, requestMs }) => (requestMs === undefined ? [] : [toAsk * requestMs]))
  if (durations.length < open.length || typeof concurrency !== 'number') return undefined
  return durations.reduce((sum, ms) => sum + ms, 0) / concurrency
}

async function knownRate(store: Store, spec: RunSpec): Promise<number | undefined> {
  const alike = (await store.runs.list()).filter(run => isAlike(run, spec))
  for (const run of alike.reverse()) {
    const { answers, rates } = await runStats(store, run)
    if (answers.asked > answers.batch && rates.requests > 0) return rates.requests
  }
  return undefined
}

const isAlike = ({ asked }: Run, other: RunSpec): boolean =>
  asked.judge === undefined &&
  canonicalJson(asked.model as object as Json) === canonicalJson(other.model as object as Json) &&
  asked.tasks.some(({ name }) => other.tasks.some(task => task.name === name))
