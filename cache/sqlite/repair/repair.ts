import { digestBytes, parseDigest } from '../../digest.js'
import { runName } from '../../run-name.js'
import type { Context } from '../connection/context.js'
import { repairText } from './repair-texts.js'
import { requestPartsSql } from './row-checks.js'
import { repairServiceRow } from './service-checks.js'
import { dropRequest, expectBack, isPaid, reopen, rewind, invalidateDocs, unjudge } from './invalidate.js'
import type { DamagedRow } from '../verify.js'
import { type ItemRow, sumOfItem } from '../../rows/answers.js'
import { type RequestParts, computeTextDigest, keyIn, keyOfParts, keyOfRun } from '../../rows/key-checks.js'
import type { RunRow } from '../../rows/runs.js'

/**
 * Repairs damaged rows from the content of other rows, and deletes the rest, so that the next run computes it again.
 * Only damaged answers are deleted.
 *
 * A text that only the dataset can restore (a prompt, a judge record) is blanked, and the tasks that use it are read
 * again from there. The answers stay.
 */
export function repairRows(context: Context, damaged: readonly DamagedRow[]): Promise<void> {
  return context.commit.add(() => {
    for (const row of damaged) repairRow(context, row)
  })
}

function repairRow(context: Context, { table, id }: DamagedRow): void {
  switch (table) {
    case 'response':
      repairResponse(context, id)
      return
    case 'score':
      reopen(context, 'SELECT judgement FROM verdict WHERE score = ?', id)
      context.sql('DELETE FROM verdict WHERE score = ?').run(id)
      context.sql('DELETE FROM score WHERE id = ?').run(id)
      return
    case 'batch':
      context.sql('DELETE FROM batch_request WHERE batch = ?').run(id)
      context.sql('DELETE FROM batch WHERE id = ?').run(id)
      return
    case 'failure':
    case 'memory':
    case 'label':
    case 'run_tag':
      context.sql(`DELETE FROM ${table} WHERE id = ?`).run(id)
      return
    case 'job':
    case 'job_event':
    case 'token':
      repairServiceRow(context, table, id)
      return
    case 'judgement':
      for (const child of ['verdict', 'revision']) context.sql(`DELETE FROM ${child} WHERE judgement = ?`).run(id)
      context.sql('DELETE FROM judgement WHERE id = ?').run(id)
      return
    case 'run':
      repairRun(context, id)
      return
    case 'item':
      repairItem(context, id)
      return
    case 'request':
      repairRequest(context, id)
      return
    case 'instance':
    case 'record':
    case 'preimage':
      repairText(context, table, id)
      return
    default:
      throw new Error(`internal error: no repair for ${table}`)
  }
}

/** Finds the request of an answer by the row's checksum, and computes the digest from the answer. */
function repairResponse(context: Context, id: number): void {
  type Row = { request: number; body: string; meta: string; sum: number }
  const row = context.sql<Row>('SELECT request, body, meta, sum FROM response WHERE seq = ?').get(id)
  const digest = computeTextDigest(row?.body)
  if (row !== undefined && digest !== undefined) {
    const unanswered = context
      .sql<{ id: number }>('SELECT r.id FROM request r LEFT JOIN response s ON s.request = r.id WHERE s.seq IS NULL')
      .all()
    const request = [{ id: row.request }, ...unanswered].find(
      candidate => context.sum(candidate.id, digest, row.body, row.meta) === row.sum,
    )
    if (request !== undefined) {
      context.sql('UPDATE response SET request = ?, digest = ? WHERE seq = ?').run(request.id, digestBytes(digest), id)
      return
    }
  }
  unjudge(context, 'i.request = (SELECT request FROM response WHERE seq = ?)', id)
  context.sql('DELETE FROM response WHERE seq = ?').run(id)
}

/** Computes key and name again from the run spec. */
function repairRun(context: Context, id: number): void {
  const row = context.sql<RunRow>('SELECT * FROM run WHERE id = ?').get(id)
  const key = row && keyOfRun(context, row)
  const isTaken = (bytes: Buffer): boolean =>
    context.sql('SELECT 1 FROM run WHERE key = ? AND id <> ?').get(bytes, id) !== undefined
  if (key === undefined || isTaken(digestBytes(key))) {
    removeRunRow(context, id)
    return
  }
  const now = context.now()
  context
    .sql(
      `UPDATE run SET key = ?, name = ?, created = iif(typeof(created) = 'integer', created, ?),
         started = iif(typeof(started) = 'integer', started, ?) WHERE id = ?`,
    )
    .run(digestBytes(key), runName(key), now, now, id)
}

function removeRunRow(context: Context, id: number): void {
  const judgements = 'SELECT id FROM judgement WHERE run = ?'
  for (const child of ['verdict', 'revision'])
    context.sql(`DELETE FROM ${child} WHERE judgement IN (${judgements})`).run(id)
  for (const child of [
    'judgement',
    'failure',
    'item',
    'input_progress',
    'input_lease',
    'working',
    'run_file',
    'run_tag',
  ])
    context.sql(`DELETE FROM ${child} WHERE run = ?`).run(id)
  context.sql('DELETE FROM run WHERE id = ?').run(id)
}

/** Finds the wrong number of an item by its checksum, if only one is wrong. */
function repairItem(context: Context, id: number): void {
  const row = context.sql<ItemRow>('SELECT * FROM item WHERE id = ?').get(id)
  if (row === undefined) return
  const numbers = (upTo: number): readonly number[] => Array.from({ length: upTo + 1 }, (_, number) => number)
  const ids = (sql: string): readonly number[] =>
    context
      .sql<{ id: number }>(sql)
      .all()
      .map(itemRow => itemRow.id)
  const most =
    context.sql<{ n: number | null }>("SELECT max(docs) AS n FROM input_progress WHERE typeof(docs) = 'integer'").get()
      ?.n ?? 0
  const candidates = {
    run: ids('SELECT id FROM run'),
    task: numbers(100),
    choice: numbers(100),
    sample: numbers(100),
    doc: numbers(Math.min(most, mostDocs)),
  }
  for (const [field, values] of Object.entries(candidates)) {
    const value = values.find(candidate => sumOfItem(context, { ...row, [field]: candidate }) === row.sum)
    if (value === undefined) continue
    context.sql(`UPDATE OR REPLACE item SET ${field} = ? WHERE id = ?`).run(value, id)
    return
  }
  invalidateDocs(context, 'i.id = ?', id)
}

const mostDocs = 10_000_000

/**
 * Repairs a request whose key does not match its parts. The key tells which of config, code and sample is wrong. A
 * missing input is restored when the doc is read again. If the key itself is wrong, the answer can no longer be found
 * by it.
 */
function repairRequest(context: Context, id: number): void {
  const row = context.sql<RequestParts>(`${requestPartsSql} WHERE r.id = ?`).get(id)
  if (row === undefined) return
  if (repairParts(context, row)) return
  const key = keyOfParts(row)
  const isPointedElsewhere =
    key === undefined ||
    context.sql('SELECT 1 FROM request WHERE key = ?').get(digestBytes(parseDigest(key))) !== undefined
  if (isPointedElsewhere && isPaid(context, id)) {
    rewind(context, 'i.request = ?', id)
    expectBack(context)
  } else dropRequest(context, id)
}

/** @returns whether another config, code or sample matches the key */
function repairParts(context: Context, row: RequestParts): boolean {
  const isKeyWith = (parts: Partial<RequestParts>): boolean => keyOfParts({ ...row, ...parts }) === keyIn(row.key)
  const preimages = context.sql<{ id: number; key: Buffer }>('SELECT id, key FROM preimage').all()
  for (const column of ['config', 'code'] as const) {
    const preimage = preimages.find(({ key }) => isKeyWith({ [column]: key }))
    if (preimage === undefined) continue
    context.sql(`UPDATE request SET ${column} = ? WHERE id = ?`).run(preimage.id, row.id)
    return true
  }
  // If a part is missing, no sample can match. After the loss of a page of configs, that is true of all requests.
  if (keyOfParts(row) === undefined) return false
  const highest = context
    .sql<{ n: number | null }>("SELECT max(sample) AS n FROM request WHERE typeof(sample) = 'integer' AND id <> ?")
    .get(row.id)
  for (let sample = 0; sample <= Math.max(100, Math.min(highest?.n ?? 0, 100_000)); sample++) {
    if (!isKeyWith({ sample })) continue
    context.sql('UPDATE request SET sample = ? WHERE id = ?').run(sample, row.id)
    return true
  }
  return false
}

/** Makes the input stage read the docs of a missing medium again. Their failures for want of the medium are deleted. */
export const readAgainFor = (context: Context, medium: string): Promise<void> =>
  context.commit.add(() => {
    const showing = 'SELECT r.id FROM request r JOIN instance n ON n.id = r.instance WHERE instr(n.preimage, ?) > 0'
    rewind(context, `i.request IN (${showing})`, medium)
    context.sql(`DELETE FROM failure WHERE class = 'media' AND request IN (${showing})`).run(medium)
  })
