import { z } from 'zod'
import { mistakeLines } from '../../../base/errors/schema-mistakes.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { labelValues, type LabelValue } from '../../../cache/records.js'
import { csvRecords, OpenRecordError } from '../../../stages/input/datasets/csv/csv-records.js'

/** A label in a file: an author's label of the answer to a doc. */
export interface LabelRow {
  /** The task of the doc. Absent if the file names none. */
  readonly task?: string
  readonly doc: string
  readonly label: LabelValue
  readonly author: string
}

const rowSchema = z.object({
  task: z.string().optional(),
  doc_id: z.union([z.string(), z.number()]).transform(String),
  label: z.enum(labelValues).nullable(),
  author: z.string().default('unnamed'),
})

/** The maximum number of mistakes in one message. */
const mostMistakes = 20

/**
 * Reads labels from a file of JSON lines or CSV with the fields `doc_id`, `label` and, if there are several of either, `task` and `author`, as
 * `labels export` and `labels export --csv` write them. Other fields and withdrawn labels are ignored. The last label of an author counts.
 *
 * @param file the name of the file, for messages; CSV if it ends in `.csv`
 * @throws PipelineError (usage) with the file and line of each mistake
 */
export async function readLabelRows(text: string, file: string): Promise<readonly LabelRow[]> {
  const records = /\.csv$/i.test(file) ? await readCsvRecords(text, file) : readJsonRecords(text)
  const newest = new Map<string, LabelRow | undefined>()
  const mistakes: string[] = []
  for (const { line, value } of records) {
    const { success, data, error } = rowSchema.safeParse(value)
    if (!success) {
      const lineMistakes = mistakeLines(error.issues, value, { from: 'json', whole: 'the line' })
      mistakes.push(...lineMistakes.map(mistake => `${file}:${line}  ${mistake}`))
      continue
    }
    const { task, doc_id: doc, label, author } = data
    const row = label === null ? undefined : { doc, label, author, ...(task === undefined ? {} : { task }) }
    newest.set(JSON.stringify([task, doc, author]), row)
  }
  if (mistakes.length > 0) throw new PipelineError('usage', mistakes.slice(0, mostMistakes))
  return [...newest.values()].flatMap(row => row ?? [])
}

interface FileRecord {
  readonly line: number
  readonly value: unknown
}

const readJsonRecords = (text: string): readonly FileRecord[] =>
  text
    .replace(/^\ufeff/, '')
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [{ line: i + 1, value: parseLine(line) }]))

/** A line that is no JSON is no object either, which the schema says. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

/** Reads the records of a CSV file with a header. A record's number replaces its line, because a cell may have line breaks. */
async function readCsvRecords(text: string, file: string): Promise<readonly FileRecord[]> {
  const records: (readonly string[])[] = []
  async function* pieces(): AsyncGenerator<string> {
    await Promise.resolve()
    yield text.replace(/^\ufeff/, '')
  }
  try {
    for await (const part of csvRecords(pieces(), { separator: ',' })) records.push(...part)
  } catch (error) {
    if (!(error instanceof OpenRecordError)) throw error
    const line = text.slice(0, error.offset).split('\n').length
    throw new PipelineError('usage', `${file}:${line}  a quoted value has no end: close it with "`, { cause: error })
  }
  const [header, ...rows] = records
  if (header === undefined || !header.includes('doc_id') || !header.includes('label'))
    throw new PipelineError('usage', `${file}:1  expected a header with the columns doc_id and label`)
  return rows
    .filter(row => row.some(cell => cell !== ''))
    .map((row, i) => ({
      line: i + 2,
      value: Object.fromEntries(
        header.flatMap((name, at) => ((row[at] ?? '') === '' ? [] : [[name, unprotect(row[at] ?? '')]])),
      ),
    }))
}

/** `labels export --csv` writes an apostrophe before a text that a spreadsheet would compute, or that begins with one. */
const unprotect = (cell: string): string => cell.replace(/^'/, '')
