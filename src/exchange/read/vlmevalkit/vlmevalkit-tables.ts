import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { largestRecordLimit } from '../../../../base/files/record-limit.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { openCsv } from '../../../../stages/input/datasets/csv/csv.js'
import { itemsOfFile } from '../../../../stages/input/datasets/json/json-items.js'
import { parseFields } from '../loose-values.js'
import { xlsxRows } from '../xlsx/xlsx.js'

/** The formats that VLMEvalKit writes tables in. */
const extensions = ['.xlsx', '.tsv', '.csv', '.json']

export const isTable = (path: string): boolean => extensions.includes(extname(path))

/** Yields the rows of a table. Cells without a value are left out. */
export async function* tableRows(file: string): AsyncGenerator<JsonObject> {
  if (file.endsWith('.json')) {
    for await (const { text, line } of itemsOfFile(file, largestRecordLimit))
      yield parseFields(text, () => `${shownPath(file)}:${line}`)
    return
  }
  if (!file.endsWith('.xlsx')) {
    // An answer such as `1` stays a text.
    const table = await openCsv(file, { untyped: new Set(['prediction', 'thinking']), limit: largestRecordLimit })
    for await (const row of table.rows()) yield withoutGaps(Object.entries(row as JsonObject))
    return
  }
  let names: readonly string[] | undefined
  for await (const cells of xlsxRows(file)) {
    if (names === undefined) names = cells.map(cell => String(cell ?? ''))
    else yield withoutGaps(names.map((name, at) => [name, cells[at]] as const))
  }
}

const withoutGaps = (fields: readonly (readonly [string, Json | undefined])[]): JsonObject =>
  Object.fromEntries(
    fields.filter(([name, value]) => name !== '' && value !== null && value !== undefined && value !== ''),
  )

/** The columns that VLMEvalKit's evaluations add for each row. */
export const scoreColumns = ['hit', 'score', 'eval_score', 'eval_match', 'acc', 'rating', 'verifier_match'] as const

/** The predictions of a model for a dataset, and what evaluations wrote beside them. */
export interface PredictionTable {
  readonly file: string
  /** `<model>_<dataset>`, the name of the file. */
  readonly name: string
  /** Tables with the score of each row, with what their names add to `name`. */
  readonly scored: readonly { readonly file: string; readonly suffix: string }[]
  /** Tables with scores of the whole dataset. */
  readonly summaries: readonly string[]
}

/** Finds the predictions at a path, which is their file or a folder that contains such files. */
export async function predictionsAt(path: string): Promise<readonly PredictionTable[]> {
  if (!(await stat(path)).isDirectory()) {
    const tables = await predictionsIn(dirname(path))
    return tables.filter(({ file }) => basename(file) === basename(path))
  }
  const tables = await predictionsIn(path)
  if (tables.length > 0) return tables
  const folders = (await readdir(path, { withFileTypes: true })).filter(entry => entry.isDirectory())
  const below: PredictionTable[] = []
  for (const { name } of folders) below.push(...(await predictionsAt(join(path, name))))
  return below
}

async function predictionsIn(folder: string): Promise<readonly PredictionTable[]> {
  const tables = (await readdir(folder)).filter(isTable).sort()
  const columns = new Map<string, ReadonlySet<string>>()
  for (const name of tables) columns.set(name, await readColumns(join(folder, name)))
  const has = (name: string, ...wanted: readonly string[]): boolean =>
    wanted.every(column => columns.get(name)?.has(column) === true)
  const answered = tables.filter(name => has(name, 'index', 'prediction'))
  // A table with scores repeats the predictions, and has a longer name than their table.
  const predictions = answered.filter(
    name => !scoreColumns.some(column => has(name, column)) || !answered.some(other => extendsName(name, other)),
  )
  const findOwner = (name: string): string | undefined =>
    predictions.filter(owner => extendsName(name, owner)).sort((left, right) => right.length - left.length)[0]
  const others = tables.filter(name => !predictions.includes(name))
  return predictions.map(own => {
    const stem = removeExtension(own)
    const beside = others.filter(name => findOwner(name) === own)
    const scored = beside.filter(name => has(name, 'index') && scoreColumns.some(column => has(name, column)))
    return {
      file: join(folder, own),
      name: stem,
      scored: scored.map(name => ({ file: join(folder, name), suffix: removeExtension(name).slice(stem.length + 1) })),
      summaries: beside.filter(name => /_(acc|score)\.csv$/.test(name)).map(name => join(folder, name)),
    }
  })
}

const removeExtension = (name: string): string => name.slice(0, -extname(name).length)

const extendsName = (name: string, other: string): boolean =>
  name !== other && removeExtension(name).startsWith(`${removeExtension(other)}_`)

/** Returns the columns of a table's first row. A file that is no table, such as `status.json`, has none. */
async function readColumns(file: string): Promise<ReadonlySet<string>> {
  try {
    if (file.endsWith('.xlsx')) {
      for await (const cells of xlsxRows(file)) return new Set(cells.map(cell => String(cell ?? '')))
    } else if (file.endsWith('.json')) {
      for await (const row of tableRows(file)) return new Set(Object.keys(row))
    } else return new Set((await openCsv(file, { limit: largestRecordLimit })).columns.map(({ name }) => name))
  } catch (error) {
    // Damage of the table of predictions is reported when it is read again.
    if (!(error instanceof PipelineError) || !file.endsWith('.json')) throw error
  }
  return new Set()
}
