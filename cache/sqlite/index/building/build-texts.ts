import type { Input, JudgeRecord, ResponseBody } from '../../../records.js'
import type { SqliteDatabase } from '../../connection/database.js'
import type { DocPlace } from '../../../store.js'
import { newestRows, runName, type BuildTarget } from './build-target.js'
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

interface Row {
  readonly task: number
  readonly doc: number
  readonly doc_id: string
  readonly input: string | null
  readonly record: string | null
  readonly body: string | null
}

const columnsSql = `
  SELECT i.task, i.doc, i.doc_id, n.preimage AS input, c.preimage AS record, s.body
  FROM item i LEFT JOIN record c ON c.id = i.record LEFT JOIN request r ON r.id = i.request
    LEFT JOIN instance n ON n.id = r.instance LEFT JOIN response s ON s.request = i.request`
const pageSql = `${columnsSql}
  WHERE i.run = @run AND (i.task, i.doc) > (@task, @doc) ORDER BY i.task, i.doc, i.choice, i.sample LIMIT @limit`
const docSql = `${columnsSql} WHERE i.run = @run AND i.task = @task AND i.doc = @doc ORDER BY i.choice, i.sample`
const movedSql = `
  SELECT s.seq AS number, i.task, i.doc AS "index" FROM response s JOIN item i ON i.request = s.request AND i.run = @run
  WHERE s.seq > @after ORDER BY s.seq LIMIT 1000`
const failedSql = `
  SELECT f.id AS number, i.task, i.doc AS "index" FROM failure f JOIN item i ON i.id = f.item
  WHERE f.run = @run AND f.id > @after ORDER BY f.id LIMIT 1000`

const pageSize = 2_000

/**
 * Adds the texts of a run to the search, in the order of its samples, and then those of answers that came later. It yields true after each commit, where it can
 * be interrupted without loss.
 */
export function* buildTexts(databases: BuildDatabases, target: BuildTarget): Generator<boolean> {
  const { index } = databases
  const begun = beginTexts(databases, target)
  if (begun.finished === 0) yield* firstPass(databases, target, begun)
  const done = textRow(index, target)
  if (done !== undefined) yield* laterAnswers(databases, target, done)
}

export const textRow = (index: SqliteDatabase, target: BuildTarget): TextRow | undefined =>
  index.prepare<unknown[], TextRow>('SELECT * FROM text WHERE target = ?').get(runName(target))

function beginTexts({ index, store }: BuildDatabases, target: BuildTarget): TextRow {
  const found = textRow(index, target)
  if (found !== undefined) return found
  const { response, failure } = newestRows(store)
  return index
    .transaction((): TextRow => {
      const made = index
        .prepare<unknown[], TextRow>(
          `INSERT INTO text (target, task, doc, samples, finished, response, failure) VALUES (?, -1, -1, 0, 0, ?, ?) RETURNING *`,
        )
        .get(runName(target), response ?? 0, failure ?? 0)
      if (made === undefined) throw new Error('internal error: texts not begun')
      const table = textTable(made.id)
      index.exec(
        `CREATE VIRTUAL TABLE ${table} USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')`,
      )
      return made
    })
    .immediate()
}

function* firstPass({ index, store }: BuildDatabases, target: BuildTarget, begun: TextRow): Generator<boolean> {
  const insert = index.prepare(`INSERT INTO ${textTable(begun.id)} (rowid, text) VALUES (?, ?)`)
  const save = index.prepare('UPDATE text SET task = ?, doc = ?, samples = ?, finished = ? WHERE id = ?')
  const page = store.prepare<unknown[], Row>(pageSql)
  let after: DocPlace = { task: begun.task, index: begun.doc }
  let { samples } = begun
  let pending: (readonly [place: number, text: string])[] = []
  for (let limit = pageSize; ;) {
    const rows = page.all({ run: target.run.ref, task: after.task, doc: after.index, limit })
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

function* laterAnswers({ index, store }: BuildDatabases, target: BuildTarget, done: TextRow): Generator<boolean> {
  const replace = index.prepare(`INSERT OR REPLACE INTO ${textTable(done.id)} (rowid, text) VALUES (?, ?)`)
  const doc = store.prepare<unknown[], Row>(docSql)
  // Answers of other runs are passed over, and need not be looked at again.
  const newest = newestRows(store)
  for (const kind of ['response', 'failure'] as const) {
    const sql = store.prepare<unknown[], DocPlace & { readonly number: number }>(
      kind === 'response' ? movedSql : failedSql,
    )
    const save = index.prepare(`UPDATE text SET ${kind} = ? WHERE id = ?`)
    for (let after = done[kind]; ;) {
      const moved = sql.all({ run: target.run.ref, after })
      const last = moved.at(-1)
      if (last === undefined) break
      const places = new Map(
        moved.map(({ task, index: at }) => [placeNumber({ task, index: at }), { task, index: at }]),
      )
      const texts = [...places.values()].map(({ task, index: at }) =>
        makeDocText(doc.all({ run: target.run.ref, task, doc: at })),
      )
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

/** Returns a function that reads the text of one sample, as the search sees it. */
export function textAt(store: SqliteDatabase, { run: { ref } }: BuildTarget): (place: DocPlace) => string {
  const statement = store.prepare<unknown[], Row>(docSql)
  return ({ task, index }) => {
    const rows = statement.all({ run: ref, task, doc: index })
    return rows.length === 0 ? '' : makeDocText(rows)[1]
  }
}

/** The last user message, the answers, the target and the id of a doc. Examples in a prompt would make all docs alike. */
function makeDocText(rows: readonly Row[]): readonly [place: number, text: string] {
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
  const text = texts.map(one => searchableText(one.slice(0, mostCharacters))).join('\n')
  return [placeNumber({ task: first.task, index: first.doc }), text]
}

function extractPromptText(input: Input | undefined): string {
  const messages = input?.messages ?? []
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1)
  return (last?.content ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join(' ')
}
