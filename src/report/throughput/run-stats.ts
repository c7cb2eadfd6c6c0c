import { canonicalJson, type Json } from '../../../base/canonical-json.js'
import { without } from '../../../base/without.js'
import type { Failure, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { costOf, type Price } from '../../../stages/model/budget/price.js'
import { statsCollector } from '../../../stages/model/stats/stats-collector.js'
import type { RunStats, TaskStats } from '../../../stages/model/stats/run-stats.js'
import type { ModelPrice } from '../../cost/model-price.js'

/** Grows when figures are computed otherwise, so that those of an older program are computed again. */
const format = 2

interface Remembered {
  /** What they were computed from: others are needed when it is not the same. */
  readonly from: string
  /** By which tables of prices the cost was. */
  readonly prices: string
  readonly figures: RunStats
}

/**
 * What a run measured of its model: as it is remembered, where no answer came since, else read from what is kept beside
 * each of its answers, some microseconds a request. What is read is remembered where the store can be written.
 *
 * @param price where the cost is wanted, too
 */
export async function runStats(store: Store, run: Run, price?: ModelPrice): Promise<RunStats> {
  const { answered } = await store.runs.counts(run)
  const from = canonicalJson({ format, answered, createdAt: run.createdAt })
  const known = (await store.values.get(nameOf(run))) as Remembered | undefined
  if (known?.from === from && (price === undefined || known.prices === price.tables)) return known.figures
  const figures = await readStats(store, run, await price?.read())
  if (store.readOnly || price === undefined) return figures
  await store.values.set(nameOf(run), plain({ from, prices: price.tables, figures } satisfies Remembered))
  return figures
}

/** Before anything is asked: what is remembered will not hold. */
export async function forgetStats(store: Store, run: Run): Promise<void> {
  if ((await store.values.get(nameOf(run))) !== undefined) await store.values.set(nameOf(run), undefined)
}

const nameOf = ({ id }: Run): string => `figures ${id}`

/** Records hold JSON alone, but interfaces have no index signature that would say so. */
const plain = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json

async function readStats(store: Store, run: Run, price: Price | undefined): Promise<RunStats> {
  const cost = price && ((usage: Parameters<typeof costOf>[0], isBatch: boolean) => costOf(usage, price, { isBatch }))
  const whole = statsCollector(run, cost)
  const { tasks } = run.asked
  const byTask = tasks.length > 1 ? tasks.map(({ name }) => ({ name, collector: statsCollector(run, cost) })) : []
  for await (const page of store.requests.answerMetas(run))
    for (const { task, value } of page) {
      whole.add(value)
      byTask[task]?.collector.add(value)
    }
  const met = await store.requests.metFailures(run)
  const failuresOf = (index: number): readonly Failure[] =>
    met.flatMap(({ task, value }) => (task === index ? [value] : []))
  const figures = whole.finish(met.map(({ value }) => value))
  if (byTask.length === 0) return figures
  return {
    ...figures,
    tasks: byTask.map(({ name, collector }, index) => ofTask(name, collector.finish(failuresOf(index)))),
  }
}

const ofTask = (task: string, figures: RunStats): TaskStats => ({
  task,
  ...without(figures, 'timeline', 'pauses', 'tasks'),
})
