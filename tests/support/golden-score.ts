import { createHash } from 'node:crypto'
import type { Json } from '../../base/values/canonical-json.js'
import type { AnsweredDoc, ScoreBody } from '../../cache/records.js'
import { makeRecord } from '../../stages/input/render/judge-record.js'
import { makeRenderer } from '../../stages/input/render/renderer.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { JudgePrompt, JudgeReply } from '../../stages/judge/define/judge-model.js'
import { valueName } from '../../stages/judge/score-doc.js'
import { openRuntime } from '../../src/evaluation/code-runtime.js'
import { makeTaskScorer } from '../../src/judging/scoring.js'
import type { StoredScoring } from '../../cache/records.js'
import { judgedBy } from './judged.js'
import { withMedia } from './golden-media.js'
import { columnsOf, simple } from './golden-prompt.js'
import {
  differs,
  firstOf,
  type Context,
  type GoldenTaskOptions,
  type JudgeRequest,
  type ScoreExpectation,
  type TaskRow,
  type Values,
} from './golden-row.js'
import { nameOf } from './golden-settings.js'

/** Where the jars of metrics are, if they are here. No code in Python runs. */
const runtime = openRuntime({ env: process.env, includePaths: [] })

/** The scores of one row's answer. */
interface Scored {
  readonly body: ScoreBody
  readonly asked: readonly JudgePrompt[]
}

async function scoreRow(row: TaskRow, { task, cacheDir, options }: Context): Promise<Scored> {
  const asked: JudgePrompt[] = []
  const said = row.judge_reply ?? options.judgeReply?.(row)
  const ask = (prompt: JudgePrompt): Promise<JudgeReply> => {
    asked.push(prompt)
    if (said === undefined) return Promise.resolve({ type: 'failed', reason: 'no reply in the row' })
    return Promise.resolve({ type: 'answered', text: said })
  }
  const scorer = await makeTaskScorer(task.name, rulesOf(task), {
    runtime,
    cacheDir,
    exported: [],
    judges: judgedBy(ask),
    ...likeness(options),
  })
  return { body: await scorer.score(answered(row, simple(task), options)), asked }
}

const likeness = ({ parity }: GoldenTaskOptions): Pick<GoldenTaskOptions, 'parity'> =>
  parity === undefined ? {} : { parity }

/** Returns the rules without the removal of reasoning, because the rows were made without it. */
function rulesOf({ scoring }: Task): StoredScoring {
  const stored = scoring
  return { ...stored, config: { ...stored.config, reasoning_tags: 'none' } }
}

/** Makes the answered doc of a row. Docs in rows of scores have no media, so only the target is rendered. */
function answered(row: TaskRow, whole: Task, options: GoldenTaskOptions): AnsweredDoc {
  const doc = withMedia(row.doc) as Doc
  const task = { ...whole, config: { ...whole.config, doc_to_visual: undefined, doc_to_text: undefined } }
  const rendered = makeRenderer(task, columnsOf(doc, task)).render(doc)
  const record = rendered.type === 'rendered' ? rendered.record : makeRecord(doc, null)
  const answers = task.config.output_type === 'multiple_choice' ? likelihoods(row, options) : samples(row)
  return { record, answers } as unknown as AnsweredDoc
}

const samples = ({ responses }: TaskRow): readonly unknown[] =>
  responses.map((text, sample) => ({ choice: 0, sample, body: { text, finishReason: 'stop' } }))

/** The reference uses the model's value for a choice as its loss; with parity, so do we. */
function likelihoods({ responses }: TaskRow, { parity }: GoldenTaskOptions): readonly unknown[] {
  const sign = parity === undefined ? -1 : 1
  const losses = responses[0] as readonly (readonly [number, boolean])[]
  return losses.map(([loss, isGreedy], choice) => ({
    choice,
    sample: 0,
    body: { text: '', finishReason: 'stop', logprob: sign * loss, isGreedy },
  }))
}

export async function scoreProblem(row: TaskRow, context: Context): Promise<string | undefined> {
  const { body, asked } = await scoreRow(row, context)
  const expected = Object.entries(row.expected) as readonly (readonly [string, ScoreExpectation])[]
  if (row.random_fallback === true)
    return body.outcome === 'unparsed' ? undefined : `must be unparsed, and is ${JSON.stringify(body)}`
  if (context.options.judgeFails?.(row) === true) {
    const outcome = body.outcome === 'judge_failed' ? undefined : `must be judge_failed, and is ${JSON.stringify(body)}`
    return outcome ?? requestsProblem(asked, row.judge_requests ?? [])
  }
  if (body.outcome === 'error' || body.outcome === 'judge_failed') return `${body.outcome}: ${body.reason ?? ''}`
  const right = rightOf(row, context)
  const named = context.task.config.metric_list?.map(nameOf)
  const problems = expected.flatMap(([filter, { result }]) =>
    Object.entries(result).map(([metric, value]) => {
      // Values of the reference's function for names that are no metrics are not compared.
      if (named?.includes(metric) === false || context.options.uncounted?.includes(metric) === true) return undefined
      if (context.options.onlyAggregates?.includes(metric) === true) return undefined
      const ours = body.values[valueName(metric, filter)]
      const known = right?.[metric]
      if (right !== undefined && known === undefined && metric !== 'submission') return undefined
      return valueProblem(`${metric} after ${filter}`, ours, known ?? compared(metric, value, { row, context, ours }))
    }),
  )
  return firstOf([...problems, row.judge_requests && requestsProblem(asked, row.judge_requests)])
}

function rightOf(row: TaskRow, { options }: Context): Values | undefined {
  if (options.parity !== undefined) return undefined
  if (row.lmms_eval_flaw === true) return options.right?.(row) ?? row.right
  return options.asScript === true && row.official !== undefined ? options.right?.(row) : undefined
}

/** Converts the reference's value to the form of ours. */
function compared(
  metric: string,
  value: unknown,
  { row, context, ours }: { readonly row: TaskRow; readonly context: Context; readonly ours: unknown },
): unknown {
  const own = context.options.values?.[metric]
  if (own !== undefined) {
    const expected = own(value as never, row)
    if (expected === undefined) throw new Error(`values.${metric} compares nothing: name the metric in onlyAggregates`)
    return expected
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return plain(value)
  if (typeof ours === 'object' && ours !== null && !Array.isArray(ours)) {
    const shared = sharedWith(ours, value as Values)
    // The score itself must be compared, where our value has one.
    if (Object.keys(shared).length === 0 || ('score' in ours && !('score' in shared)))
      throw new Error(
        `${metric} has no score of the reference, so that nothing would be compared: give values.${metric}, or name it in onlyAggregates`,
      )
    return { ...ours, ...shared }
  }
  return plain((value as Values)['score'])
}

/** Keeps the reference's fields that our value also has. */
const sharedWith = (ours: object, value: Values): Values =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key in ours))

/** Converts a boolean to a number. */
const plain = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value)

function valueProblem(what: string, ours: unknown, expected: unknown): string | undefined {
  if (ours === undefined && expected !== undefined) return `${what} is absent, expected ${JSON.stringify(expected)}`
  return differs(what, ours, expected)
}

/** Compares prompts by their digests. Repeated equal prompts count once, as in the store. */
function requestsProblem(asked: readonly JudgePrompt[], expected: readonly JudgeRequest[]): string | undefined {
  const ours = asked.map(({ messages }) =>
    (typeof messages === 'string' ? [{ role: 'user', text: messages }] : messages).map(({ role, text }) => ({
      role,
      sha256: createHash('sha256').update(text).digest('hex'),
    })),
  )
  const theirs = expected.map(({ messages }) => messages.map(({ role, content }) => ({ role, sha256: content.sha256 })))
  return differs('what the judge is asked', once(ours), once(theirs))
}

const once = (requests: readonly unknown[]): readonly string[] => [
  ...new Set(requests.map(request => JSON.stringify(request))),
]

export async function aggregateProblem(row: TaskRow, context: Context): Promise<string | undefined> {
  const { task, cacheDir, rows, options } = context
  const named = row.score_rows.map(id => {
    const found = rows.find(other => other.id === id)
    if (found === undefined) throw new Error(`the row ${id} is not in the file`)
    return found
  })
  const scorer = await makeTaskScorer(task.name, rulesOf(task), {
    runtime,
    cacheDir,
    exported: [],
    ...likeness(options),
  })
  const bodies: ScoreBody[] = []
  for (const one of named) bodies.push((await scoreRow(one, context)).body)
  const aggregates = scorer.aggregate(bodies, { docs: bodies.length })
  const right = rightOf(row, context)
  return firstOf(
    Object.entries(row.expected).map(([metric, told]) => {
      const { value } = told as { readonly value: Json }
      if (right !== undefined && !(metric in right)) return undefined
      const ours = aggregates.find(
        one => one.metric === metric && one.filter === row.filter && one.group === undefined,
      )?.value
      // The reference reports 999 for a metric that only collects answers.
      if ((value === 999 && ours === null) || context.options.uncounted?.includes(metric) === true) return undefined
      const expected = right === undefined ? value : right[metric]
      return typeof expected === 'number' ? valueProblem(`the aggregate ${metric}`, ours, expected) : undefined
    }),
  )
}
