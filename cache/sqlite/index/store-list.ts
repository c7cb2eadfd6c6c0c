import type { DocPlace } from '../../store.js'
import type { SqliteDatabase } from '../connection/database.js'
import type { BuildTarget } from './building/build-target.js'
import { Columns } from './columns.js'
import { readFacts } from './building/read-facts.js'
import type { RowSum } from '../../rows/sums.js'

/** The time that a filter looks at a run of which nothing is prepared. */
const lookMs = 150

const progressSql = 'SELECT coalesce(sum(docs), 0) FROM input_progress WHERE run = ?'

/** Reads lists from the store itself, for runs that are not prepared yet. */
export class StoreList {
  readonly #db: SqliteDatabase
  readonly #counts = new Map<number, { readonly version: number; readonly samples: number }>()

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  /** A number that changes whenever a process commits. */
  version(): number {
    return Number(this.#db.pragma('data_version', { simple: true }))
  }

  /** Counts the samples of a run. Where a run has all docs of its tasks, or the first ones, the progress of reading tells it. */
  samples({ run: { ref, asked } }: BuildTarget): number {
    const { offset, subset, samples: chosen, shard, stop_when: stopWhen } = asked.selection
    if ([offset, subset, chosen, shard, stopWhen].every(part => part === undefined))
      return this.#db.prepare<unknown[], number>(progressSql).pluck().get(ref) ?? 0
    const version = this.version()
    const known = this.#counts.get(ref)
    if (known?.version === version) return known.samples
    const { samples } = this.#db
      .prepare<unknown[], { samples: number }>(
        'SELECT count(*) AS samples FROM (SELECT DISTINCT task, doc FROM item WHERE run = ?)',
      )
      .get(ref) ?? { samples: 0 }
    this.#counts.set(ref, { version, samples })
    return samples
  }

  /** Lists the places of a run's samples in their order. */
  places({ run: { ref } }: BuildTarget, offset: number, limit: number): readonly DocPlace[] {
    return this.#db
      .prepare<unknown[], DocPlace>(
        'SELECT DISTINCT task, doc AS "index" FROM item WHERE run = ? ORDER BY task, doc LIMIT ? OFFSET ?',
      )
      .all(ref, limit, offset)
  }

  /** Reads the first samples of a run, as many as a short time allows. */
  firstColumns({ run, judgement, price }: BuildTarget, sum: RowSum): Columns {
    const columns = new Columns()
    const startedAt = performance.now()
    let after = { task: -1, index: -1 }
    do {
      const facts = readFacts(this.#db, { run, judgement: judgement?.ref ?? null, price }, after, sum)
      const last = facts.at(-1)
      if (last === undefined) break
      for (const one of facts) columns.add(one)
      after = { task: last.task, index: last.index }
    } while (performance.now() - startedAt < lookMs)
    return columns
  }
}
