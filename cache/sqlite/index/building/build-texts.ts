import type { Input, JudgeRecord, ResponseBody } from '../../../records.js'
import type { SqliteDatabase } from '../../connection/database.js'
import type { DocPlace } from '../../../store.js'
import { runName, type BuildTarget } from './build-target.js'
import type { IndexSource, TextSourceRow } from '../source/index-source.js'
import type { BuildDatabases } from './build-columns.js'
import { placeNumber } from '../places.js'
import { parseStoredJson } from './read-facts.js'
import { searchableText } from '../searching/text-query.js'
import { byDoc } from '../../../rows/answers.js'

export interface TextRow {
  readonly id: number
  readonly task: number
  readonly doc: number
  readonly samples: number
  readonly finished: number
  readonly response: number
  readonly failure: number
}

export const textTable = (id: number): string => `text_${id}`

/** The maximum number of characters of one text that the search looks at. */
const mostCharacters = 20_000
/** Samples that are committed at once. */
const batch = 32_000

const pageSize = 2_000

/**
 * Adds the texts of a run to the search, in the order of its samples, then texts of later answers. It yields true after each commit, where an
 * interruption loses nothing.
 */
export async function* buildTexts(databases: BuildDatabases, target: BuildTarget): AsyncGenerator<boolean> {
  const { index } = databases
  const begun = await beginTexts(databases, target)
  if (begun.finished === 0) yield* firstPass(databases, target, begun)
  const done = textRow(index, target)
  if (done !== undefined) yield* laterAnswers(databases, target, done)
}

export const textRow = (index: SqliteDatabase, target: BuildTarget): TextRow | undefined =>
  index.prepare<unknown[], TextRow>('SELECT * FROM text WHERE target = ?').get(runName(target))

async function beginTexts({ index, store }: BuildDatabases, target: BuildTarget): Promise<TextRow> {
  const earlierRow = textRow(index, target)
  if (earlierRow !== undefined) return earlierRow
  const { response, failure } = await store.readNewest()
  return index
    .transaction((): TextRow => {
      const newRow = index
        .prepare<unknown[], TextRow>(
          `INSERT INTO text (target, task, doc, samples, finished, response, failure) VALUES (?, -1, -1, 0, 0, ?, ?) RETURNING *`,
        )
        .get(runName(target), response ?? 0, failure ?? 0)
      if (newRow === undefined) throw new Error('internal error: texts not begun')
      const table = textTable(newRow.id)
      index.exec(
        `CREATE VIRTUAL TABLE ${table} USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')`,
      )
      return newRow
    })
    .immediate()
}

async function* firstPass(
  { index, store }: BuildDatabases,
  target: BuildTarget,
  begun: TextRow,
): AsyncGenerator<boolean> {
  const insert = index.prepare(`INSERT INTO ${textTable(begun.id)} (rowid, text) VALUES (?, ?)`)
  const save = index.prepare('UPDATE text SET task = ?, doc = ?, samples = ?, finished = ? WHERE id = ?')
  let after: DocPlace = { task: begun.task, index: begun.doc }
  let { samples } = begun
  let pending: (readonly [place: number, text: string])[] = []
  for (let limit = pageSize; ;) {
    const rows = await store.readTexts(target, after, limit)
    const groups = byDoc(rows)
    if (rows.length === limit) groups.pop()
    if (groups.length === 0 && rows.length === limit) {
      limit *= 2
      continue
    }
    for (const group of groups) pending.push(makeDocText(group))
    const last = groups.at(-1)?.[0]
    if (last !== undefined) after = { task: last.task, index: last.doc }
    if (last === undefined || pending.length >= batch) {
      index.transaction(() => {
        for (const [position, text] of pending) insert.run(position, text)
        samples += pending.length
        save.run(after.task, after.index, samples, last === undefined ? 1 : 0, begun.id)
      })()
      pending = []
    }
    if (last === undefined) return
    yield pending.length === 0
  }
}

async function* laterAnswers(
  { index, store }: BuildDatabases,
  target: BuildTarget,
  done: TextRow,
): AsyncGenerator<boolean> {
  const replace = index.prepare(`INSERT OR REPLACE INTO ${textTable(done.id)} (rowid, text) VALUES (?, ?)`)
  // Answers of other runs are skipped, and not checked again.
  const newest = await store.readNewest()
  for (const kind of ['response', 'failure'] as const) {
    const save = index.prepare(`UPDATE text SET ${kind} = ? WHERE id = ?`)
    for (let after = done[kind]; ;) {
      const moved = await store.listMoved(kind, target, after)
      const last = moved.at(-1)
      if (last === undefined) break
      const places = new Map(
        moved.map(({ task, index: at }) => [placeNumber({ task, index: at }), { task, index: at }]),
      )
      const texts: (readonly [place: number, text: string])[] = []
      for (const place of places.values()) texts.push(makeDocText(await store.readDocText(target, place)))
      index.transaction(() => {
        for (const [position, text] of texts) replace.run(position, text)
        save.run(last.number, done.id)
      })()
      after = last.number
      yield true
    }
    save.run(Math.max(newest[kind] ?? 0, textRow(index, target)?.[kind] ?? 0), done.id)
  }
}

/** Reads the text of one sample, as the search sees it. */
export async function readSampleText(store: IndexSource, target: BuildTarget, place: DocPlace): Promise<string> {
  const rows = await store.readDocText(target, place)
  return rows.length === 0 ? '' : makeDocText(rows)[1]
}

/** The last user message, the answers, the target and the id of a doc. Examples in a prompt would make all docs alike. */
function makeDocText(rows: readonly TextSourceRow[]): readonly [place: number, text: string] {
  const [first] = rows
  if (first === undefined) throw new Error('internal error: a doc without items')
  const record = parseStoredJson(first.record) as JudgeRecord | undefined
  const target = record?.target
  const answers = new Set(rows.map(({ body }) => (parseStoredJson(body) as ResponseBody | undefined)?.text ?? ''))
  const texts = [
    extractPromptText(parseStoredJson(first.input) as Input | undefined),
    ...answers,
    typeof target === 'string' ? target : JSON.stringify(target ?? ''),
    first.doc_id,
    ...(record?.choices ?? []),
  ]
  const text = texts.map(part => searchableText(part.slice(0, mostCharacters))).join('\n')
  return [placeNumber({ task: first.task, index: first.doc }), text]
}

function extractPromptText(input: Input | undefined): string {
  const messages = input?.messages ?? []
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1)
  return (last?.content ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join(' ')
}
