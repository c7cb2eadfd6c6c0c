/** Reads files of answers that were made elsewhere: a JSON object a line, with the name of a doc and an answer. */
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { parseExactJson } from '../../../stages/input/datasets/json/exact-json.js'
import { numberedLines } from '../../../stages/input/datasets/text-lines.js'

/** The columns of a file of answers. */
export interface AnswerColumns {
  readonly id: string
  readonly answer: string
}

/** One answer of a file. */
export interface AnswerRow {
  readonly line: number
  readonly id: string
  /** Absent if the row has no answer (`null`). */
  readonly answer?: string
  /** The finish reason, such as `stop` or `length`, if the row gives one. */
  readonly finish?: string
  /** The row's task, if it names one. */
  readonly task?: string
  /** The row's sample number within its doc, if it has one. */
  readonly sample?: string
}

/** The answers of a file, with the columns that they were read from. */
export interface AnswerFile {
  readonly columns: AnswerColumns
  readonly rows: readonly AnswerRow[]
}

const idColumns = ['doc_id', 'id', 'question_id', 'index']
const answerColumns = ['answer', 'response', 'output', 'prediction', 'completion', 'text']
const finishColumns = ['finish_reason', 'stop_reason', 'finishReason']
const sampleColumns = ['sample', 'repeat', 'epoch']

/**
 * Reads a file of answers.
 *
 * @param columns the names of columns. @default detected in the first row
 * @throws PipelineError with the line of a damaged row, or of a row without the column
 */
export async function readAnswerRows(file: string, columns: Partial<AnswerColumns> = {}): Promise<AnswerFile> {
  let columnNames: AnswerColumns | undefined
  const rows: AnswerRow[] = []
  for await (const { text, line, place } of numberedLines(file)) {
    const row = parseExactJson(text, () => place)
    if (!isObject(row))
      throw new PipelineError('bundle', `${place}  expected a JSON object, such as {"id": "q1", "answer": "blue"}`)
    columnNames ??= {
      id: findColumn(row, { given: columns.id, usual: idColumns, flag: 'idColumn', place }),
      answer: findColumn(row, { given: columns.answer, usual: answerColumns, flag: 'answerColumn', place }),
    }
    rows.push(readRow(row, columnNames, { line, place }))
  }
  if (columnNames === undefined) throw new PipelineError('bundle', `${shownPath(file)} holds no answers`)
  return { columns: columnNames, rows }
}

type Row = Readonly<Record<string, unknown>>

function findColumn(
  row: Row,
  {
    given,
    usual,
    flag,
    place,
  }: {
    readonly given: string | undefined
    readonly usual: readonly string[]
    readonly flag: string
    readonly place: string
  },
): string {
  const name = given ?? usual.find(column => Object.hasOwn(row, column))
  if (name !== undefined && Object.hasOwn(row, name)) return name
  const has = Object.keys(row).join(', ')
  throw new PipelineError(
    'bundle',
    given === undefined
      ? `${place}  none of the columns ${usual.join(', ')} is here, but ${has}. Name the column with ${option(flag)}.`
      : `${place}  ${option(flag)}: the row has no column "${given}", but ${has}`,
  )
}

function readRow(
  row: Row,
  { id, answer }: AnswerColumns,
  { line, place }: { readonly line: number; readonly place: string },
): AnswerRow {
  const docName = row[id]
  if (typeof docName !== 'string' && typeof docName !== 'number')
    throw new PipelineError('bundle', `${place}  ${id}: expected a text or a number that names a doc`)
  if (!Object.hasOwn(row, answer)) throw new PipelineError('bundle', `${place}  the row has no column "${answer}"`)
  const text = answerText(row[answer])
  const sample = sampleColumns
    .map(name => row[name])
    .find(value => typeof value === 'number' || typeof value === 'string')
  const finish = finishColumns.map(name => row[name]).find(value => typeof value === 'string')
  const { task } = row
  return {
    line,
    id: String(docName),
    ...(text !== undefined && { answer: text }),
    ...(finish !== undefined && { finish }),
    ...(typeof task === 'string' && { task }),
    ...(sample !== undefined && { sample: String(sample) }),
  }
}

/** Answers that are no texts, such as parsed JSON, are scored as JSON. */
const answerText = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value)
