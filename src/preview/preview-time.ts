import { canonicalJson, type Json } from '../../base/canonical-json.js'
import type { RunSpec, Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { runStats } from '../report/throughput/run-stats.js'

/** What is left of a task, and how long one of its requests takes where stored answers tell. */
export interface LeftToAsk {
  readonly toAsk: number
  readonly requestMs?: number
}

/**
 * Milliseconds for all that is left: as fast as the run was so far, or the last one of the same model that asked the same tasks; else as
 * many at once as are allowed, each as long as stored answers to the same tasks took. Undefined where nothing tells.
 */
export async function expectedTime(
  tasks: readonly LeftToAsk[],
  { store, asked, concurrency }: { readonly store: Store; readonly asked: RunSpec; readonly concurrency: unknown },
): Promise<number | undefined> {
  const open = tasks.filter(({ toAsk }) => toAsk > 0)
  const left = open.reduce((sum, { toAsk }) => sum + toAsk, 0)
  if (left === 0) return 0
  const perSecond = await knownRate(store, asked)
  if (perSecond !== undefined) return (left * 1000) / perSecond
  const known = open.flatMap(({ toAsk, requestMs }) => (requestMs === undefined ? [] : [toAsk * requestMs]))
  if (known.length < open.length || typeof concurrency !== 'number') return undefined
  return known.reduce((sum, ms) => sum + ms, 0) / concurrency
}

async function knownRate(store: Store, asked: RunSpec): Promise<number | undefined> {
  const alike = (await store.runs.list()).filter(run => isAlike(run, asked))
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
