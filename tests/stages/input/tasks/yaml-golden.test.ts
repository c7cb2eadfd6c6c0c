import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import { makeTaskScorer } from '../../../../src/judging/scoring.js'
import { prepareTask } from '../../../../stages/input/prepare-task.js'
import { makeRenderer, type Rendered } from '../../../../stages/input/render/renderer.js'
import type { DraftMessage } from '../../../../stages/input/render/messages.js'
import { functionText, isFunctionRef } from '../../../../stages/input/tasks/function-ref.js'
import { resolvedGeneration, specificKwargs, targetKwargs } from '../../../../stages/input/generation.js'
import { resolveTasks } from '../../../../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../../../../stages/input/tasks/task.js'
import { goldenRows } from '../../../support/golden.js'
import { temporaryFolder } from '../temp-folder.js'
import { withMarks, writeTree } from './yaml-tree.js'

type Values = Readonly<Record<string, Json>>

interface Loaded {
  readonly config: Values
  readonly output_type: string
  readonly specific_kwargs: Json
  readonly target_kwargs: Json
  readonly metrics: Values
  readonly higher_is_better: Values
  readonly filters: readonly { readonly name: string }[]
  readonly n_docs: number
  readonly doc0: Values
  readonly fewshot_context?: Values
}

interface TreeRow {
  readonly id: string
  readonly files: Readonly<Record<string, string>>
  readonly load: readonly string[]
  readonly model_name: string | null
  readonly note: string
  readonly has_error: boolean
  readonly good_error?: string
  readonly expected: { readonly load?: Readonly<Record<string, Readonly<Record<string, Json>>>> }
}

/** Rows with another result here, and the reason. */
const otherwise: Readonly<Record<string, string>> = {
  'yaml/no_dataset_path': 'a task without data is refused here when it is read',
  'yaml/function_absolute': 'a function of a Python package is not there',
  'yaml/metric_unknown_no_agg': 'the aggregation is the mean where none is given',
  'yaml/agentic': 'output types of several rounds are refused',
  'yaml/group_duplicate_inline': 'the reference loses one of the three tasks',
}

const rows = goldenRows<TreeRow>('tasks/yaml.jsonl.gz')
const folder = temporaryFolder()

/** The words that a good message must contain. */
const named = (text: string): readonly string[] =>
  [
    ...text.matchAll(/'([^']+)'|\b(\w+\.yaml)\b|\b(circular|doc_to_\w+|test_split|utils|num_proc|class|repeats)\b/g),
  ].map(match => (match[1] ?? match[2] ?? match[3] ?? '').replace(/^circular$/, 'circle'))

describe('a tree of task files', () => {
  for (const row of rows.filter(({ id }) => otherwise[id] === undefined))
    if (row.has_error || row.good_error !== undefined)
      it(`is rejected with its file and name: ${row.note} (${row.id})`, async () => {
        const text = await refusalOf(row)
        for (const name of named(row.good_error ?? '')) expect(text).toContain(name)
      })
    else
      it(`is read as in the reference: ${row.note} (${row.id})`, async () => {
        await writeTree(folder.path(), row.files)
        for (const [name, expected] of Object.entries(row.expected.load ?? {}))
          await compareAll(name, expected, row.model_name === null ? [] : [row.model_name])
      })
  it(`differs from the reference in ${Object.keys(otherwise).length} rows, for a documented reason`, () => {
    expect(Object.keys(otherwise).filter(id => !rows.some(row => row.id === id))).toEqual([])
  })
})

const options = () => ({ includePaths: [folder.path()], cacheDir: folder.path('cache'), emit: () => undefined })

async function refusalOf({ files, load }: TreeRow): Promise<string> {
  await writeTree(folder.path(), files)
  try {
    for (const task of await resolveTasks(load, options())) {
      await scorerOf(task)
      await prepareTask(task)
    }
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    return error.problems.join('\n')
  }
  throw new Error('it is not refused')
}

const scorerOf = (task: Task) =>
  makeTaskScorer(task.name, task.scoring, {
    cacheDir: folder.path('cache'),
    exported: [],
    locate: path => task.at(path),
  })

async function compareAll(name: string, expected: Readonly<Record<string, Json>>, models: readonly string[]) {
  const leaves = new Map(Object.entries(expected).flatMap(entry => leavesOf(...entry)))
  const tasks = await resolveTasks([name], options())
  expect(tasks.map(task => task.name).sort()).toEqual([...leaves.keys()].sort())
  for (const task of tasks) await compare(task, leaves.get(task.name) as unknown as Loaded, models)
}

function leavesOf(name: string, value: Json): readonly (readonly [string, Json])[] {
  const node = value as Values
  return node['children'] === undefined
    ? [[name, value]]
    : Object.entries(node['children'] as Values).flatMap(entry => leavesOf(...entry))
}

const unset: Values = {
  full_docs: false,
  process_results_use_image: false,
  description: '',
  should_decontaminate: false,
  score_key: 'score',
  auto_strip_thinking: false,
}

async function compare(task: Task, expected: Loaded, models: readonly string[]): Promise<void> {
  const { generation_kwargs: generation, ...config } = expected.config
  if (generation !== undefined) expect(resolvedGeneration(task, models)).toEqual(generation)
  const own: Readonly<Record<string, unknown>> = task.config
  for (const [key, value] of Object.entries(config)) {
    if (['task', 'lmms_eval_specific_kwargs', 'metric_list', 'filter_list', 'dataset_kwargs'].includes(key)) continue
    expect({ [key]: shown(own[key] ?? unset[key]) }).toEqual({ [key]: value })
  }
  expect(specificKwargs(task.config, models)).toEqual(expected.specific_kwargs ?? {})
  expect(targetKwargs(task.config, models) ?? null).toEqual(expected.target_kwargs)
  await compareScoring(task, expected)
  await compareDocs(task, expected, models)
}

const shown = (value: unknown): unknown =>
  isFunctionRef(value)
    ? `<function ${functionText(value).replace(/^.*\./, '')}>`
    : typeof value === 'string' && value.endsWith('syn/gates')
      ? `syn/${basename(value)}`
      : value

async function compareScoring(task: Task, expected: Loaded): Promise<void> {
  const found = (await scorerOf(task)).aggregator().finish({ docs: 0 })
  const filters = expected.filters.map(({ name }) => name)
  const known = Object.keys(expected.metrics).flatMap(metric => filters.map(filter => `${metric},${filter}`))
  expect(found.map(({ metric, filter }) => `${metric},${filter}`).sort()).toEqual(known.sort())
  expect(Object.fromEntries(found.map(one => [one.metric, one.higherIsBetter]))).toEqual(expected.higher_is_better)
}

async function compareDocs(
  task: Task,
  { doc0, n_docs: count, fewshot_context: contexts = {} }: Loaded,
  models: readonly string[],
) {
  const prepared = await prepareTask(task, { models })
  const docs = []
  for await (const doc of prepared.docs()) docs.push(doc)
  expect(docs).toHaveLength(count)
  const [doc = {}] = docs
  const columns = Object.keys(doc)
  const simple = rendered(makeRenderer(task, columns, { models, form: 'simple' }).render(doc))
  const choices = doc0['choice'] as readonly string[] | undefined
  const chosen = (value: Json | undefined): unknown => (typeof value === 'number' ? (choices?.[value] ?? value) : value)
  if (task.config.description === undefined) expect(textOf(simple.messages)).toEqual(chosen(doc0['text']))
  if (task.config.output_type === 'multiple_choice') expect(simple.record.target).toEqual(doc0['target'])
  else expect(simple.record.target).toEqual(chosen(doc0['target']))
  expect(mediaOf(simple.messages)).toEqual(withMarks(doc0['visual'] ?? []))
  expect(simple.record.choices).toEqual(choices)
  await compareContexts(task, contexts, models)
  if (doc0['messages'] !== undefined)
    expect(rendered(makeRenderer(task, columns, { models }).render(doc)).messages.map(asReference)).toEqual(
      withMarks(doc0['messages']),
    )
}

/** The reference draws examples for all their numbers with one generator, so only the first number can be compared. */
async function compareContexts(task: Task, contexts: Values, models: readonly string[]): Promise<void> {
  const isRandom = task.config.fewshot_config?.sampler !== 'first_n'
  const drawn = Object.keys(contexts).filter(numFewshot => numFewshot !== '0')
  for (const [numFewshot, expected] of Object.entries(contexts)) {
    if (isRandom && drawn.indexOf(numFewshot) > 0) continue
    const own = { ...task, config: { ...task.config, num_fewshot: undefined } }
    const prepared = await prepareTask(own, { models, form: 'simple', numFewshot: Number(numFewshot) })
    const [doc = {}] = await first(prepared.docs())
    const { messages } = rendered(prepared.renderer.render(doc, prepared.examples?.()(doc)))
    expect(textOf(messages)).toBe(withAllExamples.get(expected as string) ?? expected)
  }
}

/** Where an example equals the doc, the reference shows one example of two. */
const withAllExamples: ReadonlyMap<string, string> = new Map([
  [
    'About north.\\n\\nWhich gate is shut? => north\n\nWhich gate is open?',
    'About north.\\n\\nWhich gate is shut? => north\n\nWho waits? => Mara\n\nWhich gate is open?',
  ],
])

async function first<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  for await (const item of items) return [item]
  return []
}

function rendered(one: Rendered): Extract<Rendered, { type: 'rendered' }> {
  if (one.type === 'failed') throw new Error(one.reason)
  return one
}

const partsOf = (messages: readonly DraftMessage[]) => messages.flatMap(({ content }) => content)
const textOf = (messages: readonly DraftMessage[]): string =>
  partsOf(messages)
    .flatMap(part => (part.type === 'text' ? [part.text] : []))
    .join('')
const mediaOf = (messages: readonly DraftMessage[]): readonly unknown[] =>
  partsOf(messages).flatMap(part => (part.type === 'medium' ? [part.source] : []))

const asReference = ({ role, content }: DraftMessage) => ({
  role,
  content: content.map(part => (part.type === 'text' ? part : { type: 'image', url: part.source })),
})
