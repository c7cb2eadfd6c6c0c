import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Json } from '../../base/canonical-json.js'
import type { AnsweredDoc, JudgeRecord, ScoreBody } from '../../cache/records.js'
import { makeRecord } from '../../stages/input/render/judge-record.js'
import type { Prompting } from '../../stages/input/prompting.js'
import { makeRenderer, type Rendered } from '../../stages/input/render/renderer.js'
import type { DraftMessage } from '../../stages/input/render/messages.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { builtinTasks, resolveTasks } from '../../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { Parity } from '../../stages/judge/parity.js'
import type { JudgePrompt, JudgeReply } from '../../stages/judge/judge-model.js'
import { valueName } from '../../stages/judge/score-doc.js'
import { makeTaskScorer, type StoredScoring } from '../../src/scoring.js'
import { mediumText, withMedia } from './golden-media.js'
import { promptAfter } from './golden-shots.js'
import { sameWithin } from './golden-tolerance.js'
import { goldenRows } from './golden.js'

type Values = Readonly<Record<string, unknown>>

/** A row of `tests/golden/tasks/`: see the README there. */
export interface TaskRow {
  readonly id: string
  readonly kind: 'config' | 'prompt' | 'messages' | 'score' | 'aggregate' | 'load_error'
  readonly task: string
  readonly doc: Doc
  readonly kwargs: { readonly model_name: string | null }
  readonly responses: readonly unknown[]
  readonly filter: string
  readonly score_rows: readonly string[]
  readonly expected: Values
  readonly right?: Values
  readonly lmms_eval_flaw?: boolean
  readonly random_fallback?: boolean
  readonly judge_requests?: readonly JudgeRequest[]
  readonly judge_reply?: string
}

interface JudgeRequest {
  readonly params: { readonly max_tokens?: number; readonly temperature?: number }
  readonly messages: readonly { readonly role: string; readonly content: { readonly sha256: string } }[]
}

interface ScoreExpectation {
  readonly filtered: unknown
  readonly result: Values
  readonly random_fallback?: boolean
}

export interface GoldenTaskOptions {
  /**
   * By metric: what our value of a doc is to be, made of the reference's. Where a metric is not named, the number, or the `score` of an
   * object, or each field that our object has too. One that gives nothing: our form is another one, and only aggregates are compared.
   */
  readonly values?: Readonly<Record<string, (expected: never, row: TaskRow) => unknown>>
  /** What the target is, where the reference's is the name of a column that its docs do not have. */
  readonly target?: (row: TaskRow) => unknown
  /** Scores as the reference does, also where that is known to be wrong. */
  readonly parity?: Parity
  /** Metrics that only a program beside this one computes: their names are compared, and no numbers. */
  readonly uncounted?: readonly string[]
  /** Why a row can't be compared. It is told in the name of the test, by the number of such rows. */
  readonly skip?: (row: TaskRow) => string | undefined
  /** What is right where a row is marked as a flaw and says so in words of its own. */
  readonly right?: (row: TaskRow) => Values | undefined
  /** What the judge model says where a row does not tell what it said. */
  readonly judgeReply?: (row: TaskRow) => string | undefined
  /** Whether the judge model says nothing there that can be read: then ours has no score, whatever number the reference takes. */
  readonly judgeFails?: (row: TaskRow) => boolean
}

/**
 * Runs every golden row of a benchmark through the task as it is: settings, prompts, messages, scores of single docs, aggregates.
 * Rows that the reference decides by chance must come out as unparsed.
 */
export function testGoldenTask(file: string, options: GoldenTaskOptions = {}): void {
  const rows = goldenRows<TaskRow>(`tasks/${file}.jsonl.gz`)
  const names = [...new Set(rows.map(row => row.task))]
  const cacheDir = mkdtempSync(join(tmpdir(), 'golden-task-'))
  afterAll(() => {
    rmSync(cacheDir, { recursive: true, force: true })
  })
  for (const name of names) {
    const own = rows.filter(row => row.task === name)
    describe(name, () => {
      const loaded = loadGoldenTask(name, { cacheDir })
      for (const kind of ['config', 'prompt', 'messages', 'score', 'aggregate'] as const) {
        const all = own.filter(row => row.kind === kind)
        const reasonOf = (row: TaskRow): string | undefined =>
          options.skip?.(row) ?? byChance(row, own) ?? ofFlaws(row, own, options) ?? ofSkipped(row, own, options)
        const compared = all.filter(row => reasonOf(row) === undefined)
        const skipped = skippedText(all, reasonOf)
        if (compared.length === 0) continue
        it(`gives the reference's ${kind} on ${compared.length} rows${skipped}`, async () => {
          const context = { ...(await loaded), options, rows: own }
          const problems: string[] = []
          for (const row of compared) {
            const problem = await problemOf(row, context)
            if (problem !== undefined) problems.push(`${row.id}: ${problem}`)
          }
          expect(problems.slice(0, 12), `${problems.length} of ${compared.length} rows differ`).toEqual([])
        })
      }
    })
  }
}

/** An aggregate over docs that the reference scores by chance is a matter of chance. */
function byChance(row: TaskRow, rows: readonly TaskRow[]): string | undefined {
  if (row.kind !== 'aggregate' || row.lmms_eval_flaw === true) return undefined
  const isDrawn = rows.some(other => other.random_fallback === true && row.score_rows.includes(other.id))
  return isDrawn ? 'decided by chance' : undefined
}

/** An aggregate that is not marked itself is the reference's, with whatever its docs' scores have wrong. */
function ofFlaws(row: TaskRow, rows: readonly TaskRow[], { parity }: GoldenTaskOptions): string | undefined {
  if (row.kind !== 'aggregate' || row.lmms_eval_flaw === true || parity !== undefined) return undefined
  const isFlawed = rows.some(other => other.lmms_eval_flaw === true && row.score_rows.includes(other.id))
  return isFlawed ? "holds scores that are the reference's flaws" : undefined
}

/** An aggregate over docs that are not compared is not, either. */
function ofSkipped(
  { kind, score_rows: ids }: TaskRow,
  rows: readonly TaskRow[],
  { skip, judgeFails }: GoldenTaskOptions,
): string | undefined {
  if (kind !== 'aggregate') return undefined
  const named = rows.filter(({ id }) => ids.includes(id))
  if (judgeFails !== undefined && named.some(judgeFails)) return 'the reference counts replies that say nothing'
  return named.map(row => skip?.(row)).find(reason => reason !== undefined)
}

function skippedText(rows: readonly TaskRow[], reasonOf: (row: TaskRow) => string | undefined): string {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const reason = reasonOf(row)
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, count]) => `; ${count} not compared: ${reason}`).join('')
}

interface Loaded {
  readonly task: Task
  readonly cacheDir: string
}

async function loadGoldenTask(name: string, { cacheDir }: { readonly cacheDir: string }): Promise<Loaded> {
  const [task] = await resolveTasks([name], { cacheDir, emit: () => undefined, includePaths: [builtinTasks] })
  if (task === undefined) throw new Error(`no task ${name}`)
  return { task, cacheDir }
}

interface Context extends Loaded {
  readonly options: GoldenTaskOptions
  readonly rows: readonly TaskRow[]
}

function problemOf(row: TaskRow, context: Context): Promise<string | undefined> | string | undefined {
  switch (row.kind) {
    case 'config':
      return configProblem(row, context)
    case 'prompt':
      return promptProblem(row, context)
    case 'messages':
      return messagesProblem(row, context)
    case 'score':
      return scoreProblem(row, context)
    case 'aggregate':
      return aggregateProblem(row, context)
    default:
      return undefined
  }
}

const differs = (what: string, ours: unknown, expected: unknown): string | undefined =>
  sameWithin(ours, expected)
    ? undefined
    : `${what} is ${ours === undefined ? 'absent' : JSON.stringify(ours)}, expected ${JSON.stringify(expected)}`

const firstOf = (problems: Iterable<string | undefined>): string | undefined =>
  [...problems].find(problem => problem !== undefined)

function configProblem({ expected }: TaskRow, { task: { config } }: Context): string | undefined {
  const { metric_list: entries = [] } = config
  const metrics = entries.map(nameOf)
  const filters = config.filter_list === undefined ? ['none'] : config.filter_list.map(({ name }) => name)
  const directions = Object.fromEntries(entries.map(entry => [nameOf(entry), entry['higher_is_better'] ?? null]))
  const { load_dataset_calls: calls } = expected as {
    readonly load_dataset_calls: readonly { readonly path?: string; readonly name?: string | null }[]
  }
  const dataset = calls.find(call => call.path !== undefined)
  return firstOf([
    differs('output_type', config.output_type, expected['output_type']),
    config.output_type === 'generate_until'
      ? differs(
          'generation_kwargs',
          normalKwargs(config.generation_kwargs),
          normalKwargs(expected['generation_kwargs']),
        )
      : undefined,
    differs('metrics', [...metrics].sort(), Object.keys(expected['metrics'] as object).sort()),
    differs('higher_is_better', directions, expected['higher_is_better']),
    differs(
      'filters',
      filters,
      (expected['filters'] as readonly { readonly name: string }[]).map(({ name }) => name),
    ),
    differs('repeats', config.repeats, expected['repeats']),
    dataset === undefined ? undefined : differs('dataset_path', config.dataset_path, dataset.path),
    dataset === undefined ? undefined : differs('dataset_name', config.dataset_name ?? null, dataset.name ?? null),
  ])
}

const nameOf = ({ name, metric }: Readonly<Record<string, unknown>>): string => (name ?? metric) as string

/** `until` as a list, whatever its form. */
function normalKwargs(value: unknown): unknown {
  const { until, ...others } = value as { readonly until?: string | readonly string[] }
  return { ...others, ...(until === undefined ? {} : { until: typeof until === 'string' ? [until] : until }) }
}

function render(row: TaskRow, task: Task): Extract<Rendered, { type: 'rendered' }> | string {
  const doc = withMedia(row.doc) as Doc
  const rendered = makeRenderer(task, columnsOf(doc, task), promptingOf(row)).render(doc)
  return rendered.type === 'failed' ? `can't be rendered: ${rendered.reason}` : rendered
}

const promptingOf = ({ kwargs: { model_name: model } }: TaskRow): Prompting =>
  model === null ? {} : { models: [model] }

/** The rows' docs do not have the columns that our `process_docs` adds to report by. */
const columnsOf = (doc: Doc, { config: { process_docs: added, breakdown = [] } }: Task): readonly string[] =>
  added === undefined ? Object.keys(doc) : [...Object.keys(doc), ...[breakdown].flat()]

/** The same task in its simple form: media, then one text. */
function simple(task: Task): Task {
  return { ...task, config: { ...task.config, doc_to_messages: undefined } }
}

async function promptProblem(row: TaskRow, { task, options, rows }: Context): Promise<string | undefined> {
  const rendered = render(row, { ...task, config: { ...simple(task).config, description: undefined } })
  if (typeof rendered === 'string') return isRefusal(row.expected['prompt']) ? undefined : rendered
  const { prompt, target: told, visuals, choices } = row.expected
  const target = options.target === undefined ? told : options.target(row)
  return firstOf([
    differs('prompt', textsOf(rendered.messages), prompt ?? ''),
    targetProblem(rendered.record, { target, choices }),
    differs(
      'visuals',
      mediaOf(rendered.messages),
      listOf(visuals).map(medium => theirMedium(medium, task)),
    ),
    choices === undefined || choices === null ? undefined : differs('choices', rendered.record.choices, choices),
    await shotsProblem(row, { task, rows }),
  ])
}

/** The reference raises an error. */
const isRefusal = (value: unknown): boolean => typeof value === 'object' && value !== null && 'error' in value

/** The prompt with its description, and after examples. */
async function shotsProblem(row: TaskRow, among: Pick<Context, 'task' | 'rows'>): Promise<string | undefined> {
  for (const [shots, expected] of Object.entries(row.expected['fewshot_context'] ?? {})) {
    const problem = differs(
      `the prompt after ${shots} examples`,
      await promptAfter(Number(shots), { row, ...among }),
      expected,
    )
    if (problem !== undefined) return problem
  }
  return undefined
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** An index that is written as text may be the text of another choice, too. */
function targetProblem(ours: Pick<JudgeRecord, 'target' | 'choices'>, theirs: Values): string | undefined {
  if (typeof ours.target === 'number' && String(ours.target) === theirs['target']) return undefined
  const expected = targetText(theirs['target'], theirs['choices'])
  return differs('target', targetText(ours.target, ours.choices), expected)
}

/** Targets are compared as texts; of choices, as the index of the right one. */
function targetText(target: unknown, choices: unknown): unknown {
  if (Array.isArray(target)) return target.map(one => targetText(one, undefined))
  if (Array.isArray(choices) && typeof target === 'string' && choices.includes(target))
    return String(choices.indexOf(target))
  return typeof target === 'number' || typeof target === 'boolean' ? String(target) : target
}

const textsOf = (messages: readonly DraftMessage[]): string =>
  messages
    .flatMap(({ content }) => content)
    .flatMap(part => (part.type === 'text' ? [part.text] : []))
    .join('')

const mediaOf = (messages: readonly DraftMessage[]): readonly string[] =>
  messages.flatMap(({ content }) => content).flatMap(part => (part.type === 'medium' ? [mediumText(part.source)] : []))

/** Files of the reference lie in a folder that `cache_dir` names; ours are called as they are within it. */
function theirMedium(medium: unknown, { config }: Task): string {
  const named = config.dataset_kwargs?.['cache_dir']
  const folder = `${typeof named === 'string' ? named : ''}/`
  const text = mediumText(medium)
  return text.startsWith(folder) ? text.slice(folder.length) : text
}

/** A message part of the reference. Its `type` of a medium is not compared: ours is seen from the bytes. */
interface ReferencePart {
  readonly type: string
  readonly text?: string
  readonly url?: unknown
}

function messagesProblem(row: TaskRow, { task }: Context): string | undefined {
  const rendered = render(row, task)
  if (typeof rendered === 'string') return isRefusal(row.expected['messages']) ? undefined : rendered
  const expected = row.expected['messages'] as readonly {
    readonly role: string
    readonly content: string | readonly ReferencePart[]
  }[]
  const theirs = expected.map(({ role, content }) => ({
    role,
    content: (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((part: ReferencePart) =>
      part.type === 'text' ? part.text : `<${theirMedium(part.url, task)}>`,
    ),
  }))
  const ours = rendered.messages.map(({ role, content }) => ({
    role,
    content: content.map(part => (part.type === 'text' ? part.text : `<${mediumText(part.source)}>`)),
  }))
  return differs('messages', ours, theirs)
}

/** What became of one row's answer. */
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
    cacheDir,
    exported: [],
    judge: { ask, identity: {} },
    ...likeness(options),
  })
  return { body: await scorer.score(answered(row, simple(task), options)), asked }
}

const likeness = ({ parity }: GoldenTaskOptions): Pick<GoldenTaskOptions, 'parity'> =>
  parity === undefined ? {} : { parity }

/** The rows were made without the removal of reasoning, which comes before a task's own rules. */
function rulesOf({ scoring }: Task): StoredScoring {
  const stored = scoring as StoredScoring & typeof scoring
  return { ...stored, config: { ...stored.config, reasoning_tags: 'none' } }
}

/** The docs of scores come without their media, so only the target is rendered. */
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

/** The reference takes what the model says of a choice for its loss; with parity, so do we. */
function likelihoods({ responses }: TaskRow, { parity }: GoldenTaskOptions): readonly unknown[] {
  const sign = parity === undefined ? -1 : 1
  const losses = responses[0] as readonly (readonly [number, boolean])[]
  return losses.map(([loss, isGreedy], choice) => ({
    choice,
    sample: 0,
    body: { text: '', finishReason: 'stop', logprob: sign * loss, isGreedy },
  }))
}

async function scoreProblem(row: TaskRow, context: Context): Promise<string | undefined> {
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
      // What the reference's function gives beside its metrics is nobody's score.
      if (named?.includes(metric) === false || context.options.uncounted?.includes(metric) === true) return undefined
      const ours = body.values[valueName(metric, filter)]
      const known = right?.[metric]
      if (right !== undefined && known === undefined && metric !== 'submission') return undefined
      return valueProblem(`${metric} after ${filter}`, ours, known ?? compared(metric, value, { row, context, ours }))
    }),
  )
  return firstOf([...problems, row.judge_requests && requestsProblem(asked, row.judge_requests)])
}

function rightOf(row: TaskRow, { options }: Context): Values | undefined {
  if (row.lmms_eval_flaw !== true || options.parity !== undefined) return undefined
  return options.right?.(row) ?? row.right
}

/** The reference's value in the form of ours. */
function compared(
  metric: string,
  value: unknown,
  { row, context, ours }: { readonly row: TaskRow; readonly context: Context; readonly ours: unknown },
): unknown {
  const own = context.options.values?.[metric]
  if (own !== undefined) return own(value as never, row) ?? ours
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return plain(value)
  if (typeof ours === 'object' && ours !== null && !Array.isArray(ours))
    return { ...ours, ...sharedWith(ours, value as Values) }
  return plain((value as Values)['score'])
}

/** Of the reference's fields those that our value has too. Fields of our own have nothing to be compared with. */
const sharedWith = (ours: object, value: Values): Values =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key in ours))

/** A truth value counts as a number. */
const plain = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value)

function valueProblem(what: string, ours: unknown, expected: unknown): string | undefined {
  if (ours === undefined && expected !== undefined) return `${what} is absent, expected ${JSON.stringify(expected)}`
  return differs(what, ours, expected)
}

/** Prompts are compared by their digest; equal ones that are repeated count once, as they do in the store. */
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

async function aggregateProblem(row: TaskRow, context: Context): Promise<string | undefined> {
  const { task, cacheDir, rows, options } = context
  const named = row.score_rows.map(id => {
    const found = rows.find(other => other.id === id)
    if (found === undefined) throw new Error(`the row ${id} is not in the file`)
    return found
  })
  const scorer = await makeTaskScorer(task.name, rulesOf(task), { cacheDir, exported: [], ...likeness(options) })
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
      // Of a metric that is only collected the reference says 999.
      if ((value === 999 && ours === null) || context.options.uncounted?.includes(metric) === true) return undefined
      const expected = right === undefined ? value : right[metric]
      return typeof expected === 'number' ? valueProblem(`the aggregate ${metric}`, ours, expected) : undefined
    }),
  )
}
