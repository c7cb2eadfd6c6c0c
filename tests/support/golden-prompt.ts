import type { JudgeRecord } from '../../cache/records.js'
import type { Prompting } from '../../stages/input/prompting.js'
import { makeRenderer, type Rendered } from '../../stages/input/render/renderer.js'
import type { DraftMessage } from '../../stages/input/render/messages.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { mediumText, withMedia } from './golden-media.js'
import { differs, firstOf, type Context, type TaskRow, type Values } from './golden-row.js'
import { promptAfter } from './golden-fewshot.js'

function render(row: TaskRow, task: Task): Extract<Rendered, { type: 'rendered' }> | string {
  const doc = withMedia(row.doc) as Doc
  const rendered = makeRenderer(task, columnsOf(doc, task), promptingOf(row)).render(doc)
  return rendered.type === 'failed' ? `can't be rendered: ${rendered.reason}` : rendered
}

const promptingOf = ({ kwargs: { model_name: model } }: TaskRow): Prompting =>
  model === null ? {} : { models: [model] }

/** Columns that our `process_docs` adds for reports, which docs of golden rows lack. */
export const columnsOf = (doc: Doc, { config: { process_docs: added, breakdown = [] } }: Task): readonly string[] =>
  added === undefined ? Object.keys(doc) : [...Object.keys(doc), ...[breakdown].flat()]

/** Returns the task in its simple form: media, then one text. */
export function simple(task: Task): Task {
  return { ...task, config: { ...task.config, doc_to_messages: undefined } }
}

export async function promptProblem(row: TaskRow, { task, options, rows }: Context): Promise<string | undefined> {
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

/** Whether the reference raises an error. */
const isRefusal = (value: unknown): boolean => typeof value === 'object' && value !== null && 'error' in value

/** Compares the prompt with its description and examples. */
async function shotsProblem(row: TaskRow, among: Pick<Context, 'task' | 'rows'>): Promise<string | undefined> {
  for (const [numFewshot, expected] of Object.entries(row.expected['fewshot_context'] ?? {})) {
    const problem = differs(
      `the prompt after ${numFewshot} examples`,
      await promptAfter(Number(numFewshot), { row, ...among }),
      expected,
    )
    if (problem !== undefined) return problem
  }
  return undefined
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** Compares targets. An index that is written as text may also be the text of another choice. */
function targetProblem(ours: Pick<JudgeRecord, 'target' | 'choices'>, theirs: Values): string | undefined {
  if (typeof ours.target === 'number' && String(ours.target) === theirs['target']) return undefined
  const expected = targetText(theirs['target'], theirs['choices'])
  return differs('target', targetText(ours.target, ours.choices), expected)
}

/** Returns the target as text, or with choices as the index of the right one. */
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

/** Returns the reference's name of a medium. Its files are in the folder of `cache_dir`, ours are named relative to it. */
function theirMedium(medium: unknown, { config }: Task): string {
  const named = config.dataset_kwargs?.['cache_dir']
  const folder = `${typeof named === 'string' ? named : ''}/`
  const text = mediumText(medium)
  return text.startsWith(folder) ? text.slice(folder.length) : text
}

/** A message part of the reference. The `type` of a medium is not compared, because ours follows from the bytes. */
interface ReferencePart {
  readonly type: string
  readonly text?: string
  readonly url?: unknown
}

export function messagesProblem(row: TaskRow, { task }: Context): string | undefined {
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
