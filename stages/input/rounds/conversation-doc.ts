import { setValue } from '../../../base/named-values.js'
import type { Json } from '../../../base/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import type { SourceFile } from '../../../cache/store.js'
import type { MediaIntake } from '../media/media-intake.js'
import { asJson } from '../render/judge-record.js'
import { isEditedMedium, isMediumSource } from '../render/visuals.js'
import type { Doc } from '../tasks/doc.js'

/** A doc as JSON, for a function that is asked about it when nobody has the dataset open. */
export interface ConversationDoc {
  readonly doc: JsonObject
  readonly files: readonly SourceFile[]
}

/** Puts a doc's media into the store, and the parts of messages that show them in their place. @throws MediumError */
export async function conversationDoc(doc: Doc, media: MediaIntake): Promise<ConversationDoc> {
  const files: SourceFile[] = []
  const storedValue = async (value: unknown): Promise<Json | undefined> => {
    if (typeof value !== 'object' || value === null) return asJson(value)
    if (isNothing(value)) return null
    if (isMediumSource(value) || isEditedMedium(value)) {
      const { part, file } = await media.add(value)
      if (file !== undefined) files.push(file)
      // A part of a message holds JSON alone; an interface has no index signature that would say so.
      return { ...part }
    }
    if (Array.isArray(value)) {
      const items: Json[] = []
      for (const item of value) items.push((await storedValue(item)) ?? null)
      return items
    }
    return storedFields(value)
  }
  const storedFields = async (value: object): Promise<JsonObject> => {
    const fields: Record<string, Json> = {}
    for (const [name, field] of Object.entries(value)) {
      const json = await storedValue(field)
      if (json !== undefined) setValue(fields, name, json)
    }
    return fields
  }
  return { doc: await storedFields(doc), files }
}

/** A column of media has these for docs without one. */
const isNothing = (value: object): boolean => {
  const fields = Object.entries(value)
  return fields.length > 0 && fields.every(([name, field]) => (name === 'bytes' || name === 'path') && field === null)
}
