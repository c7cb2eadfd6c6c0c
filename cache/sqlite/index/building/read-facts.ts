import type { Price } from '../../../facts/compute-cost.js'
import { knownDuration } from '../../../facts/known-duration.js'
import { sumCosts } from '../../../facts/sample-cost.js'
import { firstNumber, isEmptyAnswer, chooseOutcome, readScoreKey } from '../../../facts/sample-facts.js'
import type { Input, ResponseBody, ResponseMeta, Run, ScoreBody } from '../../../records.js'
import type { DocPlace } from '../../../store.js'
import type { SqliteDatabase } from '../../connection/database.js'
import { failureOfItem } from '../../work/stored-rows.js'
import type { IndexedSample } from '../columns.js'
import { byDoc } from '../../../rows/answers.js'
import type { RowSum } from '../../../rows/sums.js'

/** The run whose samples are read. */
export interface ReadRun {
  readonly run: Pick<Run, 'ref' | 'asked'> & { readonly provenance: Pick<Run['provenance'], 'scoring'> }
  /** The number of the judgement's row, or null for a run without one. */
  readonly judgement: number | null
  /** The price of the model, if it is known. */
  readonly price?: Price | undefined
}

interface Row {
  readonly task: number
  readonly doc: number
  readonly doc_id: string
  readonly meta: string | null
  readonly score: string | null
  /** Null if there is no text. */
  readonly characters: number | null
  readonly failure: number | null
  /** Request and answer, for samples without a score only. */
  readonly input: string | null
  readonly body: string | null
}

const pageSql = `
  SELECT i.task, i.doc, i.doc_id, s.meta, z.body AS score,
    CASE WHEN json_valid(s.body) AND s.body ->> '$.logprob' IS NULL THEN length(s.body ->> '$.text') END AS characters,
    CASE WHEN s.seq IS NULL THEN ${failureOfItem} END AS failure,
    CASE WHEN z.id IS NULL THEN s.body END AS body,
    CASE WHEN z.id IS NULL THEN (SELECT n.preimage FROM request r JOIN instance n ON n.id = r.instance WHERE r.id = i.request) END AS input
  FROM item i LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = @judgement AND v.task = i.task AND v.doc = i.doc LEFT JOIN score z ON z.id = v.score
  WHERE i.run = @run AND (i.task, i.doc) > (@task, @doc) ORDER BY i.task, i.doc, i.choice, i.sample LIMIT @limit`

/** Few enough rows that a read takes some hundredths of a second. */
const pageSize = 4_000

/**
 * Reads the facts of a page of samples behind a place. Nothing is checked against checksums, because the page of the sample does that: a sample that cannot
 * be read counts as an error of its scorer here.
 */
export function readFacts(
  db: SqliteDatabase,
  { run, judgement, price }: ReadRun,
  after: DocPlace,
  sum: RowSum,
): readonly IndexedSample[] {
  const statement = db.prepare<unknown[], Row>(pageSql)
  for (let limit = pageSize; ; limit *= 2) {
    const rows = statement.all({ run: run.ref, judgement, task: after.task, doc: after.index, limit })
    const groups = byDoc(rows)
    // The last doc of a full page may be incomplete. The next page starts with it again.
    if (rows.length === limit) groups.pop()
    if (groups.length > 0 || rows.length < limit)
      return groups.map(group => makeIndexedSample({ run, price }, group, sum))
  }
}

function makeIndexedSample(
  { run, price }: Pick<ReadRun, 'run' | 'price'>,
  rows: readonly Row[],
  sum: RowSum,
): IndexedSample {
  const [first] = rows
  if (first === undefined) throw new Error('internal error: a doc without items')
  const { task, doc: index, doc_id } = first
  const name = run.asked.tasks[task]?.name ?? ''
  const metas = rows.flatMap(({ meta }) => (parseStoredJson(meta) as ResponseMeta | undefined) ?? [])
  const tokens = metas.flatMap(({ usage }) => usage?.outputTokens ?? [])
  const lengths = rows.flatMap(({ characters }) => characters ?? [])
  const score = parseStoredJson(first.score) as ScoreBody | undefined
  const { metric, value } = firstNumber(score, readScoreKey(run, name))
  const isDamaged = score === undefined && first.score !== null
  return {
    task,
    index,
    outcome: chooseOutcome(
      isDamaged ? { outcome: 'error' } : score,
      rows.some(({ failure }) => failure !== null),
    ),
    ...answerFacts(first, score),
    metric,
    value: value ?? null,
    tokens: tokens.length === 0 ? undefined : tokens.reduce((all, count) => all + count, 0),
    characters: lengths.length === 0 ? undefined : lengths.reduce((all, count) => all + count, 0),
    durationMs: metas[0] && knownDuration(metas[0]),
    cost: sumCosts(metas, price),
    identity: sum(name, doc_id),
    labels: score?.groups ?? {},
  }
}

function answerFacts(
  { input, body }: Row,
  score: ScoreBody | undefined,
): Pick<IndexedSample, 'isEmpty' | 'isCut' | 'isDisputed'> {
  if (score !== undefined)
    return { isEmpty: score.empty === true, isCut: score.cut === true, isDisputed: score.disputed === true }
  const answer = parseStoredJson(body) as ResponseBody | undefined
  return {
    isEmpty: isEmptyAnswer(parseStoredJson(input) as Input | undefined, answer),
    isCut: answer?.finishReason === 'length',
    isDisputed: false,
  }
}

/** Parses a stored text. It is undefined for a damaged one, which the page of the sample names. */
export function parseStoredJson(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
