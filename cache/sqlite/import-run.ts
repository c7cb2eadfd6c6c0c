import { PipelineError } from '../../base/errors.js'
import {
  conflictMessage,
  type Conflict,
  type FailureRow,
  type ImportOutcome,
  type ItemRow,
  type OnConflict,
  type PortableJudgement,
  type PortableRun,
  type ResponseRow,
  type RowCounts,
  type VerdictRow,
} from '../bundle/portable.js'
import { digestBytes, parseDigest, type Sha256 } from '../digest.js'
import { permanentFailures } from '../records.js'
import { runName } from '../run-name.js'
import type { Context } from './context.js'
import { findRequest, insertRequest, internPreimage, internText, numberOf } from './interning.js'
import { judgementText, judgingKeys } from './judgements.js'
import { toText } from './rows.js'
import { findRun } from './runs.js'

/** The owner of failures that were not met here. */
const foreignOwner = 0

interface Merge {
  readonly context: Context
  readonly run: number
  readonly tasks: ReadonlyMap<string, number>
  readonly added: Mutable<RowCounts>
  readonly present: Mutable<RowCounts>
  readonly conflicts: Conflict[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Merges a verified run into the store, all or nothing. See `PortableStore.importRun`. */
export async function importRun(context: Context, from: PortableRun, onConflict: OnConflict): Promise<ImportOutcome> {
  const isNew = findRun(context, from.id) === undefined
  const merge = await inTransaction(context, async () => {
    const state = startMerge(context, from)
    for await (const rows of from.preimages())
      for (const row of rows)
        internPreimage(context, { ...row, kind: preimageKind(row.kind), key: parseDigest(row.key) })
    for await (const rows of from.items()) for (const row of rows) mergeItem(state, row)
    for await (const rows of from.responses()) for (const row of rows) mergeResponse(state, row)
    for await (const rows of from.failures()) for (const row of rows) mergeFailure(state, row)
    for (const judgement of from.judgements) await mergeJudgement(state, judgement)
    renumber(state)
    mergeProgress(state, from)
    if (state.conflicts.length > 0 && onConflict === 'refuse')
      throw new PipelineError('bundle', conflictMessage(from.name, state.conflicts))
    return state
  })
  const run = findRun(context, from.id)
  if (run === undefined) throw new Error('internal error: imported run vanished')
  return { run, isNew, added: merge.added, present: merge.present, conflicts: merge.conflicts }
}

/** One transaction over rows that arrive in time. Nothing else of this process writes while an import runs. */
async function inTransaction<T>(context: Context, work: () => Promise<T>): Promise<T> {
  context.commit.flush()
  context.db.exec('BEGIN IMMEDIATE')
  try {
    const result = await work()
    context.db.exec('COMMIT')
    return result
  } catch (error) {
    if (context.db.inTransaction) context.db.exec('ROLLBACK')
    throw error
  }
}

const kinds = ['code', 'config', 'task', 'judge-config'] as const

function preimageKind(kind: string): (typeof kinds)[number] {
  const known = kinds.find(name => name === kind)
  if (known === undefined)
    throw new PipelineError(
      'bundle',
      `the bundle has a preimage of unknown kind ${JSON.stringify(kind)}: it needs a newer version of pipeline`,
    )
  return known
}

function startMerge(context: Context, from: PortableRun): Merge {
  const now = context.now()
  const asked = toText(from.asked)
  const provenance = toText(from.provenance)
  context
    .sql(
      `INSERT INTO run (key, name, asked, provenance, created, started, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET created = min(created, excluded.created)`,
    )
    .run(digestBytes(from.id), runName(from.id), asked, provenance, from.createdAt, now, context.sum(asked, provenance))
  const row = context.sql<{ id: number }>('SELECT id FROM run WHERE key = ?').get(digestBytes(from.id))
  if (row === undefined) throw new Error('internal error: run vanished')
  return {
    context,
    run: row.id,
    tasks: new Map(from.asked.tasks.map(({ name }, index) => [name, index])),
    added: { items: 0, responses: 0, scores: 0 },
    present: { items: 0, responses: 0, scores: 0 },
    conflicts: [],
  }
}

function taskNumber(merge: Merge, name: string): number {
  const number = merge.tasks.get(name)
  if (number === undefined)
    throw new PipelineError('bundle', `the bundle has rows of a task "${name}" that its run does not name`)
  return number
}

function mergeItem(merge: Merge, row: ItemRow): void {
  const { context, run } = merge
  const task = taskNumber(merge, row.task)
  const record = internText(context, 'record', { key: parseDigest(row.record_key), preimage: row.record })
  const request = requestOf(context, row)
  const known = context
    .sql<{ request: number | null; record: number }>(
      'SELECT request, record FROM item WHERE run = ? AND task = ? AND doc = ? AND choice = ? AND sample = ?',
    )
    .get(run, task, row.doc_index, row.choice, row.sample)
  if (known === undefined) {
    const sum = context.sum(run, task, row.doc_index, row.choice, row.sample, row.doc_id, request, record)
    context
      .sql(
        'INSERT INTO item (run, task, doc, choice, sample, doc_id, request, record, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(run, task, row.doc_index, row.choice, row.sample, row.doc_id, request, record, sum)
    merge.added.items += 1
  } else if (known.request === request && known.record === record) merge.present.items += 1
  else {
    const which = row.choice > 0 || row.sample > 0 ? ` choice ${row.choice} sample ${row.sample}` : ''
    merge.conflicts.push({ kind: 'item', key: `${row.task}/${row.doc_id}${which}` })
  }
}

function requestOf(context: Context, row: ItemRow): number | null {
  const { response_key, input_key, input, config_key, code_key, sample } = row
  if (response_key === null || input_key === null || input === null || config_key === null || code_key === null)
    return null
  const key = parseDigest<'response'>(response_key)
  const known = findRequest(context, key)
  if (known !== undefined) return known
  return insertRequest(context, {
    key,
    instance: internText(context, 'instance', { key: parseDigest(input_key), preimage: input }),
    config: numberOf(context, 'preimage', digestBytes(parseDigest(config_key))),
    code: numberOf(context, 'preimage', digestBytes(parseDigest(code_key))),
    sample,
  })
}

function mergeResponse(merge: Merge, row: ResponseRow): void {
  const { context } = merge
  const request = numberOf(context, 'request', digestBytes(parseDigest(row.response_key)))
  const answer = parseDigest<'answer'>(row.answer)
  const made = context
    .sql('INSERT OR IGNORE INTO response (request, digest, body, meta, sum) VALUES (?, ?, ?, ?, ?)')
    .run(request, digestBytes(answer), row.body, row.meta, context.sum(request, answer, row.body, row.meta))
  if (made.changes === 1) {
    merge.added.responses += 1
    return
  }
  const ours = context.sql<{ digest: Buffer }>('SELECT digest FROM response WHERE request = ?').get(request)
  if (ours?.digest.equals(digestBytes(answer)) === true) merge.present.responses += 1
  else merge.conflicts.push({ kind: 'response', key: row.response_key })
}

function mergeFailure(merge: Merge, row: FailureRow): void {
  const { context, run } = merge
  const item = context
    .sql<{ id: number; request: number | null }>(
      'SELECT id, request FROM item WHERE run = ? AND task = ? AND doc = ? AND choice = ? AND sample = ?',
    )
    .get(run, taskNumber(merge, row.task), row.doc_index, row.choice, row.sample)
  if (item === undefined)
    throw new PipelineError(
      'bundle',
      `the bundle has a failure of ${row.task}/${row.doc_index}, which it does not have`,
    )
  const same = context
    .sql('SELECT 1 FROM failure WHERE item = ? AND class = ? AND message = ? AND attempts = ? AND at = ?')
    .get(item.id, row.class, row.message, row.attempts, row.at)
  if (same !== undefined) return
  const permanent = permanentFailures.has(row.class) ? 1 : 0
  const sum = context.sum(run, item.id, item.request, row.class, row.message, row.attempts, permanent)
  context
    .sql(
      'INSERT INTO failure (run, item, request, class, message, attempts, permanent, owner, at, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(run, item.id, item.request, row.class, row.message, row.attempts, permanent, foreignOwner, row.at, sum)
}

async function mergeJudgement(merge: Merge, from: PortableJudgement): Promise<void> {
  const judgement = judgementNumber(merge, from)
  for await (const rows of from.verdicts()) for (const row of rows) mergeVerdict(merge, from, judgement, row)
}

function judgementNumber({ context, run }: Merge, from: PortableJudgement): number {
  const tasks = judgementText(from.tasks)
  const aggregates = from.aggregates === undefined ? null : `[${from.aggregates.map(toText).join(',')}]`
  const sum = context.sum(tasks, aggregates)
  const known = context
    .sql<{ id: number }>('SELECT id FROM judgement WHERE run = ? AND tasks = ? AND created = ?')
    .get(run, tasks, from.createdAt)
  if (known !== undefined) {
    context
      .sql(
        'UPDATE judgement SET finished = ?, aggregates = ?, sum = ? WHERE id = ? AND coalesce(finished, -1) < coalesce(?, -1)',
      )
      .run(from.finishedAt ?? null, aggregates, sum, known.id, from.finishedAt ?? null)
    return known.id
  }
  const made = context
    .sql(
      `INSERT INTO judgement (run, number, tasks, created, finished, aggregates, sum)
       VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM judgement WHERE run = ?), ?, ?, ?, ?, ?)`,
    )
    .run(run, run, tasks, from.createdAt, from.finishedAt ?? null, aggregates, sum)
  return Number(made.lastInsertRowid)
}

/** Numbers follow from what the judgements are, not from the order in which they came. */
function renumber({ context, run }: Merge): void {
  const rows = context.sql<{ id: number }>('SELECT id FROM judgement WHERE run = ? ORDER BY created, tasks').all(run)
  // Numbers are unique: free all of them first.
  for (const sign of [-1, 1]) {
    for (const [index, { id }] of rows.entries())
      context.sql('UPDATE judgement SET number = ? WHERE id = ?').run(sign * (index + 1), id)
  }
}

function mergeVerdict(merge: Merge, from: PortableJudgement, judgement: number, row: VerdictRow): void {
  const { context } = merge
  const task = taskNumber(merge, row.task)
  const key = { kind: 'verdict' as const, key: `${row.task}/${row.doc_id}` }
  if (row.revision !== null) {
    const record = internText(context, 'record', { key: parseDigest(row.record_key), preimage: row.revision })
    context
      .sql('INSERT OR IGNORE INTO revision (judgement, task, doc, record) VALUES (?, ?, ?, ?)')
      .run(judgement, task, row.doc_index, record)
    const ours = context
      .sql<{ record: number }>('SELECT record FROM revision WHERE judgement = ? AND task = ? AND doc = ?')
      .get(judgement, task, row.doc_index)
    if (ours?.record !== record) {
      merge.conflicts.push(key)
      return
    }
  }
  const score = mergeScore(merge, from, task, row)
  if (score === undefined) return
  const made = context
    .sql('INSERT OR IGNORE INTO verdict (judgement, task, doc, score) VALUES (?, ?, ?, ?)')
    .run(judgement, task, row.doc_index, score)
  if (made.changes === 1) return
  const ours = context
    .sql<{ score: number }>('SELECT score FROM verdict WHERE judgement = ? AND task = ? AND doc = ?')
    .get(judgement, task, row.doc_index)
  if (ours?.score !== score) merge.conflicts.push(key)
}

function mergeScore(merge: Merge, from: PortableJudgement, task: number, row: VerdictRow): number | undefined {
  const { context } = merge
  if (row.score_key === null || row.body === null || row.answers === null) return undefined
  const { config, scorer } = judgementKeys(context, from, task)
  const answers = Buffer.concat((JSON.parse(row.answers) as Sha256<'answer'>[]).map(digestBytes))
  const key = digestBytes(parseDigest(row.score_key))
  const { outcome } = JSON.parse(row.body) as { outcome: string }
  const made = context
    .sql(
      'INSERT OR IGNORE INTO score (key, answers, record, config, scorer, body, sum, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      key,
      answers,
      numberOf(context, 'record', digestBytes(parseDigest(row.record_key))),
      config,
      scorer,
      row.body,
      context.sum(row.body),
      outcome,
    )
  const ours = context.sql<{ id: number; body: string }>('SELECT id, body FROM score WHERE key = ?').get(key)
  if (ours === undefined) throw new Error('internal error: score vanished')
  if (made.changes === 1) merge.added.scores += 1
  else if (ours.body === row.body) merge.present.scores += 1
  else merge.conflicts.push({ kind: 'score', key: row.score_key })
  return ours.id
}

function judgementKeys(context: Context, from: PortableJudgement, task: number): { config: number; scorer: number } {
  const judging = from.tasks[task]
  if (judging === undefined)
    throw new PipelineError('bundle', `the bundle's judgement ${from.number} has no rules for its task ${task}`)
  const { config, scorer } = judgingKeys(judging)
  return {
    config: numberOf(context, 'preimage', digestBytes(config)),
    scorer: numberOf(context, 'preimage', digestBytes(scorer)),
  }
}

function mergeProgress({ context, run }: Merge, from: PortableRun): void {
  for (const [task, { docs, finished }] of from.progress.entries()) {
    context
      .sql(
        `INSERT INTO input_progress (run, task, docs, finished) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET docs = max(docs, excluded.docs), finished = max(finished, excluded.finished)`,
      )
      .run(run, task, docs, finished ? 1 : 0)
  }
}
