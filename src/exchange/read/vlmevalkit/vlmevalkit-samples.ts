import { type GrowingColumn, growingColumn } from '../../../../base/collections/growing-column.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { present } from '../../../../base/values/present.js'
import { without } from '../../../../base/values/without.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { ForeignAnswer, ForeignSample } from '../../foreign-log.js'
import { nameIn, scoresIn } from '../loose-values.js'
import { scoreColumns, tableRows } from './vlmevalkit-tables.js'

/** A table with the score of each row. */
export interface ScoredTable {
  readonly file: string
  readonly filter?: string
}

type Scores = Readonly<Record<string, number>>

/** Yields the rows of a table of predictions. Their scores are in other tables, in another order, and kept in memory. */
export async function* kitSamples(file: string, scored: readonly ScoredTable[]): AsyncGenerator<ForeignSample> {
  const tables: ScoreColumns[] = []
  for (const table of scored) tables.push(await readScores(table))
  const keys = new Set<string>()
  let row = 0
  for await (const fields of tableRows(file)) {
    row++
    const id = fields['index']
    if (typeof id !== 'string' && typeof id !== 'number')
      throw new PipelineError('dataset', `${shownPath(file)}, row ${row}  no index`)
    // A part of a longer text would keep all of it in memory, and this is a copy.
    const key = JSON.stringify(id)
    if (keys.has(key))
      throw new PipelineError('dataset', `${shownPath(file)}, row ${row}  the index ${id} occurs twice`)
    keys.add(key)
    const scores = [scoresHere(fields), ...tables.map(table => table.of(id))]
    const choices = choicesIn(fields)
    yield {
      // An index is the name of a row, not its position. Some datasets add a million for each repetition of a question.
      id: String(id),
      doc: without(fields, 'index', 'prediction', 'thinking', 'image', ...scoreColumns),
      ...present({ target: fields['answer'], choices: choices.length > 0 ? choices : undefined }),
      answers: [answerIn(fields)],
      scores: Object.fromEntries(scores.flatMap(rowScores => Object.entries(rowScores))),
    }
  }
}

/** Some evaluations write scores into the table of predictions itself. */
const scoresHere = (fields: JsonObject): Scores =>
  scoresIn(Object.fromEntries(scoreColumns.flatMap(name => (name in fields ? [[name, fields[name]] as const] : []))))

/** The scores of many rows, in a column for each metric. */
interface ScoreColumns {
  of(id: string | number): Scores
}

async function readScores({ file, filter }: ScoredTable): Promise<ScoreColumns> {
  const rows = new Map<string, number>()
  const columns = new Map<string, GrowingColumn>()
  for await (const fields of tableRows(file)) {
    const key = JSON.stringify(fields['index'])
    const row = rows.get(key) ?? rows.size
    rows.set(key, row)
    for (const [name, value] of Object.entries(scoresHere(fields))) {
      const metric = filter === undefined ? name : `${name},${filter}`
      const column = columns.get(metric) ?? growingColumn()
      columns.set(metric, column)
      while (column.length < row) column.push(Number.NaN)
      if (column.length === row) column.push(value)
    }
  }
  return {
    of(id) {
      const row = rows.get(JSON.stringify(id))
      if (row === undefined) return {}
      const values = [...columns].map(([metric, column]) => [metric, column.at(row)] as const)
      return Object.fromEntries(values.filter(([, value]) => !Number.isNaN(value)))
    },
  }
}

const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')

/** The choices are in columns named by letters. */
function choicesIn(fields: JsonObject): readonly string[] {
  const end = letters.findIndex(letter => fields[letter] === undefined)
  return letters.slice(0, end === -1 ? letters.length : end).map(letter => {
    const choice = fields[letter]
    return typeof choice === 'string' ? choice : JSON.stringify(choice)
  })
}

/** VLMEvalKit writes this in place of an answer after a request has failed. */
const failure = 'Failed to obtain answer'

function answerIn(fields: JsonObject): ForeignAnswer {
  const value = fields['prediction']
  // A cell without a value is an answer without text.
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return text.startsWith(failure) ? { error: text } : { text, ...present({ reasoning: nameIn(fields['thinking']) }) }
}
