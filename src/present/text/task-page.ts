import type { TaskExample } from '../../authoring/task-example.js'
import { formatCount } from '../../../base/text/numbers.js'
import { summarizeTask } from '../../reading/tasks/task-summary.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { functionText, isFunctionRef } from '../../../stages/input/tasks/function-ref.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import type { Paint } from './layout/paint.js'
import { pairs } from './layout/table.js'

/** A doc of a task with the prompt that a model would get. */
/** The page of `tasks show`. `example` may be the reason why there is no example. */
export function taskPage(
  task: Task,
  {
    about,
    example,
    docs,
    paint,
  }: {
    readonly about: string
    readonly example: TaskExample | string
    /** The number of docs, if a run has read them all. */
    readonly docs?: number | undefined
    readonly paint: Paint
  },
): string[] {
  const exampleLines =
    typeof example === 'string'
      ? [`an example: ${example}`]
      : [
          `an example${example.note === undefined ? '' : `, ${example.note}`}:`,
          ...example.prompt.split('\n').map(line => `  | ${line}`),
          `  target: ${example.target}`,
        ]
  return [
    paint.bold(task.name),
    ...(about === '' ? [] : [about]),
    '',
    ...pairs(taskFacts(task, docs), paint),
    '',
    ...exampleLines,
    '',
  ]
}

/**
 * Lists what a task does, by name. Unset keys are left out.
 *
 * @param docs the number of docs, if a run has read them all
 */
export function taskFacts(task: Task, docs: number | undefined): (readonly [string, string])[] {
  const { config } = task
  const entries: readonly (readonly [string, string | undefined])[] = [
    ['file', shownPath(task.file)],
    ['source', formatSource(task)],
    ['licence', readLicence(config.metadata)],
    ['split', config.test_split ?? config.validation_split ?? 'test'],
    ['docs', docs === undefined ? '—   (known after a run that reads them all)' : formatCount(docs)],
    ['modality', summarizeTask(config).modality],
    ['tags', formatList(config.tag)],
    ['asks', `${config.output_type}${config.repeats > 1 ? `, ${config.repeats} samples of each` : ''}`],
    ['media', fieldText(config.doc_to_visual)],
    ['examples before', config.num_fewshot === undefined ? undefined : `${config.num_fewshot}`],
    ['prompt', fieldText(config.doc_to_messages ?? config.doc_to_text)],
    ['choices', fieldText(config.doc_to_choice)],
    ['target', fieldText(config.doc_to_target)],
    ['generation', keysText(config.generation_kwargs ?? {})],
    ['filters', (config.filter_list ?? []).map(filterText).join('; ')],
    ['scored by', config.process_results === undefined ? undefined : fieldText(config.process_results)],
    ['metrics', (config.metric_list ?? []).map(metricText).join('; ') || 'the defaults of its output type'],
    ['reported by', formatList(config.breakdown)],
    ...Object.entries(config.parity ?? {}).map(
      ([program, keys]) => [`parity ${program}`, parityText(keys ?? {})] as const,
    ),
    ['identity', task.identity.key],
  ]
  return entries.flatMap(([name, text]) => (text === undefined || text === '' ? [] : [[name, text] as const]))
}

function formatSource({ config }: Task): string {
  const { dataset_name: name, dataset_kwargs: kwargs } = config
  const revision = kwargs?.['revision']
  return [
    config.dataset_path,
    ...(typeof name === 'string' ? [`configuration ${name}`] : []),
    ...(typeof revision === 'string' ? [`revision ${revision}`] : []),
  ].join(', ')
}

function readLicence(metadata: Task['config']['metadata']): string | undefined {
  const fields = Array.isArray(metadata) ? undefined : (metadata as Readonly<Record<string, unknown>> | undefined)
  const licence = fields?.['licence'] ?? fields?.['license']
  return typeof licence === 'string' ? licence : undefined
}

const formatList = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.join(', ')

/** Shows a column, template or constant as in the file, and a function by its name. */
function fieldText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (isFunctionRef(value)) return `${functionText(value)}()`
  if (Array.isArray(value)) return value.map(item => fieldText(item)).join(', ')
  return typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value)
}

const parityText = (keys: Readonly<Record<string, unknown>>): string =>
  Object.entries(keys)
    .map(([name, value]) => `${name} ${fieldText(value) ?? ''}`)
    .join(', ')

const keysText = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ')

function filterText({
  name,
  filter,
}: {
  readonly name: string
  readonly filter: readonly Readonly<Record<string, unknown>>[]
}) {
  return `${name}: ${filter.map(({ function: called }) => fieldText(called)).join(' → ')}`
}

function metricText({
  metric,
  name,
  aggregation,
  higher_is_better: higher,
  ...args
}: Readonly<Record<string, unknown>>) {
  const facts = [
    ...(aggregation === undefined ? [] : [fieldText(aggregation)]),
    ...(higher === false ? ['lower is better'] : []),
    ...(Object.keys(args).length === 0 ? [] : [keysText(args)]),
  ]
  return `${fieldText(name ?? metric)}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}

/** The comment at the top of a task file. */
export const headComment = (yaml: string): string =>
  (/^(?:[ \t]*#.*(?:\r?\n|$))+/.exec(yaml)?.[0] ?? '')
    .split('\n')
    .map(line => line.replace(/^[ \t]*#[ \t]?/, '').trim())
    .filter(line => line !== '')
    .join(' ')
