import { digestOfBytes, sha256, type CodeKey, type ConfigKey, type InputKey } from '../digest.js'
import { responseKey, runKey } from '../keys.js'
import type { Asked } from '../records.js'
import { sumOf } from './batches.js'
import type { Context } from './context.js'
import { pages } from './pages.js'

/** A row whose content is not what was written. */
export interface DamagedRow {
  readonly table: string
  readonly id: number
  /** A key, or the place in a run: what a person can look up. */
  readonly name: string
}

/** One table's check, by reading all of it. */
interface Check {
  readonly table: string
  readonly rows: (context: Context, after: number) => readonly CheckedRow[]
}

interface CheckedRow {
  readonly id: number
  readonly name: string
  readonly isSound: boolean
}

const pageSize = 1000

const keyedTexts = (table: 'preimage' | 'instance' | 'record'): Check => ({
  table,
  rows: (context, after) =>
    context
      .sql<{ id: number; key: Buffer; preimage: string }>(
        `SELECT id, key, preimage FROM ${table} WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
      )
      .all(after)
      .map(({ id, key, preimage }) => ({
        id,
        name: digestOfBytes(key),
        isSound: sha256(preimage) === digestOfBytes(key),
      })),
})

const checks: readonly Check[] = [
  keyedTexts('preimage'),
  keyedTexts('instance'),
  keyedTexts('record'),
  {
    table: 'request',
    rows: (context, after) =>
      context
        .sql<{ id: number; key: Buffer; input: Buffer; config: Buffer; code: Buffer; sample: number }>(
          `SELECT r.id, r.key, n.key AS input, g.key AS config, o.key AS code, r.sample
           FROM request r LEFT JOIN instance n ON n.id = r.instance LEFT JOIN preimage g ON g.id = r.config LEFT JOIN preimage o ON o.id = r.code
           WHERE r.id > ? ORDER BY r.id LIMIT ${pageSize}`,
        )
        .all(after)
        .map(({ id, key, input, config, code, sample }) => ({
          id,
          name: digestOfBytes(key),
          isSound: responseKeyOf(input, config, code, sample) === digestOfBytes(key),
        })),
  },
  {
    table: 'response',
    rows: (context, after) =>
      context
        .sql<{
          id: number
          request: number
          key: Buffer | null
          digest: Buffer
          body: string
          meta: string
          sum: number
        }>(
          `SELECT s.seq AS id, s.request, r.key, s.digest, s.body, s.meta, s.sum
           FROM response s LEFT JOIN request r ON r.id = s.request WHERE s.seq > ? ORDER BY s.seq LIMIT ${pageSize}`,
        )
        .all(after)
        .map(({ id, request, key, digest, body, meta, sum }) => ({
          id,
          name: key === null ? `number ${id}` : digestOfBytes(key),
          isSound:
            sha256(body) === digestOfBytes(digest) && context.sum(request, digestOfBytes(digest), body, meta) === sum,
        })),
  },
  {
    table: 'score',
    rows: (context, after) =>
      context
        .sql<{ id: number; key: Buffer; body: string; sum: number; outcome: string }>(
          `SELECT id, key, body, sum, outcome FROM score WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
        )
        .all(after)
        .map(({ id, key, body, sum, outcome }) => ({
          id,
          name: digestOfBytes(key),
          isSound: context.sum(body) === sum && body.includes(`"outcome":"${outcome}"`),
        })),
  },
  {
    table: 'memory',
    rows: (context, after) =>
      context
        .sql<{ id: number; name: string; text: string; sum: number }>(
          `SELECT * FROM memory WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
        )
        .all(after)
        .map(({ id, name, text, sum }) => ({ id, name, isSound: context.sum(name, text) === sum })),
  },
  {
    table: 'batch',
    rows: (context, after) =>
      context
        .sql<{ id: number; name: string; address: string; requests: number; progress: string; sum: number }>(
          `SELECT * FROM batch WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
        )
        .all(after)
        .map(row => ({ id: row.id, name: row.name, isSound: sumOf(context, row) === row.sum })),
  },
  {
    table: 'run',
    rows: (context, after) =>
      context
        .sql<{ id: number; key: Buffer; name: string; asked: string; provenance: string; sum: number }>(
          `SELECT * FROM run WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
        )
        .all(after)
        .map(({ id, key, name, asked, provenance, sum }) => ({
          id,
          name,
          isSound:
            context.sum(asked, provenance) === sum && runKey(JSON.parse(asked) as Asked).key === digestOfBytes(key),
        })),
  },
  {
    table: 'item',
    rows: (context, after) =>
      context
        .sql<ItemRow>(`SELECT * FROM item WHERE id > ? ORDER BY id LIMIT ${pageSize}`)
        .all(after)
        .map(row => ({
          id: row.id,
          name: `doc ${row.doc_id} of task ${row.task} of run ${row.run}`,
          isSound:
            context.sum(row.run, row.task, row.doc, row.choice, row.sample, row.doc_id, row.request, row.record) ===
            row.sum,
        })),
  },
  {
    table: 'failure',
    rows: (context, after) =>
      context
        .sql<FailureRow>(`SELECT * FROM failure WHERE id > ? ORDER BY id LIMIT ${pageSize}`)
        .all(after)
        .map(row => ({
          id: row.id,
          name: `of item ${row.item}`,
          isSound:
            context.sum(row.run, row.item, row.request, row.class, row.message, row.attempts, row.permanent) ===
            row.sum,
        })),
  },
  {
    table: 'judgement',
    rows: (context, after) =>
      context
        .sql<{ id: number; run: number; number: number; tasks: string; aggregates: string | null; sum: number }>(
          `SELECT * FROM judgement WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
        )
        .all(after)
        .map(({ id, run, number, tasks, aggregates, sum }) => ({
          id,
          name: `${number} of run ${run}`,
          isSound: context.sum(tasks, aggregates) === sum,
        })),
  },
]

interface ItemRow {
  readonly id: number
  readonly run: number
  readonly task: number
  readonly doc: number
  readonly choice: number
  readonly sample: number
  readonly doc_id: string
  readonly request: number | null
  readonly record: number
  readonly sum: number
}

interface FailureRow {
  readonly id: number
  readonly run: number
  readonly item: number
  readonly request: number | null
  readonly class: string
  readonly message: string
  readonly attempts: number
  readonly permanent: number
  readonly sum: number
}

function responseKeyOf(
  input: Buffer | null,
  config: Buffer | null,
  code: Buffer | null,
  sample: number,
): string | undefined {
  if (input === null || config === null || code === null) return undefined
  return responseKey({
    input: digestOfBytes(input) satisfies InputKey,
    config: digestOfBytes(config) satisfies ConfigKey,
    code: digestOfBytes(code) satisfies CodeKey,
    sample,
  })
}

/** Reads every row of the database and tells which are not what was written. */
export async function findDamagedRows(
  context: Context,
): Promise<{ readonly checked: Readonly<Record<string, number>>; readonly damaged: readonly DamagedRow[] }> {
  const checked: Record<string, number> = {}
  const damaged: DamagedRow[] = []
  for (const { table, rows } of checks) {
    checked[table] = 0
    for await (const page of pages<CheckedRow>(last => rows(context, last?.id ?? 0))) {
      checked[table] += page.length
      for (const { id, name, isSound } of page) if (!isSound) damaged.push({ table, id, name })
    }
  }
  return { checked, damaged }
}

/** What SQLite says of its own pages and indexes; empty where all is well. */
export const findDamagedPages = (context: Context): readonly string[] =>
  context
    .sql<{ integrity_check: string }>('PRAGMA integrity_check')
    .all()
    .map(row => row.integrity_check)
    .filter(line => line !== 'ok')
