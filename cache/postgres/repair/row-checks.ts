/** Checks the rows of each table. See sqlite/repair/row-checks.ts for the store in a folder. */
import { sumOfFailure, sumOfItem, sumOfResponse, type FailureRow, type ItemRow } from '../../rows/answers.js'
import { computeBatchSum, type BatchRow } from '../../rows/batches.js'
import { sumOfEvent, sumOfJob, sumOfToken, type JobEventRow, type JobRow, type TokenRow } from '../../rows/jobs.js'
import type { JudgementRow } from '../../rows/judging/judgements.js'
import {
  computeTextDigest,
  keyIn,
  keyOfParts,
  keyOfRun,
  keyOfScore,
  preimageKinds,
  type RequestParts,
  type ScoreParts,
} from '../../rows/key-checks.js'
import { sumOfLabel, sumOfTag, type LabelRow, type TagRow } from '../../rows/remarks.js'
import type { RunRow } from '../../rows/runs.js'
import { sumOfFile, sumOfProgress, type RowSums } from '../../rows/sums.js'
import { runName } from '../../run-name.js'
import { fromColumn } from '../connection/context.js'
import { fromLabelRow, labelColumns } from '../labels/labels.js'
import { fromFailureRow } from '../work/failures.js'

/** Checks one table. */
export interface RowCheck {
  readonly table: string
  /** Reads a page of rows with ids above `$1`, in their order. Each row has an `id`. */
  readonly sql: string
  readonly name: (row: never) => string
  readonly isSound: (sums: RowSums, row: never) => boolean
}

const pageSize = 1000
const page = (columns: string, from: string, id = 'id'): string =>
  `SELECT ${columns} FROM ${from} WHERE ${id} > $1 ORDER BY ${id} LIMIT ${pageSize}`

/** Defines a check, and binds the type of its rows. */
const check = <Row>(
  table: string,
  sql: string,
  name: (row: Row) => string,
  isSound: (sums: RowSums, row: Row) => boolean,
): RowCheck => ({ table, sql, name, isSound })

interface TextRow {
  readonly key: Buffer
  readonly kind: string
  readonly preimage: string
}

const keyedTexts = (table: 'preimage' | 'instance' | 'record'): RowCheck =>
  check<TextRow>(
    table,
    page(`id, key, ${table === 'preimage' ? 'kind' : "'code'"} AS kind, preimage`, table),
    row => keyIn(row.key),
    (_, row) => computeTextDigest(row.preimage) === keyIn(row.key) && preimageKinds.some(kind => kind === row.kind),
  )

interface AnswerRow {
  readonly id: number
  readonly request: number
  readonly key: Buffer
  readonly digest: Buffer
  readonly body: string
  readonly meta: string
  readonly sum: number
}

interface ScoreCheckRow extends ScoreParts {
  readonly key: Buffer
  readonly body: string
  readonly sum: number
  readonly outcome: string
}

/** The checks of all tables with checksums. */
export const rowChecks: readonly RowCheck[] = [
  check<RunRow>(
    'run',
    page('*', 'run'),
    row => row.name,
    (sums, row) => {
      const key = keyOfRun(sums, row)
      return key === keyIn(row.key) && row.name === runName(key)
    },
  ),
  check<JudgementRow>(
    'judgement',
    page('*', 'judgement'),
    row => `${row.number} of run ${row.run}`,
    ({ sum }, row) =>
      sum(row.tasks, row.aggregates) === row.sum && (row.finished === null) === (row.aggregates === null),
  ),
  keyedTexts('preimage'),
  keyedTexts('instance'),
  keyedTexts('record'),
  check<RequestParts>(
    'request',
    page(
      'r.id, r.key, n.key AS input, g.key AS config, o.key AS code, r.sample',
      'request r JOIN instance n ON n.id = r.instance JOIN preimage g ON g.id = r.config JOIN preimage o ON o.id = r.code',
      'r.id',
    ),
    row => keyIn(row.key),
    (_, row) => keyOfParts(row) === keyIn(row.key),
  ),
  check<AnswerRow>(
    'response',
    page(
      's.seq AS id, s.request, r.key, s.digest, s.body, s.meta, s.sum',
      'response s JOIN request r ON r.id = s.request',
      's.seq',
    ),
    row => keyIn(row.key),
    (sums, row) => {
      const digest = keyIn(row.digest)
      return computeTextDigest(row.body) === digest && sumOfResponse(sums, { ...row, digest }) === row.sum
    },
  ),
  check<ScoreCheckRow>(
    'score',
    page(
      'z.id, z.key, z.answers, c.key AS record, g.key AS config, o.key AS scorer, z.body, z.sum, z.outcome',
      'score z JOIN record c ON c.id = z.record JOIN preimage g ON g.id = z.config JOIN preimage o ON o.id = z.scorer',
      'z.id',
    ),
    row => keyIn(row.key),
    ({ sum }, row) =>
      sum(row.body) === row.sum &&
      row.body.includes(`"outcome":"${row.outcome}"`) &&
      keyOfScore(row) === keyIn(row.key),
  ),
  check<{ readonly name: string; readonly text: string; readonly sum: number }>(
    'memory',
    page('*', 'memory'),
    row => row.name,
    ({ sum }, row) => sum(row.name, row.text) === row.sum,
  ),
  check<BatchRow>(
    'batch',
    page('*', 'batch'),
    row => row.name,
    (sums, row) => computeBatchSum(sums, row) === row.sum,
  ),
  check<ItemRow>(
    'item',
    page('*', 'item'),
    row => `doc ${fromColumn(row.doc_id)} of task ${row.task} of run ${row.run}`,
    (sums, row) => sumOfItem(sums, { ...row, doc_id: fromColumn(row.doc_id) }) === row.sum,
  ),
  check<FailureRow>(
    'failure',
    page('*', 'failure'),
    row => `of item ${row.item}`,
    (sums, row) => sumOfFailure(sums, fromFailureRow(row)) === row.sum,
  ),
  check<LabelRow>(
    'label',
    page(labelColumns, 'label l', 'l.id'),
    row => `of ${row.author} of ${row.task}/${row.doc}`,
    (sums, row) => sumOfLabel(sums, fromLabelRow(row)) === row.sum,
  ),
  check<TagRow>(
    'run_tag',
    page('*', 'run_tag'),
    row => `of run ${row.run}`,
    (sums, row) => sumOfTag(sums, row) === row.sum,
  ),
  check<JobRow>(
    'job',
    page('*', 'job'),
    row => row.uuid,
    (sums, row) => sumOfJob(sums, row) === row.sum,
  ),
  check<JobEventRow>(
    'job_event',
    page('*', 'job_event'),
    row => `${row.number} of job ${row.job}`,
    (sums, row) => sumOfEvent(sums, row) === row.sum,
  ),
  check<TokenRow & { readonly token: string }>(
    'token',
    page('number AS id, id AS token, name, scope, hash, created, expires, sum', 'token', 'number'),
    row => row.token,
    (sums, { token, ...row }) => sumOfToken(sums, { ...row, id: token }) === row.sum,
  ),
]

interface ProgressRow {
  readonly run: number
  readonly task: number
  readonly docs: number
  readonly finished: number
  readonly sum: number
}

/** A check of a small table without a number in each row. */
export const progressSql = 'SELECT * FROM input_progress ORDER BY run, task'
export const isProgressSound = (sums: RowSums, { run, task, docs, finished, sum }: ProgressRow): boolean =>
  sumOfProgress(sums, run, task, docs, finished) === sum

interface FileRow {
  readonly run: number
  readonly path: string
  readonly digest: Buffer
  readonly sum: number
}

export const filesSql = 'SELECT * FROM run_file ORDER BY run, path'
export const isFileSound = (sums: RowSums, { run, path, digest, sum }: FileRow): boolean =>
  sumOfFile(sums, run, path, digest.toString('hex')) === sum

export type { FileRow, ProgressRow }
