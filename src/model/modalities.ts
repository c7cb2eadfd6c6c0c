import { PipelineError } from '../../base/errors/errors.js'
import { command, option } from '../../base/errors/option-words.js'
import { type ShownKind, shownKinds } from '../../stages/input/selection/first-docs.js'
import type { PreparedTask } from '../../stages/input/prepare-task.js'
import { computeDocRange, type Selection } from '../../stages/input/selection/selection.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { AnyBackend, Modality } from '../../stages/model/define-backend.js'
import { allBackends } from '../../stages/model/built-in-backends.js'
import { backendRequestType, type ModelPlan } from './model-plan.js'

/**
 * Rejects a task with media that the model does not accept, before the first request. Only the first docs are checked; a later doc with other
 * media fails by itself.
 *
 * @throws PipelineError that says what the model accepts, and which models accept the rest
 */
export async function refuseModalities(
  model: ModelPlan,
  task: Task,
  { prepared, selection }: { readonly prepared: PreparedTask; readonly selection: Selection },
): Promise<void> {
  const accepts = model.accepts(backendRequestType(task))
  if (!showsMedia(task) || everything.every(kind => accepts.includes(kind))) return
  const mediaKinds = await shownKinds(prepared, await computeDocRange(selection, prepared, task.name))
  const refused = mediaKinds.filter(({ kind }) => !accepts.includes(kind))
  if (refused.length === 0) return
  const problem = `task ${task.name} shows ${formatKinds(refused)}, which model ${model.backend.id} does not take${asType(task)}: it takes ${accepts.join(', ')}.`
  throw new PipelineError('config', `${problem} ${await wayOut(model, task, refused)}`)
}

/** Tells whether a task may have media, by its keys. */
const showsMedia = ({ config }: Task): boolean =>
  [config.doc_to_visual, config.doc_to_audio, config.doc_to_messages].some(field => field !== undefined)

const everything: readonly Modality[] = ['text', 'image', 'audio', 'video', 'file']
const words: Readonly<Record<Modality, string>> = {
  text: 'text',
  image: 'images',
  audio: 'audio',
  video: 'videos',
  file: 'files (PDF)',
}

const formatKinds = (refused: readonly ShownKind[]): string =>
  refused.map(({ kind, doc }) => `${words[kind]} (doc ${doc})`).join(' and ')

const asType = (task: Task): string => {
  const type = backendRequestType(task)
  return type === 'generate_until' ? '' : ` for ${type}`
}

/** Advice: arguments that make the backend accept the media, and backends that accept them anyway. */
async function wayOut({ backend, accepts }: ModelPlan, task: Task, refused: readonly ShownKind[]): Promise<string> {
  const type = backendRequestType(task)
  const kinds = refused.map(({ kind }) => kind)
  const takers = (await allBackends()).filter(
    other =>
      other.requests.includes(type) && kinds.every(kind => (other.apart?.[type] ?? other).accepts.includes(kind)),
  )
  const others =
    takers.length === 0
      ? 'No built-in model takes it.'
      : `Models that do: ${takers.map(({ id }) => id).join(', ')}   (${command('models list')})`
  const isAdjustable = 'modalities' in backend.args && backend.apart?.[type] === undefined
  return [...(isAdjustable ? [argumentsFor(backend, accepts(type), kinds)] : []), others].join(' ')
}

function argumentsFor({ args }: AnyBackend, accepts: readonly Modality[], kinds: readonly Modality[]): string {
  const framed =
    'nframes' in args && kinds.includes('video') && accepts.includes('image')
      ? `Add nframes=8 to ${option('modelArgs')} to send videos as frames. `
      : ''
  const wider = [...new Set([...accepts, ...kinds])].join('+')
  return `${framed}If this very model takes it all the same, add modalities=${wider} to ${option('modelArgs')}.`
}
