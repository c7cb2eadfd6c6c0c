/** Facts about a task that its keys tell, without reading its data or loading its code. */
import { functionText, isFunctionRef } from '../../../stages/input/tasks/function-ref.js'

/** The keys of a task, from its resolved file or from a loaded task. */
export type TaskKeys = Readonly<Record<string, unknown>>

/** The facts of a task in a list. */
export interface TaskSummary {
  /** The media that prompts show beside text, as far as the names of columns and functions say: `text`, `image`, `video, audio`. */
  readonly modality: string
  readonly metrics: readonly string[]
  /** The dataset and its configuration. */
  readonly source: string
}

/** Summarizes the keys of a task. */
export function summarizeTask(keys: TaskKeys): TaskSummary {
  const { dataset_path: path, dataset_name: name } = keys
  return {
    modality: findModality(keys),
    metrics: listMetrics(keys),
    source: [path, name].filter(part => typeof part === 'string').join(', '),
  }
}

/** Words in names of columns and functions that suggest a media kind. */
const words = [
  ['image', /image|picture|photo|figure|url|withbox|withoutline/i],
  ['video', /video|clip/i],
  ['audio', /audio|sound|speech|wav/i],
] as const

function findModality({
  doc_to_visual: visual,
  doc_to_image: image,
  doc_to_audio: audio,
  doc_to_messages: messages,
}: TaskKeys): string {
  const functionNames = [visual, image]
    .flat()
    .filter(value => value !== undefined && value !== null)
    .map(readName)
  const kinds = new Set<string>(
    words.flatMap(([kind, word]) => (functionNames.some(text => word.test(text)) ? [kind] : [])),
  )
  if (image !== undefined && image !== null) kinds.add('image')
  if (audio !== undefined && audio !== null) kinds.add('audio')
  const isShowing = functionNames.length > 0 && !functionNames.every(text => /(^|\.)nothing$/.test(text))
  if (kinds.size > 0) return [...kinds].join(', ')
  if (isShowing) return 'media'
  return messages === undefined || messages === null ? 'text' : 'messages'
}

const readName = (value: unknown): string => (isFunctionRef(value) ? functionText(value) : String(value))

function listMetrics({ metric_list: list }: TaskKeys): readonly string[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return []
    const { name, metric } = entry as { readonly name?: unknown; readonly metric?: unknown }
    const reference = name ?? metric
    return isFunctionRef(reference) ? [reference.name] : typeof reference === 'string' ? [reference] : []
  })
}
