/** Calls scoring functions of tasks in Python workers. */
import { PythonError } from '../../../cache/code/python/python-error.js'
import { canonicalJson, isList, isObject, type Json } from '../../../base/values/canonical-json.js'
import { currentDoc } from '../../../base/time/time-limit.js'
import type { PythonFunction } from '../../../cache/code/python/python-function.js'
import { withAskers } from '../../../cache/code/python/python-runtime.js'
import type { JudgeRecord } from '../../../cache/records.js'
import { bare, type Summary } from '../define/define-aggregation.js'
import { read, type Reading } from '../define/define-filter.js'
import { askForDoc } from '../define/judge-draws.js'
import { type AskJudge, noJudge, noJudgeReason } from '../define/judge-model.js'
import type { JudgeRegistry } from '../compile/registry.js'
import type { MetricFunction, ProcessResults } from '../compile/scoring-spec.js'
import { judgePrompt } from './judge-request.js'
import { withWrittenFiles } from './written-files.js'
import { HeldFiles } from '../../../cache/media/held-files.js'
import { type ScoringMedia, wireRecord } from './wire-record.js'

let calls = 0

/** Makes the label of a call, which is the doc being scored. Labels of calls in flight are unique. */
function label(): string {
  const doc = currentDoc()
  const number = ++calls
  return doc === undefined ? `call ${number}` : `${doc.task}/${doc.id}#${number}`
}

/** Makes an error that the worker recognises by its name. */
const judgeError = (reason: string): Error => Object.assign(new Error(reason), { name: 'JudgeError' })

/** Answers judge requests of the task's code. A failed judge fails the doc. */
const asker =
  (ask: AskJudge, media: ScoringMedia | undefined) =>
  async (request: Json): Promise<Json> => {
    // No picture is stored if there is no judge.
    if (ask === noJudge) throw judgeError(noJudgeReason)
    const reply = await ask(await judgePrompt(request, media?.keep))
    if (reply.type === 'failed') throw judgeError(reply.reason)
    return { text: reply.text }
  }

/**
 * Wraps `process_results` in Python. It is called with the doc and the results, as in lmms-eval.
 *
 * @param media the media of docs and of judge requests
 */
export const pythonProcessResults =
  (python: PythonFunction, media?: ScoringMedia): ProcessResults =>
  async (doc, results, { ask, marks }) => {
    const of = label()
    await using files = media && new HeldFiles(media.openFile)
    const wiredRecord = await wireRecord(doc, marks, files)
    const values = await callPython(python, [wiredRecord, results], { ask, of, media }).then(plain, judgeFailed)
    if (!isObject(values)) throw new Error('process_results gives no values by metric')
    return values
  }

/** Turns a judge's failure into an outcome. It is no mistake of the task. */
function judgeFailed(error: unknown): Json {
  if (!(error instanceof PythonError) || error.type !== 'JudgeError') throw error
  return { type: 'judge_failed', reason: error.data.message }
}

/**
 * Wraps a metric in Python. As in lmms-eval and lm-evaluation-harness, `metric: !function` gets references and one prediction. The prediction is a
 * list of texts if a Python filter returned a list.
 */
export const pythonMetric =
  (python: PythonFunction, media?: ScoringMedia): MetricFunction =>
  async ({ text, texts, references }, args, { ask }) => {
    const kwargs = { ...args, references: [...references], predictions: [texts ?? text] } as Readonly<
      Record<string, Json>
    >
    return callPython(python, [], { ask, kwargs, media }).then(plain, judgeFailed)
  }

/** Wraps a filter in Python: a class as in lmms-eval, or a function of responses and docs. */
export function pythonFilter(
  { ref, host: { pool } }: PythonFunction,
  kwargs: Readonly<Record<string, Json>>,
  media?: ScoringMedia,
): (readings: readonly Reading[], record: JudgeRecord) => Promise<readonly Reading[]> {
  return async (readings, record) => {
    const of = label()
    const texts = readings.flatMap(reading => (reading.type === 'read' ? [reading.text] : []))
    await using files = media && new HeldFiles(media.openFile)
    const docs = [await wireRecord(record.doc, record, files)]
    const [filtered = []] = await pool.filter({ ref, kwargs, resps: [texts], docs, label: of })
    if (typeof filtered === 'string') return [read(filtered)]
    return filtered.map(item => ({
      type: 'read',
      text: typeof item === 'string' ? item : canonicalJson(plain(item)),
      isListed: true,
    }))
  }
}

async function callPython(
  python: PythonFunction,
  args: readonly Json[],
  {
    ask = noJudge,
    kwargs,
    of = label(),
    media,
  }: {
    readonly ask?: AskJudge
    readonly kwargs?: Readonly<Record<string, Json>>
    readonly of?: string
    readonly media?: ScoringMedia | undefined
  },
): Promise<Json> {
  return python.call(args, { label: of, ask: asker(ask, media), ...(kwargs && { kwargs }) })
}

/** The context of an aggregation besides its values. */
interface Surroundings extends Pick<JudgeRegistry, 'aggregations'> {
  /** The folder for files that it writes. @default they are discarded */
  readonly files: string | undefined
  /** Receives the names of these files. */
  readonly note: ((text: string) => void) | undefined
  /** Asks the judge model. @default every request fails */
  readonly ask?: AskJudge | undefined
  /** The store's media, for pictures that are shown to the judge model. */
  readonly media?: ScoringMedia | undefined
}

/**
 * Computes an aggregate in Python. The function may ask the judge model, as `process_results` may. An aggregate that
 * is the mean of numbers, or a hundred times that, has the error of a mean; any other has none.
 */
export async function pythonSummary(
  python: PythonFunction,
  values: readonly Json[],
  { aggregations, files, note, ask = noJudge, media }: Surroundings,
): Promise<Summary> {
  const { result, written } = await withWrittenFiles({ exchange: python.host.exchange, kept: files }, async folder => {
    const summaryValue = plain(await aggregateValues(python, values, { ask, media, folder }))
    // The name of a temporary folder differs each time.
    return typeof summaryValue === 'string' ? summaryValue.replaceAll(`${folder}/`, '') : summaryValue
  })
  for (const path of written) note?.(`written: ${path}`)
  const value = typeof result === 'boolean' ? Number(result) : result
  if (value === null) return bare(null)
  if (typeof value !== 'number') return tableSummary(value)
  const mean = aggregations.get('mean')
  if (mean?.of !== 'numbers' || !values.every(docValue => typeof docValue === 'number')) return bare(value)
  const ofMean = mean.summarise(Float64Array.from(values))
  const scale = [1, 100].find(factor => isClose(value, factor * (ofMean.value ?? 0)))
  return scale === undefined ? bare(value) : { ...scaleSummary(ofMean, scale), value }
}

async function aggregateValues(
  { ref, host }: PythonFunction,
  values: readonly Json[],
  { ask, media, folder }: { readonly ask: AskJudge; readonly media: ScoringMedia | undefined; readonly folder: string },
): Promise<Json> {
  const own = `aggregation ${ref.name}#${++calls}`
  const work = () => host.pool.aggregate({ ref, values, args: { output_path: folder }, folder, label: own })
  try {
    return await withAskers(host, [{ label: own, ask: asker(askForDoc(ask, 0), media) }], work)
  } catch (error) {
    // The message is shown with the aggregation's name.
    throw error instanceof PythonError ? new PythonError(error.data) : error
  }
}

/** Makes the summary of a table by category, which many aggregations of lmms-eval return. The table has no single number. Its entries can be compared. */
function tableSummary(value: Json): Summary {
  const table = readTable(value)
  if (table !== undefined)
    return { ...bare(null), table, note: `no single number, but a table of ${Object.keys(table).length}` }
  return { ...bare(null), note: `no single number: ${canonicalJson(value).slice(0, 400)}` }
}

/** The maximum number of entries in a table. A larger one has a value for each doc and is no summary. */
const largestTable = 200

/** Reads the numbers of a table with nested tables and lists. Undefined if an entry is no number. */
function readTable(value: Json): Readonly<Record<string, number>> | undefined {
  if (!isObject(value)) return undefined
  // The entries of a list are named by their index, as in the thresholds of saco.
  const rows = Object.entries(value).flatMap(([name, item]): readonly (readonly [string, Json | undefined])[] =>
    isObject(item) || isList(item)
      ? Object.entries(item as Readonly<Record<string, Json>>).map(([inner, cell]) => [`${name}.${inner}`, cell])
      : [[name, item]],
  )
  const isTable = rows.length > 0 && rows.length <= largestTable && rows.every(([, cell]) => typeof cell === 'number')
  return isTable ? (Object.fromEntries(rows) as Record<string, number>) : undefined
}

const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b))

const scaleSummary = (summary: Summary, by: number): Summary => ({
  ...summary,
  ...(by !== 1 && summary.intervalMethod.endsWith('wilson') && { intervalRange: [0, by] }),
  stderr: summary.stderr === null ? null : summary.stderr * by,
  interval: summary.interval === null ? null : [summary.interval[0] * by, summary.interval[1] * by],
})

/** Removes the marks of Python types from numbers, lists and texts. Non-finite numbers keep their marks. */
export function plain(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map(plain)
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
  const [[name, content] = ['', null], ...otherEntries] = entries
  if (otherEntries.length === 0 && name === '$float') return Number.isFinite(Number(content)) ? Number(content) : value
  if (otherEntries.length === 0 && (name === '$tuple' || name === '$set')) return plain(content)
  return Object.fromEntries(entries.map(([key, item]) => [key, plain(item)]))
}
