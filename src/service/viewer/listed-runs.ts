import type { Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { listedModel } from '../../present/text/results/run-header.js'
import type { RunRow, RunsPage, RunsQuery } from '../../present/page/data/index.js'
import { runRow } from '../../present/page/runs/run-row.js'

/** The maximum number of runs to scan for filters that the store does not support. */
const mostLooked = 10_000

/** A page of the list of runs. */
export async function listedRuns(store: Store, query: RunsQuery): Promise<RunsPage> {
  const { q, state, task, tag, sort = 'created', offset, limit } = query
  const text = q === undefined ? {} : { text: q }
  // The store itself finds words and counts. All other filters look at each run.
  if (state === undefined && task === undefined && tag === undefined && sort === 'created') {
    const { runs, total } = await store.runs.page({ offset, limit, ...text })
    return { rows: await readRows(store, runs), total }
  }
  const { runs } = await store.runs.page({ limit: mostLooked, ...text })
  const tags = await store.runs.tags()
  const matchingRuns = sortRuns(
    runs.filter(
      run =>
        (task === undefined || run.asked.tasks.some(({ name }) => name === task)) &&
        (tag === undefined || tags.get(run.ref)?.includes(tag) === true),
    ),
    sort,
  )
  if (state === undefined)
    return { rows: await readRows(store, matchingRuns.slice(offset, offset + limit)), total: matchingRuns.length }
  const rows = (await readRows(store, matchingRuns)).filter(row => row.state === state)
  return { rows: rows.slice(offset, offset + limit), total: rows.length }
}

async function readRows(store: Store, runs: readonly Run[]): Promise<readonly RunRow[]> {
  const tags = await store.runs.tags()
  const rows: RunRow[] = []
  for (const run of runs) rows.push(await runRow(store, run, tags))
  return rows
}

function sortRuns(runs: readonly Run[], by: 'created' | 'name' | 'model'): readonly Run[] {
  if (by === 'created') return runs
  const text = by === 'name' ? ({ name }: Run) => name : listedModel
  return [...runs].sort((a, b) => text(a).localeCompare(text(b)))
}
