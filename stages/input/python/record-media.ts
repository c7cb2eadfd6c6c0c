/** Media that a task's scoring in Python reads: they are stored, and the judge's record names them. */
import { unwrapLimited } from '../../../base/time/time-limit.js'
import { pointerTo } from '../../../base/values/json-pointer.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { setValue } from '../../../base/values/named-values.js'
import { findPythonFunction } from '../../../cache/code/python/python-function.js'
import type { JsonObject, JudgeRecord } from '../../../cache/records.js'
import type { SourceFile } from '../../../cache/store.js'
import type { MediaIntake } from '../media/media-intake.js'
import { asJson } from '../render/judge-record.js'
import { isMediumSource } from '../render/visuals.js'
import type { Doc } from '../tasks/doc.js'
import type { Task } from '../tasks/task.js'

/** Returns whether the task's `process_results` is in Python. */
export function scoresInPython({ config, functionOf }: Task): boolean {
  const { process_results: processing } = config
  return processing !== undefined && findPythonFunction(unwrapLimited(functionOf(processing))) !== undefined
}

/** Returns whether the judge's records of a task name the docs' media (`process_results_use_image: true`). */
export const keepsMedia = (task: Task): boolean =>
  task.config.process_results_use_image === true && scoresInPython(task)

/**
 * Stores a doc's media, and replaces them by message parts in the judge record.
 *
 * @throws MediumError
 */
export async function withMedia(
  record: JudgeRecord,
  doc: Doc,
  media: MediaIntake,
): Promise<{ readonly record: JudgeRecord; readonly files: readonly SourceFile[] }> {
  const files: SourceFile[] = []
  const places: string[] = []
  const convertValue = async (value: unknown, pointer: string): Promise<Json | undefined> => {
    if (isNoMedium(value)) return null
    if (isMedium(value)) {
      const { part, file } = await media.add(value)
      if (file !== undefined) files.push(file)
      places.push(pointer)
      // The spread copies the interface to a type with an index signature, as `Json` requires.
      return { ...part }
    }
    if (typeof value !== 'object' || value === null || isMediumSource(value)) return asJson(value)
    if (!Array.isArray(value)) return convertFields(value as Doc, pointer)
    const items: Json[] = []
    for (const [at, item] of value.entries()) items.push((await convertValue(item, pointerTo(pointer, at))) ?? null)
    return items
  }
  const convertFields = async (value: Doc, pointer: string): Promise<JsonObject> => {
    const fields: Record<string, Json> = {}
    for (const [name, field] of Object.entries(value)) {
      const json = await convertValue(field, pointerTo(pointer, name))
      if (json !== undefined) setValue(fields, name, json)
    }
    return fields
  }
  const fields = await convertFields(doc, '')
  return { record: { ...record, doc: fields, ...(places.length > 0 && { media: places }) }, files }
}

/** A column of media has these values for docs without a medium. */
export function isNoMedium(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null
  const fields = Object.entries(value)
  return fields.length > 0 && fields.every(([name, field]) => (name === 'bytes' || name === 'path') && field === null)
}

/** Tells whether a value is a medium. Bytes without a name are not, because no column type declares them as a medium. */
const isMedium = (value: unknown): value is Exclude<Parameters<MediaIntake['add']>[0], string | Uint8Array> =>
  isMediumSource(value) && !(value instanceof Uint8Array)
