import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { without } from '../../../base/values/without.js'
import type { Failure, Run } from '../../../cache/records.js'
import type { RunCounts, Store } from '../../../cache/store.js'
import { computeCost, type Price } from '../../../stages/model/budget/price.js'
import { statsCollector } from '../../../stages/model/stats/stats-collector.js'
import type { RunStats, TaskStats } from '../../../stages/model/stats/run-stats.js'
import type { ModelPrice } from '../../cost/model-price.js'

/** The version of the computation. A higher one makes stored stats of older programs invalid. */
const format = 3

interface Remembered {
  /** Identifies the answers that the stats were computed from. */
  readonly from: string
  /** Identifies the price tables of the cost. */
  readonly prices: string
  readonly figures: RunStats
}

/**
 * Returns the stats of a run. Stored stats are used unless an answer arrived since. New stats cost a few microseconds for each answer, and are stored
 * if the store is writable.
 *
 * @param options.price adds the cost
 * @param options.counts of the run, if they are known
 */
export async function runStats(
  store: Store,
  run: Run,
  { price, counts }: { readonly price?: ModelPrice | undefined; readonly counts?: Pick<RunCounts, 'answered'> } = {},
): Promise<RunStats> {
  const { answered } = counts ?? (await store.runs.counts(run))
  const from = canonicalJson({ format, answered, createdAt: run.createdAt })
  const rememberedStats = (await store.values.get(makeFiguresKey(run))) as Remembered | undefined
  if (rememberedStats?.from === from && (price === undefined || rememberedStats.prices === price.tables))
    return rememberedStats.figures
  const figures = await readStats(store, run, await price?.read())
  if (store.readOnly || price === undefined) return figures
  await store.values.set(makeFiguresKey(run), plain({ from, prices: price.tables, figures } satisfies Remembered))
  return figures
}

/** Removes stored stats before new requests make them invalid. */
export async function forgetStats(store: Store, run: Run): Promise<void> {
  if ((await store.values.get(makeFiguresKey(run))) !== undefined)
    await store.values.set(makeFiguresKey(run), undefined)
}

const makeFiguresKey = ({ id }: Run): string => `figures ${id}`

/** Converts a record to JSON. Records contain only JSON, but interfaces lack the index signature. */
const plain = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json

/** A server that gives each answer another name would make the figures as long as the answers. */
const mostServed = 20

async function readStats(store: Store, run: Run, price: Price | undefined): Promise<RunStats> {
  const cost =
    price && ((usage: Parameters<typeof computeCost>[0], isBatch: boolean) => computeCost(usage, price, { isBatch }))
  const whole = statsCollector(run, cost)
  const { tasks } = run.asked
  const byTask = tasks.length > 1 ? tasks.map(({ name }) => ({ name, collector: statsCollector(run, cost) })) : []
  const names = new Map<string, number>()
  for await (const page of store.requests.answerMetas(run))
    for (const { task, value } of page) {
      whole.add(value)
      if (value.served !== undefined) names.set(value.served, (names.get(value.served) ?? 0) + 1)
      byTask[task]?.collector.add(value)
    }
  const met = await store.requests.metFailures(run)
  const listFailures = (index: number): readonly Failure[] =>
    met.flatMap(({ task, value }) => (task === index ? [value] : []))
  const served = [...names].map(([model, answers]) => ({ model, answers })).sort((a, b) => b.answers - a.answers)
  const measured = whole.finish(met.map(({ value }) => value))
  const figures = { ...measured, ...(served.length > 0 && { served: served.slice(0, mostServed) }) }
  if (byTask.length === 0) return figures
  return {
    ...figures,
    tasks: byTask.map(({ name, collector }, index) => ofTask(name, collector.finish(listFailures(index)))),
  }
}

const ofTask = (task: string, figures: RunStats): TaskStats => ({
  task,
  ...without(figures, 'timeline', 'pauses', 'tasks'),
})
