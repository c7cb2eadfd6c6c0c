import type { OpenedRun, Store } from '../../cache/store.js'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../cache/open.js'
import { openRun } from '../../src/reading/runs/run-reference.js'
import type { SampleRows, SampleRowsQuery } from '../../src/present/page/data/index.js'
import { pageRows } from '../../src/present/page/samples/page-rows.js'
import { atMost, megabytes, note, seconds, type Figure, type Measurement } from '../measurement.js'
import { makeStore } from './make-store.js'

/** `offset` is a share of the run. */
type Query = Partial<SampleRowsQuery>

/** Filters, sorts and searches that people use. All of them must answer in 0.3 s once the run is prepared. */
const queries: readonly (readonly [what: string, query: Query, isCompared?: boolean])[] = [
  ['wrong', { only: 'wrong' }],
  ['unparsed', { only: 'unparsed' }],
  ['failed', { only: 'failed' }],
  ['a label of a task, wrong', { only: 'wrong', task: 'counting', labels: { type: 'colour' } }],
  ['the last page', { offset: 0.9 }],
  ['the last page, by duration', { sort: 'duration', descending: true, offset: 0.9 }],
  ['flipped', { only: 'flipped' }, true],
  ['by change', { sort: 'change' }, true],
  ['a rare word', { q: 'kaloro' }],
  ['a rare word, wrong', { q: 'kaloro', only: 'wrong' }],
  ['a phrase', { q: '"red on"' }],
  ['two frequent words', { q: 'red blue' }],
]

/** Measures how soon the viewer answers about a run of many samples: before anything is prepared, and after. With `--large`, a run has a million. */
export const viewer: Measurement = {
  name: 'viewer',
  async measure(folder, { large }) {
    const dir = join(folder, 'store')
    const samples = large ? 1_000_000 : 100_000
    const [name = '', second = ''] = await makeStore(dir, samples, () => undefined)
    const store = await openStore(dir)
    try {
      const [run, against] = [await openRun(store, name), await openRun(store, second)]
      const scale = samples / 1_000_000
      const count = samples.toLocaleString('en')
      const figures: Figure[] = [
        atMost(`the first page of ${count} samples, nothing prepared`, await timed(store, run, {}), 1, seconds),
        atMost('  the first wrong ones', await timed(store, run, { only: 'wrong' }), 1, seconds),
      ]
      const startedAt = performance.now()
      const sinceStart = (): number => (performance.now() - startedAt) / 1000
      await until(store, run, ({ of, filters }) => filters === of)
      figures.push(atMost('  until filters are prepared', sinceStart(), Math.max(3, 15 * scale), seconds))
      await until(store, run, ({ of, text }) => text === of)
      figures.push(atMost('  until the search is prepared', sinceStart(), Math.max(10, 120 * scale), seconds))
      await until(store, against, ({ of, filters, text }) => filters === of && text === of)
      for (const [what, query, isCompared] of queries)
        figures.push(
          atMost(`  ${what}`, await timed(store, run, query, isCompared ? against : undefined), 0.3, seconds),
        )
      const { size } = statSync(join(dir, 'view-index.sqlite'))
      figures.push(note("  the index's file, of both runs", megabytes(size / 1e6)))
      return figures
    } finally {
      await store.close()
    }
  },
}

async function timed(store: Store, run: OpenedRun, query: Query, against?: OpenedRun): Promise<number> {
  const startedAt = performance.now()
  await pageRows(store, run, { only: 'all', offset: 0, limit: 100, ...query }, { against, signal: undefined })
  return (performance.now() - startedAt) / 1000
}

const others = { against: undefined, signal: undefined }

async function until(
  store: Store,
  run: OpenedRun,
  isEnough: (prepared: SampleRows['prepared']) => boolean,
): Promise<void> {
  for (;;) {
    const { prepared } = await pageRows(store, run, { only: 'wrong', offset: 0, limit: 1 }, others)
    if (isEnough(prepared)) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
