import { basename } from 'node:path'
import type { Run, RunTask } from '../../../../cache/records.js'
import { oneLine } from '../../../../base/text/visible-text.js'
import { formatQuantity, formatCount } from '../../../../base/text/numbers.js'
import { readModelName, readRunAbout } from '../../../reading/runs/run-about.js'
import type { Paint } from '../layout/paint.js'

/** `onnx_vlm tinyvlm (fp32)`: the backend, the model's short name, and further arguments that can change answers. */
export const modelLabel = (run: Run): string => labelWith(run, () => true)

/**
 * The label for a row of a list. The address of a server is no part of a model's name, and is long enough to hide what
 * tells two models apart. It stays where nothing else names the model.
 */
export const listedModel = (run: Run): string => labelWith(run, value => modelName(run) === '' || !isAddress(value))

const isAddress = (value: unknown): boolean => typeof value === 'string' && /^[a-z][a-z\d+.-]*:\/\//i.test(value)

function labelWith(run: Run, isNamed: (value: unknown) => boolean): string {
  const ownName = readModelName(run)
  if (ownName !== undefined) return ownName
  const { backend, args } = run.asked.model
  const name = modelName(run)
  const others = Object.entries(args).flatMap(([key, value]) =>
    key === 'model' || value === undefined || value === null || !isNamed(value) ? [] : [argument(key, value)],
  )
  return [backend, name, others.length === 0 ? '' : `(${others.join(', ')})`].filter(part => part !== '').join(' ')
}

/** Shows a word, such as a dtype, without its argument's name; a number with it. */
const argument = (key: string, value: unknown): string =>
  typeof value === 'string' && /^[a-z]\w{0,15}$/i.test(value)
    ? value
    : `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`

function modelName(run: Run): string {
  const { args } = run.asked.model
  if (typeof args['model'] === 'string') return args['model']
  const typed = run.provenance.config.model_args
  if (typeof typed !== 'object' || !('model' in typed)) return ''
  return typeof typed.model === 'string' ? basename(typed.model) : ''
}

/** `mmmu_val`, or `mmmu_val +11` for a run of twelve tasks. */
export function tasksLabel({ asked: { tasks } }: Pick<Run, 'asked'>): string {
  const name = tasks[0]?.name ?? ''
  return tasks.length <= 1 ? name : `${name} +${formatCount(tasks.length - 1)}`
}

/** `4be1c9d`, with `+changes` for a dirty tree; the version without git. */
export function codeLabel(run: Run): string {
  const { commit, dirty, version } = run.provenance
  if (commit === undefined) return version
  return `${commit.slice(0, 7)}${dirty === true ? ' + changes' : ''}`
}

/** Formats the run's generated name with its `--name`. */
export function runLabel(run: Run): string {
  const { title } = readRunAbout(run)
  return title === undefined ? run.name : `${run.name} · ${oneLine(title)}`
}

/** The header of a run's output. */
export function runHeader(run: Run, about: { store: string; version: string; state: string }, paint: Paint): string[] {
  const { note } = readRunAbout(run)
  return [
    `${paint.bold('pipeline')} ${about.version} · store ${about.store} · run ${paint.bold(runLabel(run))} (${about.state})`,
    `  ${paint.dim('model')}   ${modelLabel(run)}      ${paint.dim('code')} ${codeLabel(run)}`,
    ...(note === undefined ? [] : [`  ${paint.dim('note')}    ${oneLine(note)}`]),
  ]
}

/** `tasks   shapes_vqa (1,000 docs)`; without numbers as long as one is not known. */
export function tasksLine(
  tasks: readonly RunTask[],
  docs: ReadonlyMap<string, number | undefined>,
  paint: Paint,
): string {
  const most = 6
  const first = tasks.slice(0, most)
  const isKnown = first.every(({ name }) => docs.get(name) !== undefined)
  const taskTexts = first.map(({ name }) =>
    isKnown ? `${name} (${formatQuantity(docs.get(name) ?? 0, 'doc')})` : name,
  )
  const rest = tasks.length > most ? `, … (${formatCount(tasks.length)} tasks)` : ''
  return `  ${paint.dim('tasks')}   ${taskTexts.join(', ')}${rest}`
}
