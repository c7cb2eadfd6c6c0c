import { setValue } from '../../../base/named-values.js'
import type { Json } from '../../../base/canonical-json.js'
import type { JsonObject, JudgeRecord } from '../../../cache/records.js'
import type { Doc } from '../tasks/doc.js'
import { isMediumSource } from './visuals.js'

/** What the judge may know of a doc: target, choices and every field that holds no medium. */
export function makeRecord(doc: Doc, target: Json, choices?: readonly string[]): JudgeRecord {
  return { target, ...(choices === undefined ? {} : { choices }), doc: withoutMedia(doc) }
}

function withoutMedia(doc: Doc): JsonObject {
  const kept: Record<string, Json> = {}
  for (const name in doc) {
    const value = doc[name]
    const type = typeof value
    if (type === 'string' || type === 'boolean' || value === null) setValue(kept, name, value as Json)
    else {
      const json = asJson(value)
      if (json !== undefined) setValue(kept, name, json)
    }
  }
  return kept
}

/** A value as JSON; `undefined` where nothing but media is in it. Numbers that JSON has no word for become text. */
export function asJson(value: unknown): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object' || isMediumSource(value)) return undefined
  if (Array.isArray(value)) {
    const items = value.map(asJson).filter(item => item !== undefined)
    return items.length === 0 && value.length > 0 ? undefined : items
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const json = asJson(item)
      return json === undefined ? [] : [[key, json]]
    }),
  )
}
