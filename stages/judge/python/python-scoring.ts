/** Scoring functions of tasks that are in Python, called in workers. */
import { PythonError } from '../../../base/processes/python/python-error.js'
import { canonicalJson, isObject, type Json } from '../../../base/values/canonical-json.js'
import { currentDoc } from '../../../base/time/time-limit.js'
import type { PythonFunction } from '../../../cache/code/python/python-function.js'
import type { JudgeRecord } from '../../../cache/records.js'
import { bare, type Summary } from '../define/define-aggregation.js'
import { read, type Reading } from '../define/define-filter.js'
import { type AskJudge, noJudge } from '../define/judge-model.js'
import type { JudgeRegistry } from '../compile/registry.js'
import type { MetricFunction, ProcessResults } from '../compile/scoring-spec.js'
import { judgePrompt } from './judge-request.js'
import { type LocateMedium, wireRecord } from './wire-record.js'

let calls = 0

/** The label of a call: the doc that is being scored, unique among the calls under way. */
function label(): string {
  const doc = currentDoc()
  const number = ++calls
  return doc === undefined ? `call ${number}` : `${doc.task}/${doc.id}#${number}`
}

/** An error that the worker knows by its name. */
const judgeError = (reason: string): Error => Object.assign(new Error(reason), { name: 'JudgeError' })

/** Answers what the task's code asks of a judge model. A judge that failed fails the doc. */
const asker =
  (ask: AskJudge) =>
  async (request: Json): Promise<Json> => {
    const reply = await ask(judgePrompt(request))
    if (reply.type === 'failed') throw judgeError(reply.reason)
    return { text: reply.text }
  }

/**
 * `process_results` in Python. It is called with the doc and the results, as lmms-eval calls it.
 *
 * @param locate finds the media that the task keeps for scoring
 */
export const pythonProcessResults =
  (python: PythonFunction, locate?: LocateMedium): ProcessResults =>
  async (doc, results, { ask, marks }) => {
    const of = label()
    const given = await wireRecord(doc, marks, locate)
    const values = await called(python, [given, results], { ask, of }).then(plain, judgeFailed)
    if (!isObject(values)) throw new Error('process_results gives no values by metric')
    return values
  }

/** A judge that failed is no mistake of the task. */
function judgeFailed(error: unknown): Json {
  if (!(error instanceof PythonError) || error.type !== 'JudgeError') throw error
  return { type: 'judge_failed', reason: error.data.message }
}

/** A metric in Python, called as lmms-eval calls `metric: !function`: with references and predictions. */
export const pythonMetric =
  (python: PythonFunction): MetricFunction =>
  async ({ text, references }, args, { ask }) => {
    const kwargs = { ...args, references: [...references], predictions: [text] } as Readonly<Record<string, Json>>
    const value = await called(python, [], { ask, kwargs }).then(plain, judgeFailed)
    if (isObject(value) && value['type'] === 'judge_failed') return value
    const [only, ...others] = isObject(value) ? (Object.values(value) as readonly Json[]) : [value]
    return others.length === 0 ? (only ?? null) : value
  }

/** A filter in Python: a class as those of lmms-eval, or a function of responses and docs. */
export function pythonFilter(
  { ref, host: { pool } }: PythonFunction,
  kwargs: Readonly<Record<string, Json>>,
  locate?: LocateMedium,
): (readings: readonly Reading[], record: JudgeRecord) => Promise<readonly Reading[]> {
  return async (readings, record) => {
    const of = label()
    const texts = readings.flatMap(reading => (reading.type === 'read' ? [reading.text] : []))
    const docs = [await wireRecord(record.doc, record, locate)]
    const [filtered = []] = await pool.filter({ ref, kwargs, resps: [texts], docs, label: of })
    return filtered.map(text => read(typeof text === 'string' ? text : canonicalJson(plain(text))))
  }
}

async function called(
  python: PythonFunction,
  args: readonly Json[],
  {
    ask = noJudge,
    kwargs,
    of = label(),
  }: { readonly ask?: AskJudge; readonly kwargs?: Readonly<Record<string, Json>>; readonly of?: string },
): Promise<Json> {
  return python.call(args, { label: of, ask: asker(ask), ...(kwargs && { kwargs }) })
}

/**
 * Computes an aggregate in Python. Where it is the mean of numbers, or a hundred times that, it has the error of a
 * mean; else it has none, since what the function does is unknown.
 */
export async function pythonSummary(
  { ref, host: { pool } }: PythonFunction,
  values: readonly Json[],
  { aggregations }: Pick<JudgeRegistry, 'aggregations'>,
): Promise<Summary> {
  const given = plain(await pool.aggregate({ ref, values, args: {} }))
  const value = typeof given === 'boolean' ? Number(given) : given
  if (value === null) return bare(null)
  // Many aggregations of lmms-eval give a table by category, which is shown but is no number to compare.
  if (typeof value !== 'number')
    return { ...bare(null), note: `no single number: ${canonicalJson(value).slice(0, 400)}` }
  const mean = aggregations.get('mean')
  if (mean?.of !== 'numbers' || !values.every(one => typeof one === 'number')) return bare(value)
  const own = mean.summarise(Float64Array.from(values))
  const scale = [1, 100].find(factor => isClose(value, factor * (own.value ?? 0)))
  return scale === undefined ? bare(value) : { ...scaled(own, scale), value }
}

const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b))

const scaled = (summary: Summary, by: number): Summary => ({
  ...summary,
  stderr: summary.stderr === null ? null : summary.stderr * by,
  interval: summary.interval === null ? null : [summary.interval[0] * by, summary.interval[1] * by],
})

/** Numbers, lists and texts without the marks that tell Python's types apart. Numbers that are not finite keep theirs. */
export function plain(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map(plain)
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
  const [[name, held] = ['', null], ...others] = entries
  if (others.length === 0 && name === '$float') return Number.isFinite(Number(held)) ? Number(held) : value
  if (others.length === 0 && (name === '$tuple' || name === '$set')) return plain(held)
  return Object.fromEntries(entries.map(([key, item]) => [key, plain(item)]))
}
