import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { present } from '../../../base/values/present.js'
import { without } from '../../../base/values/without.js'
import type { JsonObject } from '../../../cache/records.js'
import type { ForeignAnswer, ForeignSample } from '../foreign-log.js'
import { nameIn, scoresIn } from './loose-values.js'
import { scoreColumns, tableRows } from './vlmevalkit-tables.js'

/** A table with the score of each row. */
export interface ScoredTable {
  readonly file: string
  readonly filter?: string
}

type Scores = Readonly<Record<string, number>>

/** Yields the rows of a table of predictions. Their scores are in other tables, in another order, and kept in memory. */
export async function* kitSamples(file: string, scored: readonly ScoredTable[]): AsyncGenerator<ForeignSample> {
  const tables: ReadonlyMap<string, Scores>[] = []
  for (const table of scored) tables.push(await scoresOf(table))
  const seen = new Set<string>()
  let row = 0
  for await (const fields of tableRows(file)) {
    row++
    const id = fields['index']
    if (typeof id !== 'string' && typeof id !== 'number')
      throw new PipelineError('dataset', `${shownPath(file)}, row ${row}  no index`)
    if (seen.has(String(id)))
      throw new PipelineError('dataset', `${shownPath(file)}, row ${row}  the index ${id} occurs twice`)
    seen.add(String(id))
    const scores = [scoresHere(fields), ...tables.map(table => table.get(JSON.stringify(id)) ?? {})]
    const choices = choicesIn(fields)
    yield {
      // An index names a row, and is not its place: some datasets add a million for each repetition of a question.
      id: String(id),
      doc: without(fields, 'index', 'prediction', 'thinking', 'image', ...scoreColumns),
      ...present({ target: fields['answer'], choices: choices.length > 0 ? choices : undefined }),
      answers: [answerIn(fields)],
      scores: Object.fromEntries(scores.flatMap(one => Object.entries(one))),
    }
  }
}

/** Some evaluations write scores into the table of predictions itself. */
const scoresHere = (fields: JsonObject): Scores =>
  scoresIn(Object.fromEntries(scoreColumns.flatMap(name => (name in fields ? [[name, fields[name]] as const] : []))))

async function scoresOf({ file, filter }: ScoredTable): Promise<ReadonlyMap<string, Scores>> {
  const scores = new Map<string, Scores>()
  for await (const fields of tableRows(file)) {
    const named = Object.entries(scoresHere(fields)).map(
      ([name, value]) => [filter === undefined ? name : `${name},${filter}`, value] as const,
    )
    scores.set(JSON.stringify(fields['index']), Object.fromEntries(named))
  }
  return scores
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
