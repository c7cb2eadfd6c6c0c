import { parseList } from '../../../base/python/written-list.js'
import type { EditedMedium, MediumSource, StoredMedium } from '../tasks/doc.js'
import { isFunctionRef, type FunctionRef } from '../tasks/function-ref.js'
import { compileField, type Field, type FieldContext } from './field.js'

/** A medium, or a medium with an edit to apply. */
export type ShownMedium = MediumSource | EditedMedium

/** Extracts the media of a doc, in order. */
export interface VisualsField extends Field {
  readonly of: (doc: Readonly<Record<string, unknown>>) => readonly ShownMedium[]
}

/**
 * Compiles `doc_to_visual`: column(s), template(s) of paths, or a function. `null` is skipped where the doc has other
 * media. A doc without any medium in its columns fails, since the question would be another without its picture.
 */
export function compileVisuals(
  value: string | readonly string[] | FunctionRef | undefined,
  context: FieldContext,
): VisualsField {
  const fieldValues = value === undefined ? [] : typeof value === 'string' || isFunctionRef(value) ? [value] : value
  const fields = fieldValues.map(fieldValue => compileField(fieldValue, { ...context, floats: {} }))
  const columns = fields.map(field => field.columns)
  const problem = fields.find(field => field.problem !== undefined)?.problem
  return {
    of: doc => {
      const values = fields.map(field => field.of(doc))
      const isMissing = values.length > 0 && !fieldValues.some(isFunctionRef) && values.every(isNothing)
      return isMissing ? [noMedium] : values.flatMap(mediaIn)
    },
    columns: columns.every(names => names !== undefined) ? columns.flat() : undefined,
    ...(problem === undefined ? {} : { problem }),
  }
}

const noMedium: MediumSource = { bytes: null, path: null }

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === ''

/**
 * Reads media in any form that a column or function gives.
 * @throws Error where the value is not a medium.
 */
export function mediaIn(value: unknown): readonly ShownMedium[] {
  if (isNothing(value)) return []
  if (typeof value === 'string') return textsIn(value)
  if (Array.isArray(value)) return value.flatMap(mediaIn)
  if (isMediumSource(value) || isEditedMedium(value)) return [value]
  throw new Error(`expected media ({bytes, path}, bytes or a path), given ${describeForm(value)}`)
}

/** Shows the form of a value that is no medium. Its long texts may be data, so only their length is shown. */
function describeForm(value: unknown): string {
  const shortenText = (_: string, part: unknown): unknown =>
    typeof part === 'string' && part.length > 60 ? `a text of ${part.length} characters` : part
  const text = JSON.stringify(value, shortenText) as string | undefined
  return (text ?? typeof value).slice(0, 80)
}

function textsIn(value: string): readonly ShownMedium[] {
  const list = parseList(value)
  return list === undefined ? [value] : list.flatMap(mediaIn)
}

export const isEditedMedium = (value: unknown): value is EditedMedium =>
  typeof value === 'object' &&
  value !== null &&
  'medium' in value &&
  'edit' in value &&
  typeof value.edit === 'function'

/** Returns whether a medium is already in the store. */
export const isStoredMedium = (value: unknown): value is StoredMedium =>
  typeof value === 'object' &&
  value !== null &&
  'media' in value &&
  typeof value.media === 'string' &&
  value.media.startsWith('sha256:') &&
  'type' in value

const isText = (value: unknown): value is string | null => value === null || typeof value === 'string'

/** Returns whether a value is bytes, the Hub's `{bytes, path}`, or a medium in the store. */
export function isMediumSource(value: unknown): value is Exclude<MediumSource, string> {
  if (value instanceof Uint8Array || isStoredMedium(value)) return true
  if (typeof value !== 'object' || value === null) return false
  const keys = Object.keys(value)
  if (keys.length === 0 || !keys.every(key => key === 'bytes' || key === 'path')) return false
  return Object.entries(value).every(([key, item]: [string, unknown]) =>
    key === 'bytes' ? isText(item) || item instanceof Uint8Array : isText(item),
  )
}
