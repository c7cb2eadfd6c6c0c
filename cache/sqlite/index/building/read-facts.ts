import { knownDuration } from '../../../facts/known-duration.js'
import { sumCosts } from '../../../facts/sample-cost.js'
import { firstNumber, isEmptyAnswer, chooseOutcome, readScoreKey } from '../../../facts/sample-facts.js'
import type { Input, ResponseBody, ResponseMeta, ScoreBody } from '../../../records.js'
import type { DocPlace } from '../../../store.js'
import { Columns, type IndexedSample } from '../columns.js'
import type { FactRow, IndexSource } from '../source/index-source.js'
import type { BuildTarget } from './build-target.js'
import { byDoc } from '../../../rows/answers.js'
import type { RowSum } from '../../../rows/sums.js'

/** Few enough rows that a read takes some hundredths of a second. */
const pageSize = 4_000

/**
 * Reads the facts of a page of samples after a place. Checksums are not verified here, but when a sample is shown. An unreadable sample counts as a
 * scorer error.
 */
export async function readFacts(
  source: IndexSource,
  target: BuildTarget,
  after: DocPlace,
  sum: RowSum,
): Promise<readonly IndexedSample[]> {
  for (let limit = pageSize; ; limit *= 2) {
    const rows = await source.readFacts(target, after, limit)
    const groups = byDoc(rows)
    // The last doc of a full page may be incomplete. The next page starts with it again.
    if (rows.length === limit) groups.pop()
    if (groups.length > 0 || rows.length < limit) return groups.map(group => makeIndexedSample(target, group, sum))
  }
}

function makeIndexedSample(
  { run, price }: Pick<BuildTarget, 'run' | 'price'>,
  rows: readonly FactRow[],
  sum: RowSum,
): IndexedSample {
  const [first] = rows
  if (first === undefined) throw new Error('internal error: a doc without items')
  const { task, doc: index, doc_id } = first
  const name = run.asked.tasks[task]?.name ?? ''
  const metas = rows.flatMap(({ meta }) => (parseStoredJson(meta) as ResponseMeta | undefined) ?? [])
  const tokens = metas.flatMap(({ usage }) => usage?.outputTokens ?? [])
  const lengths = rows.flatMap(row => readCharacters(row) ?? [])
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
    tokens: tokens.length === 0 ? undefined : tokens.reduce((total, count) => total + count, 0),
    characters: lengths.length === 0 ? undefined : lengths.reduce((total, count) => total + count, 0),
    durationMs: metas[0] && knownDuration(metas[0]),
    cost: sumCosts(metas, price),
    identity: sum(name, doc_id),
    labels: score?.groups ?? {},
  }
}

function readCharacters({ characters, body }: FactRow): number | null {
  if (characters !== undefined) return characters
  const answer = parseStoredJson(body) as ResponseBody | undefined
  return answer === undefined || answer.logprob !== undefined ? null : Array.from(answer.text).length
}

function answerFacts(
  { input, body }: FactRow,
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

/** The time that a filter looks at a run of which nothing is prepared. */
const lookMs = 150

/** Reads the first samples of a run, as many as a short time allows. */
export async function firstColumns(source: IndexSource, target: BuildTarget, sum: RowSum): Promise<Columns> {
  const columns = new Columns()
  const startedAt = performance.now()
  let after = { task: -1, index: -1 }
  do {
    const facts = await readFacts(source, target, after, sum)
    const last = facts.at(-1)
    if (last === undefined) break
    for (const docFacts of facts) columns.add(docFacts)
    after = { task: last.task, index: last.index }
  } while (performance.now() - startedAt < lookMs)
  return columns
}
