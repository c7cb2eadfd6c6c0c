/** Defines the Parquet tables of a sealed run. A bundle has the same tables. */
import { join } from 'node:path'
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import type { Manifest } from '../manifest.js'
import type { FailureRow, ItemRow, PreimageRow, ResponseRow, VerdictRow, PortableRun, Table } from '../portable.js'
import type { Columns, Flat } from '../../parquet/columns.js'
import { readParquet } from '../../parquet/read.js'
import type { ResponseBody, ScoreBody } from '../../records.js'

/** The Parquet columns of preimages. */
export const preimageColumns: Columns<PreimageRow> = {
  kind: { type: 'text', layout: 'repeated' },
  key: { type: 'text', layout: 'digest' },
  preimage: { type: 'text' },
}

/** The Parquet columns of items. */
export const itemColumns: Columns<ItemRow> = {
  task: { type: 'text', layout: 'repeated' },
  doc_index: { type: 'integer' },
  doc_id: { type: 'text' },
  choice: { type: 'integer', layout: 'repeated' },
  sample: { type: 'integer', layout: 'repeated' },
  draw: { type: 'integer', nullable: true, layout: 'repeated' },
  response_key: { type: 'text', nullable: true, layout: 'digest' },
  input_key: { type: 'text', nullable: true, layout: 'digest' },
  input: { type: 'text', nullable: true },
  config_key: { type: 'text', nullable: true, layout: 'repeated' },
  code_key: { type: 'text', nullable: true, layout: 'repeated' },
  record_key: { type: 'text', layout: 'digest' },
  record: { type: 'text' },
}

/** The Parquet columns of responses. */
const responseColumns: Columns<ResponseRow> = {
  response_key: { type: 'text', layout: 'digest' },
  answer: { type: 'text', layout: 'digest' },
  body: { type: 'text' },
  meta: { type: 'text' },
}

/** A response with the text and finish reason, copied from `body` into columns for people who read the file. */
export interface SealedResponse extends ResponseRow {
  readonly text: string
  readonly finish_reason: string
}

/** The Parquet columns of responses in a sealed run. */
export const sealedResponseColumns: Columns<SealedResponse> = {
  ...responseColumns,
  text: { type: 'text' },
  finish_reason: { type: 'text', layout: 'repeated' },
}

export function sealedResponse(row: ResponseRow): SealedResponse {
  const body = JSON.parse(row.body) as ResponseBody
  return { ...row, text: body.text, finish_reason: body.finishReason }
}

/** The Parquet columns of failures. */
export const failureColumns: Columns<FailureRow> = {
  task: { type: 'text', layout: 'repeated' },
  doc_index: { type: 'integer' },
  choice: { type: 'integer', layout: 'repeated' },
  sample: { type: 'integer', layout: 'repeated' },
  class: { type: 'text', layout: 'repeated' },
  message: { type: 'text' },
  attempts: { type: 'integer' },
  at: { type: 'time' },
}

/** The Parquet columns of verdicts. */
const verdictColumns: Columns<VerdictRow> = {
  task: { type: 'text', layout: 'repeated' },
  doc_index: { type: 'integer' },
  doc_id: { type: 'text' },
  score_key: { type: 'text', nullable: true, layout: 'digest' },
  answers: { type: 'text', nullable: true, layout: 'digest' },
  body: { type: 'text', nullable: true },
  record_key: { type: 'text', layout: 'digest' },
  revision: { type: 'text', nullable: true },
}

/** A verdict with the outcome and values, copied from `body`. Both are null if the doc has no score. */
export interface SealedVerdict extends VerdictRow {
  readonly outcome: string | null
  /** JSON: the values by metric. */
  readonly values: string | null
}

/** The Parquet columns of verdicts in a sealed run. */
export const sealedVerdictColumns: Columns<SealedVerdict> = {
  ...verdictColumns,
  outcome: { type: 'text', nullable: true, layout: 'repeated' },
  values: { type: 'text', nullable: true, layout: 'repeated' },
}

export function sealedVerdict(row: VerdictRow): SealedVerdict {
  const { task, doc_index, doc_id, score_key, answers, body, record_key, revision } = row
  const { outcome, values } = outcomeIn(body)
  return { task, doc_index, doc_id, score_key, answers, body, record_key, revision, outcome, values }
}

function outcomeIn(body: string | null): Pick<SealedVerdict, 'outcome' | 'values'> {
  if (body === null) return { outcome: null, values: null }
  const { outcome, values } = JSON.parse(body) as ScoreBody
  return { outcome, values: JSON.stringify(values) }
}

/**
 * Reads a run from a manifest and the Parquet parts in a folder. A table without rows has no part. If a part is not as
 * expected, reading its table throws PipelineError (bundle) with `source` and the part's name.
 */
export function sealedTables(source: string, folder: string, manifest: Manifest): PortableRun {
  const table = <Row extends Flat<Row>>(name: string, columns: Columns<Row>): Table<Row> =>
    async function* () {
      if (!manifest.parts.some(part => part.name === name)) return
      try {
        yield* readParquet(join(folder, name), columns)
      } catch (error) {
        throw new PipelineError('bundle', `${source}: part ${name} can't be read: ${messageOf(error)}`, {
          cause: error,
        })
      }
    }
  const { remarks } = manifest
  return {
    ...manifest.run,
    ...(remarks && { remarks: () => Promise.resolve(remarks) }),
    pending: manifest.pending,
    preimages: table('preimages.parquet', preimageColumns),
    items: table('inputs.parquet', itemColumns),
    responses: table('responses.parquet', responseColumns),
    failures: table('failures.parquet', failureColumns),
    judgements: manifest.judgements.map(({ part, ...judgement }) => ({
      ...judgement,
      verdicts: table(part, verdictColumns),
    })),
  }
}
