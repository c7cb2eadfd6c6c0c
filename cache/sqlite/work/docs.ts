import { digestBytes, type CodeKey, type ConfigKey } from '../../digest.js'
import type { Run } from '../../records.js'
import { type RequestKeys } from '../../request-keys.js'
import type { Context, Read } from '../connection/context.js'
import { restoreRecord, restoreRequest, isAnythingMissing } from '../repair/restore.js'
import { pages } from '../pages.js'
import { digestSql, isProgressSound, progressSum } from '../rows.js'
import { findRecord, findRequest, insertRequest, internPreimage, internText, readRowId } from './interning.js'
import { leaseInput } from './leases.js'
import { insertFailure } from './stored-rows.js'
import type { CommittedRequest, DraftDoc, InputProgress, DocStore, UnsentRequests } from '../../store.js'
import { pageStart, toCommittedRequest, type CommittedRow } from '../../rows/committed-requests.js'
import { type KeyedDoc, type KeyedRequest, keyedDocs } from '../../rows/keyed-docs.js'
import { DamagedRowError } from '../../rows/sums.js'

/** Opens the docs of an SQLite store. */
export const sqliteDocs = (context: Context, read: Read): DocStore => ({
  progress: (run, task) => read(() => inputProgress(context, run, task)),
  lease: (run, task) => leaseInput(context, run, task),
  commit: (run, task, docs, finished) => commitDocs(context, { run, task, docs, finished }),
  recommit: async (run, task, docs) => {
    await commitDocs(context, { run, task, docs, finished: false, isAgain: true })
  },
  indices: (run, task) =>
    read(() =>
      context
        .sql<{ doc: number }>('SELECT DISTINCT doc FROM item WHERE run = ? AND task = ? ORDER BY doc')
        .all(run.ref, task)
        .map(({ doc }) => doc),
    ),
  requests: (run, before, withTexts) => committedRequests(context, run, before, withTexts),
})

const committedSql = (text: string): string => `
  SELECT i.task, i.doc, i.choice, i.sample, ${digestSql('n.key')} AS input, ${digestSql('g.key')} AS config, r.sample AS draw, ${text} AS text
  FROM item i JOIN request r ON r.id = i.request JOIN instance n ON n.id = r.instance JOIN preimage g ON g.id = r.config
  WHERE i.run = ? AND (i.task, i.doc, i.choice, i.sample) > (?, ?, ?, ?) AND (i.task, i.doc) < (?, ?)
  ORDER BY i.task, i.doc, i.choice, i.sample LIMIT 1000`

async function* committedRequests(
  context: Context,
  run: Run,
  before: { readonly task: number; readonly doc: number } = { task: run.asked.tasks.length, doc: 0 },
  withTexts = false,
): AsyncGenerator<readonly CommittedRequest[]> {
  const sql = committedSql(withTexts ? 'n.preimage' : 'NULL')
  const read = (last: CommittedRow | undefined): readonly CommittedRow[] => {
    const { task, doc, choice, sample } = pageStart(last)
    return context.sql<CommittedRow>(sql).all(run.ref, task, doc, choice, sample, before.task, before.doc)
  }
  for await (const rows of pages<CommittedRow>(read)) yield rows.map(toCommittedRequest)
}

export function inputProgress(context: Context, run: Run, task: number): InputProgress {
  const row = context
    .sql<{ docs: number; finished: number; sound: number }>(
      `SELECT docs, finished, ${isProgressSound('p')} AS sound FROM input_progress p WHERE run = ? AND task = ?`,
    )
    .get(run.ref, task)
  if (row?.sound === 0) throw new DamagedRowError('input_progress', `task ${task} of run ${run.ref}`)
  return { docs: row?.docs ?? 0, finished: row?.finished === 1 }
}

/** Writes docs as items of the run. Keys are computed before the transaction, to keep it short. */
async function commitDocs(
  context: Context,
  batch: {
    readonly run: Run
    readonly task: number
    readonly docs: readonly DraftDoc[]
    readonly finished: boolean
    /** True to replace items that have no request. */
    readonly isAgain?: boolean
  },
): Promise<UnsentRequests> {
  const { run, task, finished, isAgain = false } = batch
  const docs = keyedDocs(run, batch.docs)
  return context.commit.add(() => {
    if (isAgain)
      for (const doc of docs)
        context
          .sql('DELETE FROM item WHERE run = ? AND task = ? AND doc = ? AND request IS NULL')
          .run(run.ref, task, doc.index)
    const unsent = insertDocs(context, { run, task, docs })
    saveProgress(context, { run: run.ref, task, docs: docs.at(-1)?.index, finished })
    return unsent
  })
}

/** Call inside a write transaction. */
export function insertDocs(
  context: Context,
  { run, task, docs }: { readonly run: Run; readonly task: number; readonly docs: readonly KeyedDoc[] },
): UnsentRequests {
  const parts = { configs: new Map<ConfigKey, number>(), codes: new Map<CodeKey, number>() }
  const unsent = { answered: 0, shared: 0 }
  const isMissing = isAnythingMissing(context)
  for (const doc of docs) {
    const record = findRecord(context, doc.record.key) ?? internText(context, 'record', doc.record)
    if (isMissing) restoreRecord(context, doc.record)
    for (const { path, digest } of doc.files)
      context
        .sql(
          "INSERT OR REPLACE INTO run_file (run, path, digest, sum) VALUES (@run, @path, @digest, row_sum('file', @run, @path, @digest))",
        )
        .run({ run: run.ref, path, digest: digestBytes(digest) })
    for (const request of doc.requests) {
      const { keys, choice, sample } = request
      if (isMissing && keys !== undefined)
        restoreRequest(context, { run: run.ref, task, doc: doc.index, choice, sample, keys })
      // If the store has the request, it also has the instance and config, so one lookup is enough.
      const storedRequest = keys && findRequest(context, keys.response)
      const use = storedRequest === undefined ? undefined : requestUse(context, run, storedRequest)
      if (use !== undefined) unsent[use] += 1
      const number = keys === undefined ? null : (storedRequest ?? addRequest(context, keys, parts))
      insertItem(context, { run: run.ref, task, doc, record, request, number })
    }
  }
  return unsent
}

const useSql = `SELECT CASE WHEN EXISTS (SELECT 1 FROM response WHERE request = @request) THEN 'answered'
  WHEN EXISTS (SELECT 1 FROM item WHERE request = @request AND run = @run) THEN 'shared' END AS use`

/** Returns the reason why a run need not send a stored request, if there is one. */
function requestUse(context: Context, run: Run, request: number): keyof UnsentRequests | undefined {
  const row = context.sql<{ use: keyof UnsentRequests | null }>(useSql).get({ request, run: run.ref })
  return row?.use ?? undefined
}

/** Stores a request with the preimage of its key. @returns its number */
function addRequest(
  context: Context,
  keys: RequestKeys,
  { configs, codes }: { readonly configs: Map<ConfigKey, number>; readonly codes: Map<CodeKey, number> },
): number {
  const config = configs.get(keys.config.key) ?? internPreimage(context, { kind: 'config', ...keys.config })
  configs.set(keys.config.key, config)
  const code = codes.get(keys.code) ?? readRowId(context, 'preimage', digestBytes(keys.code))
  codes.set(keys.code, code)
  return insertRequest(context, {
    key: keys.response,
    instance: internText(context, 'instance', keys.input),
    config,
    code,
    sample: keys.sample,
  })
}

function insertItem(
  context: Context,
  item: {
    readonly run: number
    readonly task: number
    readonly doc: { readonly index: number; readonly id: string }
    readonly record: number
    readonly request: KeyedRequest
    readonly number: number | null
  },
): void {
  const { run, task, doc, record, number } = item
  const { choice, sample, failure } = item.request
  const sum = context.sum(run, task, doc.index, choice, sample, doc.id, number, record)
  const inserted = context
    .sql(
      'INSERT OR IGNORE INTO item (run, task, doc, choice, sample, doc_id, request, record, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(run, task, doc.index, choice, sample, doc.id, number, record, sum)
  if (inserted.changes === 1 && failure !== undefined)
    insertFailure(context, { run, item: Number(inserted.lastInsertRowid), request: null, failure })
}

export function saveProgress(
  context: Context,
  row: { run: number; task: number; docs: number | undefined; finished: boolean },
): void {
  writeProgress(context, { ...row, docs: row.docs === undefined ? 0 : row.docs + 1 })
}

/** Writes the progress of a task. It never decreases. */
export function writeProgress(
  context: Context,
  { run, task, docs, finished }: { run: number; task: number; docs: number; finished: boolean },
): void {
  context
    .sql(
      `INSERT INTO input_progress (run, task, docs, finished, sum)
       VALUES (@run, @task, @docs, @finished, row_sum('progress', @run, @task, @docs, @finished))
       ON CONFLICT DO UPDATE SET docs = max(docs, excluded.docs), finished = max(finished, excluded.finished),
         sum = ${progressSum('max(docs, excluded.docs)', 'max(finished, excluded.finished)')}`,
    )
    .run({ run, task, docs, finished: finished ? 1 : 0 })
}
