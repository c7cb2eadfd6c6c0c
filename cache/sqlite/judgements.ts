import {
  digestBytes,
  type AnswerDigest,
  type CodeKey,
  type JudgeConfigKey,
  type RecordKey,
  type ResponseKey,
} from '../digest.js'
import { codeKey, judgeConfigKey, judgeRecordKey, scoreKey } from '../keys.js'
import type {
  Aggregate,
  Answer,
  AnsweredDoc,
  Judgement,
  JudgeRecord,
  ResponseBody,
  Run,
  ScoreBody,
  TaskJudging,
} from '../records.js'
import type { DraftScore, JudgeBatch, JudgeCursor } from '../store.js'
import type { Context } from './context.js'
import { checkedText, internPreimage, internText, numberOf } from './interning.js'
import { checkItem, type CheckableItem } from './items.js'
import { DamagedRowError, digestSql, toText } from './rows.js'
import { whileUnchanged } from './unchanged.js'

interface JudgementRow {
  readonly id: number
  readonly run: number
  readonly number: number
  readonly tasks: string
  readonly created: number
  readonly finished: number | null
  readonly aggregates: string | null
  readonly sum: number
}

function toJudgement(context: Context, row: JudgementRow): Judgement {
  if (context.sum(row.tasks, row.aggregates) !== row.sum) throw new DamagedRowError('judgement', row.id)
  return {
    ref: row.id,
    run: row.run,
    number: row.number,
    tasks: (JSON.parse(row.tasks) as TaskJudging[]).map(judging => ({ judging, ...judgingKeys(judging) })),
    createdAt: row.created,
    ...(row.finished === null ? {} : { finishedAt: row.finished }),
    ...(row.aggregates === null ? {} : { aggregates: JSON.parse(row.aggregates) as Aggregate[] }),
  }
}

/** The keys of the rules for one task. */
export const judgingKeys = ({ config, scorer }: TaskJudging): { config: JudgeConfigKey; scorer: CodeKey } => ({
  config: judgeConfigKey(config).key,
  scorer: codeKey(scorer).key,
})

/** Two judgements follow the same rules if these texts are the same. */
export const judgementText = (tasks: readonly TaskJudging[]): string => `[${tasks.map(toText).join(',')}]`

export const listJudgements = (context: Context, run: Run): readonly Judgement[] =>
  context
    .sql<JudgementRow>('SELECT * FROM judgement WHERE run = ? ORDER BY number')
    .all(run.ref)
    .map(row => toJudgement(context, row))

/** The newest judgement, if it follows these rules; else a new one. */
export function openJudgement(context: Context, run: Run, tasks: readonly TaskJudging[]): Promise<Judgement> {
  const text = judgementText(tasks)
  return context.commit.add(() => {
    const newest = context
      .sql<JudgementRow>('SELECT * FROM judgement WHERE run = ? ORDER BY number DESC LIMIT 1')
      .get(run.ref)
    for (const { config, scorer } of tasks) {
      internPreimage(context, { kind: 'judge-config', ...judgeConfigKey(config) })
      internPreimage(context, { kind: 'code', ...codeKey(scorer) })
    }
    if (newest?.tasks === text) {
      forgetFailures(context, newest.id)
      return toJudgement(context, newest)
    }
    const made = context
      .sql<JudgementRow>('INSERT INTO judgement (run, number, tasks, created, sum) VALUES (?, ?, ?, ?, ?) RETURNING *')
      .get(run.ref, (newest?.number ?? 0) + 1, text, context.now(), context.sum(text, null))
    if (made === undefined) throw new Error('internal error: judgement not made')
    return toJudgement(context, made)
  })
}

/** A judge that failed is asked again. */
const forgetFailures = (context: Context, judgement: number): void =>
  void context
    .sql(
      `DELETE FROM verdict WHERE judgement = ? AND score IN (SELECT id FROM score WHERE outcome NOT IN ('scored', 'unparsed'))`,
    )
    .run(judgement)

export function reviseRecords(
  context: Context,
  judgement: Judgement,
  task: number,
  records: readonly { index: number; record: JudgeRecord }[],
): Promise<void> {
  const keyed = records.map(({ index, record }) => ({ index, record: judgeRecordKey(record) }))
  return context.commit.add(() => {
    for (const { index, record } of keyed) {
      context
        .sql('INSERT OR REPLACE INTO revision (judgement, task, doc, record) VALUES (?, ?, ?, ?)')
        .run(judgement.ref, task, index, internText(context, 'record', record))
    }
  })
}

/** What is needed to know whether a doc can be scored and was; its texts are read only where it must be. */
interface DocRow extends CheckableItem {
  readonly record: number
  readonly record_key: RecordKey
  readonly judged: number | null
  readonly seq: number | null
  readonly digest: AnswerDigest
}

const docColumns = `
  SELECT i.id AS item, i.task, i.doc, i.choice, i.sample, i.doc_id, c.id AS record, ${digestSql('c.key')} AS record_key,
    i.record AS item_record, i.sum AS item_sum, v.score AS judged, i.request, s.seq, ${digestSql('s.digest')} AS digest
  FROM item i LEFT JOIN revision o ON o.judgement = @judgement AND o.task = i.task AND o.doc = i.doc
    JOIN record c ON c.id = coalesce(o.record, i.record)
    LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = @judgement AND v.task = i.task AND v.doc = i.doc`
const newItemsSql = `${docColumns} WHERE i.run = @run AND i.id > @after ORDER BY i.id LIMIT @limit`
const oneDocSql = `${docColumns} WHERE i.run = @run AND i.task = @task AND i.doc = @doc ORDER BY i.choice, i.sample`
// CROSS JOIN is SQLite's word for this order: else it goes through all items of the run to find a few new answers.
const newAnswersSql = `
  SELECT s.seq, i.task, i.doc FROM response s CROSS JOIN item i ON i.request = s.request
  WHERE s.seq > @after AND i.run = @run AND i.id <= @seen ORDER BY s.seq LIMIT @limit`

/** Docs that can be scored now: first all items in order, then those whose answers came since. */
export function docsToJudge(
  context: Context,
  judgement: Judgement,
  cursor: JudgeCursor,
  limit: number,
): Promise<JudgeBatch> {
  return context.commit.add(() => {
    const start = cursor.item === 0 && cursor.response === 0 ? { item: 0, response: newestResponse(context) } : cursor
    const { groups, item, itemsDone } = newItems(context, judgement, start.item, limit)
    const fresh = itemsDone
      ? newAnswers(context, judgement, { ...start, item }, limit)
      : { groups: [], response: start.response, done: false }
    const docs: AnsweredDoc[] = []
    const reused: ScoreBody['outcome'][] = []
    for (const rows of [...groups, ...fresh.groups]) {
      const [first] = rows
      // A score is there already, or an answer is missing.
      if (first === undefined || rows.some(row => row.judged !== null || row.seq === null)) continue
      for (const row of rows) checkItem(context, judgement.run, row)
      const key = scoreKeyOf(judgement, placeOf(first, rows))
      const outcome = reuse(context, judgement, first, key)
      if (outcome !== undefined) {
        reused.push(outcome)
        continue
      }
      const doc = answeredDoc(context, first, rows)
      lookedUp.set(doc, { judgement: judgement.ref, record: first.record, key })
      docs.push(doc)
    }
    return { docs, reused, next: { item, response: fresh.response }, exhausted: itemsDone && fresh.done }
  })
}

const newestResponse = (context: Context): number =>
  context.sql<{ seq: number | null }>('SELECT max(seq) AS seq FROM response').get()?.seq ?? 0

function newItems(
  context: Context,
  judgement: Judgement,
  after: number,
  limit: number,
): { groups: DocRow[][]; item: number; itemsDone: boolean } {
  const rows = context.sql<DocRow>(newItemsSql).all({ judgement: judgement.ref, run: judgement.run, after, limit })
  const groups = byDoc(rows)
  const itemsDone = rows.length < limit
  // A doc's items are committed together, so only the last doc of a full page can be cut short.
  const cut = itemsDone ? undefined : groups.pop()
  if (cut !== undefined && groups.length === 0) {
    const [first] = cut
    if (first !== undefined) groups.push(wholeDoc(context, judgement, first))
  }
  return { groups, item: groups.at(-1)?.at(-1)?.item ?? after, itemsDone }
}

function byDoc(rows: readonly DocRow[]): DocRow[][] {
  const groups: DocRow[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last?.[0]?.doc === row.doc && last[0].task === row.task) last.push(row)
    else groups.push([row])
  }
  return groups
}

const wholeDoc = (context: Context, judgement: Judgement, place: { task: number; doc: number }): DocRow[] =>
  context.sql<DocRow>(oneDocSql).all({ judgement: judgement.ref, run: judgement.run, task: place.task, doc: place.doc })

function newAnswers(
  context: Context,
  judgement: Judgement,
  cursor: JudgeCursor,
  limit: number,
): { groups: DocRow[][]; response: number; done: boolean } {
  const rows = context
    .sql<{ seq: number; task: number; doc: number }>(newAnswersSql)
    .all({ after: cursor.response, run: judgement.run, seen: cursor.item, limit })
  const places = new Map(rows.map(({ task, doc }) => [`${task}/${doc}`, { task, doc }]))
  return {
    groups: [...places.values()].map(place => wholeDoc(context, judgement, place)),
    response: rows.at(-1)?.seq ?? cursor.response,
    done: rows.length < limit,
  }
}

function answeredDoc(context: Context, first: DocRow, rows: readonly DocRow[]): AnsweredDoc {
  const record = context.sql<{ preimage: string }>('SELECT preimage FROM record WHERE id = ?').get(first.record)
  return {
    task: first.task,
    index: first.doc,
    id: first.doc_id,
    recordKey: first.record_key,
    record: JSON.parse(checkedText('record', first.record, first.record_key, record?.preimage ?? '')) as JudgeRecord,
    answers: rows.map(row => answerOf(context, row)),
  }
}

const answerSql = `
  SELECT ${digestSql('r.key')} AS key, s.body, s.meta, s.sum FROM response s JOIN request r ON r.id = s.request WHERE s.seq = ?`

function answerOf(context: Context, { choice, sample, request, seq, digest }: DocRow): Answer {
  const row = context.sql<{ key: ResponseKey; body: string; meta: string; sum: number }>(answerSql).get(seq)
  if (row === undefined) throw new Error('internal error: response vanished')
  const body = checkedBody(context, { request, seq, digest, body: row.body, meta: row.meta, sum: row.sum })
  return { choice, sample, key: row.key, digest, body }
}

/** The body of a response row. @throws DamagedRowError where it is not what was written. */
export const checkedBody = (context: Context, row: StoredResponse): ResponseBody =>
  JSON.parse(checkedBodyText(context, row)) as ResponseBody

interface StoredResponse {
  readonly seq: number | null
  readonly request: number | null
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
}

export function checkedBodyText(context: Context, row: StoredResponse): string {
  const sum = context.sum(row.request, row.digest, row.body, row.meta)
  if (sum !== row.sum) throw new DamagedRowError('response', row.seq ?? 0)
  return row.body
}

interface ScoredPlace {
  readonly task: number
  readonly recordKey: RecordKey
  readonly answers: readonly AnswerDigest[]
}

function scoredRules(judgement: Judgement, task: number): { config: JudgeConfigKey; scorer: CodeKey } {
  const rules = judgement.tasks[task]
  if (rules === undefined) throw new Error(`internal error: no rules for task ${task}`)
  return { config: rules.config, scorer: rules.scorer }
}

const scoreKeyOf = (judgement: Judgement, { task, recordKey, answers }: ScoredPlace): Buffer =>
  digestBytes(scoreKey({ answers, record: recordKey, ...scoredRules(judgement, task) }))

const placeOf = ({ task, record_key }: DocRow, rows: readonly DocRow[]): ScoredPlace => ({
  task,
  recordKey: record_key,
  answers: rows.map(row => row.digest),
})

/** What was looked up of a doc that was given out to be scored, and is needed again to keep its score. */
const lookedUp = new WeakMap<
  AnsweredDoc,
  { readonly judgement: number; readonly record: number; readonly key: Buffer }
>()

/** Takes a score that is in the store already, of this run or another. Its row is checked when it is read. */
function reuse(context: Context, judgement: Judgement, first: DocRow, key: Buffer): ScoreBody['outcome'] | undefined {
  const row = context
    .sql<{ id: number; outcome: ScoreBody['outcome'] }>('SELECT id, outcome FROM score WHERE key = ?')
    .get(key)
  // A judge that failed has no score to take.
  if (row === undefined || row.outcome === 'judge_failed' || row.outcome === 'error') return undefined
  insertVerdict(context, judgement, { task: first.task, index: first.doc }, row.id)
  return row.outcome
}

interface ScoreRow {
  readonly id: number
  readonly body: string
  readonly sum: number
}

const insertVerdict = (
  context: Context,
  judgement: Judgement,
  doc: { readonly task: number; readonly index: number },
  score: number,
): void =>
  void context
    .sql('INSERT OR REPLACE INTO verdict (judgement, task, doc, score) VALUES (?, ?, ?, ?)')
    .run(judgement.ref, doc.task, doc.index, score)

export function commitScores(context: Context, judgement: Judgement, scores: readonly DraftScore[]): Promise<void> {
  const prepared = scores.map(({ doc, body }) => ({
    doc,
    body,
    text: toText(body),
    ...scoredRules(judgement, doc.task),
  }))
  return context.commit.add(() => {
    const numbers = new Map<string, number>()
    const preimageNumber = (key: JudgeConfigKey | CodeKey): number => {
      const known = numbers.get(key) ?? numberOf(context, 'preimage', digestBytes(key))
      numbers.set(key, known)
      return known
    }
    for (const { doc, body, text, config, scorer } of prepared) {
      const { key, record } = lookUp(context, judgement, doc)
      const score = keepScore(context, {
        ...{ key, record, text, outcome: body.outcome, config: preimageNumber(config), scorer: preimageNumber(scorer) },
        answers: Buffer.concat(doc.answers.map(answer => digestBytes(answer.digest))),
      })
      insertVerdict(context, judgement, doc, score)
    }
  })
}

function lookUp(context: Context, judgement: Judgement, doc: AnsweredDoc): { record: number; key: Buffer } {
  const known = lookedUp.get(doc)
  if (known?.judgement === judgement.ref) return known
  return {
    record: numberOf(context, 'record', digestBytes(doc.recordKey)),
    key: scoreKeyOf(judgement, { ...doc, answers: doc.answers.map(answer => answer.digest) }),
  }
}

/** The number of the score, which takes the place of one that is there: that of a judge that failed. */
function keepScore(
  context: Context,
  score: {
    readonly key: Buffer
    readonly answers: Buffer
    readonly record: number
    readonly config: number
    readonly scorer: number
    readonly text: string
    readonly outcome: ScoreBody['outcome']
  },
): number {
  const { key, answers, record, config, scorer, text, outcome } = score
  const sum = context.sum(text)
  const made = context
    .sql(
      `INSERT INTO score (key, answers, record, config, scorer, body, sum, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO NOTHING`,
    )
    .run(key, answers, record, config, scorer, text, sum, outcome)
  if (made.changes === 1) return Number(made.lastInsertRowid)
  context.sql('UPDATE score SET body = ?, sum = ?, outcome = ? WHERE key = ?').run(text, sum, outcome, key)
  return numberOf(context, 'score', key)
}

const scoresSql = `
  SELECT v.task, v.doc, s.id, s.body, s.sum FROM verdict v JOIN score s ON s.id = v.score
  WHERE v.judgement = ? AND (v.task, v.doc) > (?, ?) ORDER BY v.task, v.doc LIMIT 1000`

/** In the order of task and doc, a page at a time, so that no read stands open while others write. */
export async function* scores(
  context: Context,
  judgement: Judgement,
): AsyncGenerator<{ task: number; index: number; body: ScoreBody }> {
  let place: readonly [number, number] = [-1, -1]
  for (;;) {
    const rows = context.sql<ScoreRow & { task: number; doc: number }>(scoresSql).all(judgement.ref, ...place)
    for (const row of rows) yield { task: row.task, index: row.doc, body: checkedScore(context, row) }
    const last = rows.at(-1)
    if (last === undefined) return
    place = [last.task, last.doc]
    await new Promise(setImmediate)
  }
}

export const checkedScore = (context: Context, row: ScoreRow): ScoreBody =>
  JSON.parse(checkedScoreText(context, row)) as ScoreBody

export function checkedScoreText(context: Context, row: ScoreRow): string {
  if (context.sum(row.body) !== row.sum) throw new DamagedRowError('score', row.id)
  return row.body
}

type Outcomes = Readonly<Partial<Record<ScoreBody['outcome'], number>>>

/** How many docs came to which outcome. */
export const outcomes = (context: Context, judgement: Judgement): Outcomes =>
  whileUnchanged(context, `outcomes ${judgement.ref}`, () => readOutcomes(context, judgement))

function readOutcomes(context: Context, judgement: Judgement): Outcomes {
  const rows = context
    .sql<{ outcome: ScoreBody['outcome']; n: number }>(
      'SELECT z.outcome, count(*) AS n FROM verdict v JOIN score z ON z.id = v.score WHERE v.judgement = ? GROUP BY z.outcome',
    )
    .all(judgement.ref)
  return Object.fromEntries(rows.map(({ outcome, n }) => [outcome, n]))
}

export function closeJudgement(
  context: Context,
  judgement: Judgement,
  aggregates: readonly Aggregate[],
): Promise<Judgement> {
  const text = `[${aggregates.map(toText).join(',')}]`
  const sum = context.sum(judgementText(judgement.tasks.map(({ judging }) => judging)), text)
  return context.commit.add(() => {
    const row = context
      .sql<JudgementRow>('UPDATE judgement SET finished = ?, aggregates = ?, sum = ? WHERE id = ? RETURNING *')
      .get(context.now(), text, sum, judgement.ref)
    if (row === undefined) throw new Error('internal error: judgement vanished')
    return toJudgement(context, row)
  })
}
