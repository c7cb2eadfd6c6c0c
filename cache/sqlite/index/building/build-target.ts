import type { Price } from '../../../facts/compute-cost.js'
import type { Judgement, Run } from '../../../records.js'
import type { OpenedRun } from '../../../store.js'
import type { SqliteDatabase } from '../../connection/database.js'

/** A run with a judgement, as far as the index needs to know them. It is sent to threads. */
export interface BuildTarget {
  readonly run: Pick<Run, 'id' | 'ref' | 'createdAt' | 'asked'> & {
    readonly provenance: Pick<Run['provenance'], 'scoring'>
  }
  readonly judgement?: Pick<Judgement, 'ref' | 'createdAt'>
  readonly price?: Price
}

export const makeBuildTarget = ({ run, judgement, price }: OpenedRun): BuildTarget => ({
  run: {
    id: run.id,
    ref: run.ref,
    createdAt: run.createdAt,
    asked: run.asked,
    provenance: { scoring: run.provenance.scoring },
  },
  ...(judgement && { judgement: { ref: judgement.ref, createdAt: judgement.createdAt } }),
  ...(price && { price }),
})

/** Names the run in the index. The numbers of rows come along, because a store may be made anew under the same path. */
export const runName = ({ run: { id, ref, createdAt } }: BuildTarget): string => `${id} ${ref} ${createdAt}`

/** Names the run with its judgement in the index. */
export const targetName = (target: BuildTarget): string =>
  `${runName(target)} ${target.judgement?.ref ?? 0} ${target.judgement?.createdAt ?? 0}`

const stampSql = `
  SELECT (SELECT started FROM run WHERE id = @run) AS started,
    (SELECT group_concat(task || ':' || docs || ':' || finished) FROM input_progress WHERE run = @run) AS progress,
    (SELECT finished FROM judgement WHERE id = @judgement) AS finished,
    EXISTS (SELECT 1 FROM working WHERE run = @run) AS working`

const newestSql = `
  SELECT (SELECT max(seq) FROM response) AS response, (SELECT max(id) FROM failure) AS failure, (SELECT max(id) FROM score) AS score`

/**
 * Returns a text that changes when samples of the run do, or their price. It is cheap, whatever the size of the run. While the run is worked on, any commit of answers or scores
 * counts, because to find out whose they are would cost more.
 */
export function readRunStamp(db: SqliteDatabase, { run, judgement, price }: BuildTarget): string {
  const row = db
    .prepare<unknown[], { started: number; progress: string; finished: number | null; working: number }>(stampSql)
    .get({ run: run.ref, judgement: judgement?.ref ?? null })
  if (row === undefined) return ''
  const { working, ...settled } = row
  const isMoving = working === 1 || (judgement !== undefined && row.finished === null)
  return JSON.stringify([settled, isMoving ? newestRows(db) : null, price])
}

export interface NewestRows {
  readonly response: number | null
  readonly failure: number | null
}

export const newestRows = (db: SqliteDatabase): NewestRows =>
  db.prepare<[], NewestRows>(newestSql).get() ?? { response: null, failure: null }
