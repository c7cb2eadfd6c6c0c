import { fileURLToPath } from 'node:url'
import type { MediumSource } from '../../stages/input/tasks/doc.js'

/** An image, audio, video or document: bytes, a path, an address, or the value of a dataset column. */
export type Medium = MediumSource | URL

/** One medium of a prompt. */
export interface PromptMedium {
  readonly type: 'image' | 'audio' | 'video' | 'file'
  readonly source: Medium
  /** The part of a video to show, in seconds. */
  readonly start?: number
  readonly end?: number
}

export interface PromptText {
  readonly type: 'text'
  readonly text: string
}

export type PromptPart = string | PromptText | PromptMedium

/** One turn of a conversation. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string | readonly PromptPart[]
}

/** What is shown to the model: one user turn as a text or as parts, or a whole conversation. */
export type Prompt = string | PromptText | PromptMedium | readonly PromptPart[] | readonly PromptMessage[]

/** @param source bytes, a path, or a `file:` or `data:` URL. A path is relative to the dataset's file, for `rows()` to the task's file. */
export const image = (source: Medium): PromptMedium => ({ type: 'image', source })
export const audio = (source: Medium): PromptMedium => ({ type: 'audio', source })
/** @param clip the part to show, in seconds. @default the whole video */
export const video = (source: Medium, clip: { readonly start?: number; readonly end?: number } = {}): PromptMedium => ({
  type: 'video',
  source,
  ...clip,
})
/** A document with pages, such as a PDF. */
export const file = (source: Medium): PromptMedium => ({ type: 'file', source })
export const text = (content: string): PromptText => ({ type: 'text', text: content })

/** Converts a prompt to the messages that `doc_to_messages` of a task file returns. */
export function promptMessages(prompt: Prompt): readonly Readonly<Record<string, unknown>>[] {
  if (isConversation(prompt))
    return prompt.map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? content : content.map(writtenPart),
    }))
  const parts = partsOf(prompt)
  return [{ role: 'user', content: parts.map(writtenPart) }]
}

/** Converts a prompt to media and one text, for models without messages. @throws Error if the prompt has another form */
export function simplePrompt(prompt: Prompt): { readonly media: readonly MediumSource[]; readonly text: string } {
  if (isConversation(prompt)) throw new Error('the prompt is a conversation, and this model is asked with one text')
  const parts = partsOf(prompt)
  const media = parts.filter(part => isMedium(part))
  const lastMedium = parts.findLastIndex(part => isMedium(part))
  const texts = parts.flatMap(part => (isMedium(part) ? [] : [typeof part === 'string' ? part : part.text]))
  if (lastMedium >= media.length)
    throw new Error('the prompt has text before a medium, and this model is asked with all media first')
  return { media: media.map(({ source }) => mediumSource(source)), text: texts.join('') }
}

const isConversation = (prompt: Prompt): prompt is readonly PromptMessage[] =>
  Array.isArray(prompt) && prompt.some(item => typeof item === 'object' && 'role' in item)

function partsOf(prompt: Exclude<Prompt, readonly PromptMessage[]>): readonly PromptPart[] {
  const isList = (value: unknown): value is readonly PromptPart[] => Array.isArray(value)
  return isList(prompt) ? prompt : [prompt]
}

const isMedium = (part: PromptPart): part is PromptMedium => typeof part === 'object' && part.type !== 'text'

function writtenPart(part: PromptPart): Readonly<Record<string, unknown>> {
  if (typeof part === 'string') return { type: 'text', text: part }
  if (!isMedium(part)) return { type: 'text', text: part.text }
  const { type, source, start, end } = part
  return {
    type,
    [type]: mediumSource(source),
    ...(start === undefined ? {} : { start_time: start }),
    ...(end === undefined ? {} : { end_time: end }),
  }
}

/** @throws Error for an address that is neither a file nor data, because media are not downloaded here */
function mediumSource(source: Medium): MediumSource {
  const url = source instanceof URL ? source : typeof source === 'string' ? addressIn(source) : undefined
  if (url === undefined) return source as MediumSource
  if (url.protocol === 'file:') return fileURLToPath(url)
  if (url.protocol === 'data:') return dataBytes(url)
  throw new Error(`${url.href} is not downloaded. Give the bytes or a file: image(await (await fetch(url)).bytes())`)
}

const addressIn = (value: string): URL | undefined =>
  /^(file|data|https?):/.test(value) && URL.canParse(value) ? new URL(value) : undefined

function dataBytes(url: URL): Uint8Array {
  const [, kind = '', data = ''] = /^data:([^,]*),(.*)$/s.exec(url.href) ?? []
  return new Uint8Array(kind.endsWith(';base64') ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data)))
}
