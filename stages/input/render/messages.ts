import { isMediumSource, mediaIn, type ShownMedium } from './visuals.js'

/** A message whose media are not yet in the store. */
export interface DraftMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: readonly DraftPart[]
}

export type DraftPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'medium'
      readonly source: ShownMedium
      /** The part to send, in seconds. */
      readonly derive?: { readonly start?: number; readonly end?: number }
      /** True if an example before the question shows it. */
      readonly isExample?: boolean
    }

/**
 * Reads the messages that `doc_to_messages` returned: `{role, content}` with a text or parts `{type: 'text', text}`, `{type: 'image', image}` (or
 * `audio`, `video`, `file` for a PDF; `url`, `path`). A video may have `start_time` and `end_time` in seconds.
 *
 * @throws Error that names the malformed part
 */
export function readMessages(value: unknown): readonly DraftMessage[] {
  if (!Array.isArray(value)) throw new Error('doc_to_messages must give a list of messages')
  return value.map((message: unknown, index) => {
    const { role, content } = asObject(message, `message ${index}`)
    if (role !== 'system' && role !== 'user' && role !== 'assistant')
      throw new Error(`message ${index}: role must be system, user or assistant`)
    if (typeof content === 'string') return { role, content: [{ type: 'text', text: content }] }
    if (!Array.isArray(content)) throw new Error(`message ${index}: content must be a text or a list of parts`)
    return { role, content: content.flatMap((part: unknown) => readPart(part, `message ${index}`)) }
  })
}

function readPart(value: unknown, location: string): readonly DraftPart[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  if (isMediumSource(value)) return [{ type: 'medium', source: value }]
  const part = asObject(value, `${location}: a part`)
  const type = part['type']
  if (type === 'text' && typeof part['text'] === 'string') return [{ type: 'text', text: part['text'] }]
  if (type !== 'image' && type !== 'audio' && type !== 'video' && type !== 'file')
    throw new Error(`${location}: a part must be text, image, audio, video or file`)
  const media = mediaIn(part[type] ?? part['url'] ?? part['path'])
  const derive = readClip(part, location)
  return media.map(source => ({ type: 'medium', source, ...(derive === undefined ? {} : { derive }) }))
}

function readClip(
  part: Readonly<Record<string, unknown>>,
  location: string,
): { start?: number; end?: number } | undefined {
  const given = { start: part['start_time'] ?? undefined, end: part['end_time'] ?? undefined }
  const clip: { start?: number; end?: number } = {}
  for (const name of ['start', 'end'] as const) {
    const seconds = given[name]
    if (seconds === undefined) continue
    if (typeof seconds !== 'number' || !(seconds >= 0)) throw new Error(`${location}: ${name}_time must be seconds`)
    clip[name] = seconds
  }
  return Object.keys(clip).length === 0 ? undefined : clip
}

function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  throw new Error(`${what} must be an object`)
}
