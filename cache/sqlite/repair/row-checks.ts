import { runName } from '../../run-name.js'
import type { RowCheck } from './checks.js'
import { labelChecks } from './label-checks.js'
import { serviceRowChecks } from './service-checks.js'
import { type FailureRow, type ItemRow, sumOfFailure, sumOfItem } from '../../rows/answers.js'
import { computeBatchSum } from '../../rows/batches.js'
import {
  type RequestParts,
  computeTextDigest,
  keyIn,
  keyOfParts,
  keyOfRun,
  keyOfScore,
  preimageKinds,
} from '../../rows/key-checks.js'
import type { RunRow } from '../../rows/runs.js'

const pageSize = 1000

const keyedTexts = (table: 'preimage' | 'instance' | 'record'): RowCheck => ({
  table,
  rows: (context, after) =>
    context
      .sql<{ id: number; key: Buffer; kind: string; preimage: string }>(
        `SELECT id, key, ${table === 'preimage' ? 'kind' : "'code'"} AS kind, preimage FROM ${table} WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
      )
      .all(after)
      .map(({ id, key, kind, preimage }) => ({
        id,
        name: keyIn(key),
        isSound:
          computeTextDigest(preimage) === keyIn(key) && preimageKinds.some(preimageKind => preimageKind === kind),
      })),
})

export const requestPartsSql = `
  SELECT r.id, r.key, n.key AS input, g.key AS config, o.key AS code, r.sample
  FROM request r LEFT JOIN instance n ON n.id = r.instance LEFT JOIN preimage g ON g.id = r.config LEFT JOIN preimage o ON o.id = r.code`

const requests: RowCheck = {
  table: 'request',
  rows: (context, after) =>
    context
      .sql<RequestParts>(`${requestPartsSql} WHERE r.id > ? ORDER BY r.id LIMIT ${pageSize}`)
      .all(after)
      .map(row => ({ id: row.id, name: keyIn(row.key), isSound: keyOfParts(row) === keyIn(row.key) })),
}

const responses: RowCheck = {
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
        name: key === null ? `number ${id}` : keyIn(key),
        isSound: computeTextDigest(body) === keyIn(digest) && context.sum(request, keyIn(digest), body, meta) === sum,
      })),
}

const scores: RowCheck = {
  table: 'score',
  rows: (context, after) =>
    context
      .sql<{
        id: number
        key: Buffer
        answers: Buffer
        record: Buffer | null
        config: Buffer | null
        scorer: Buffer | null
        body: string
        sum: number
        outcome: string
      }>(
        `SELECT z.id, z.key, z.answers, c.key AS record, g.key AS config, o.key AS scorer, z.body, z.sum, z.outcome
         FROM score z LEFT JOIN record c ON c.id = z.record LEFT JOIN preimage g ON g.id = z.config LEFT JOIN preimage o ON o.id = z.scorer
         WHERE z.id > ? ORDER BY z.id LIMIT ${pageSize}`,
      )
      .all(after)
      .map(row => ({
        id: row.id,
        name: keyIn(row.key),
        isSound:
          context.sum(row.body) === row.sum &&
          row.body.includes(`"outcome":"${row.outcome}"`) &&
          keyOfScore(row) === keyIn(row.key),
      })),
}

const memories: RowCheck = {
  table: 'memory',
  rows: (context, after) =>
    context
      .sql<{ id: number; name: string; text: string; sum: number }>(
        `SELECT * FROM memory WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
      )
      .all(after)
      .map(({ id, name, text, sum }) => ({ id, name, isSound: context.sum(name, text) === sum })),
}

const batches: RowCheck = {
  table: 'batch',
  rows: (context, after) =>
    context
      .sql<{ id: number; name: string; address: string; requests: number; progress: string; sum: number }>(
        `SELECT * FROM batch WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
      )
      .all(after)
      .map(row => ({ id: row.id, name: row.name, isSound: computeBatchSum(context, row) === row.sum })),
}

const runs: RowCheck = {
  table: 'run',
  rows: (context, after) =>
    context
      .sql<RunRow>(`SELECT * FROM run WHERE id > ? ORDER BY id LIMIT ${pageSize}`)
      .all(after)
      .map(row => {
        const key = keyOfRun(context, row)
        return {
          id: row.id,
          name: key === undefined ? `number ${row.id}` : runName(key),
          isSound:
            key === keyIn(row.key) &&
            row.name === runName(key) &&
            typeof row.created === 'number' &&
            typeof row.started === 'number',
        }
      }),
}

const items: RowCheck = {
  table: 'item',
  rows: (context, after) =>
    context
      .sql<ItemRow>(`SELECT * FROM item WHERE id > ? ORDER BY id LIMIT ${pageSize}`)
      .all(after)
      .map(row => ({
        id: row.id,
        name: `doc ${row.doc_id} of task ${row.task} of run ${row.run}`,
        isSound: sumOfItem(context, row) === row.sum,
      })),
}

const failures: RowCheck = {
  table: 'failure',
  rows: (context, after) =>
    context
      .sql<FailureRow & { known: number }>(
        `SELECT f.*, EXISTS (SELECT 1 FROM item i WHERE i.id = f.item) AS known FROM failure f WHERE f.id > ? ORDER BY f.id LIMIT ${pageSize}`,
      )
      .all(after)
      .map(row => ({
        id: row.id,
        name: `of item ${row.item}`,
        isSound: row.known === 1 && sumOfFailure(context, row) === row.sum,
      })),
}

const judgements: RowCheck = {
  table: 'judgement',
  rows: (context, after) =>
    context
      .sql<{
        id: number
        run: number
        number: number
        tasks: string
        finished: number | null
        aggregates: string | null
        sum: number
        known: number
      }>(
        `SELECT j.*, EXISTS (SELECT 1 FROM run r WHERE r.id = j.run) AS known FROM judgement j WHERE j.id > ? ORDER BY j.id LIMIT ${pageSize}`,
      )
      .all(after)
      .map(({ id, run, number, tasks, finished, aggregates, sum, known }) => ({
        id,
        name: `${number} of run ${run}`,
        isSound: known === 1 && context.sum(tasks, aggregates) === sum && (finished === null) === (aggregates === null),
      })),
}

/** The order matters: each table is checked and repaired with the help of the ones before it. */
export const rowChecks: readonly RowCheck[] = [
  runs,
  judgements,
  keyedTexts('preimage'),
  keyedTexts('instance'),
  keyedTexts('record'),
  requests,
  responses,
  scores,
  memories,
  batches,
  items,
  failures,
  ...labelChecks,
  ...serviceRowChecks,
]
