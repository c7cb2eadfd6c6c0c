import { fileURLToPath } from 'node:url'
import { valueKind } from '../../base/values/value-kind.js'
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

/** A text within a prompt. */
export interface PromptText {
  readonly type: 'text'
  readonly text: string
}

/** A part of a prompt. A string is a text. */
export type PromptPart = string | PromptText | PromptMedium

/** One turn of a conversation. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string | readonly PromptPart[]
}

/** The text or media that the model sees: one user turn as a text or as parts, or a whole conversation. */
export type Prompt = string | PromptText | PromptMedium | readonly PromptPart[] | readonly PromptMessage[]

/** @param source bytes, a path, or a `file:` or `data:` URL. A path is relative to the dataset's file, for `rows()` to the task's file. */
export const image = (source: Medium): PromptMedium => ({ type: 'image', source })
/** Makes a part of a prompt from a sound. */
export const audio = (source: Medium): PromptMedium => ({ type: 'audio', source })
/** @param clip the part to show, in seconds. @default the whole video */
export const video = (source: Medium, clip: { readonly start?: number; readonly end?: number } = {}): PromptMedium => ({
  type: 'video',
  source,
  ...clip,
})
/** A document with pages, such as a PDF. */
export const file = (source: Medium): PromptMedium => ({ type: 'file', source })
/** Makes a part of a prompt from a text. */
export const text = (content: string): PromptText => ({ type: 'text', text: content })

/** Converts a prompt to the messages that `doc_to_messages` of a task file returns. */
export function promptMessages(prompt: Prompt): readonly Readonly<Record<string, unknown>>[] {
  checkPrompt(prompt)
  if (isConversation(prompt))
    return prompt.map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? content : content.map(writtenPart),
    }))
  const parts = listParts(prompt)
  return [{ role: 'user', content: parts.map(writtenPart) }]
}

/** Converts a prompt to media and one text, for models without messages. @throws Error if the prompt has another form */
export function simplePrompt(prompt: Prompt): { readonly media: readonly MediumSource[]; readonly text: string } {
  checkPrompt(prompt)
  if (isConversation(prompt)) throw new Error('the prompt is a conversation, and this model is asked with one text')
  const parts = listParts(prompt)
  const media = parts.filter(part => isMedium(part))
  const lastMedium = parts.findLastIndex(part => isMedium(part))
  const texts = parts.flatMap(part => (isMedium(part) ? [] : [typeof part === 'string' ? part : part.text]))
  if (lastMedium >= media.length)
    throw new Error('the prompt has text before a medium, and this model is asked with all media first')
  return { media: media.map(({ source }) => mediumSource(source)), text: texts.join('') }
}

/** Checks a prompt at run time, because programs in JavaScript are not type-checked. @throws Error that names the returned value */
function checkPrompt(prompt: unknown): void {
  if (prompt instanceof Promise) {
    // Otherwise a later rejection of the promise would be unhandled.
    prompt.catch(() => undefined)
    throw new Error('prompt must return its value at once, not a promise: take async away, and read files before')
  }
  if (!Array.isArray(prompt)) return checkPart(prompt, 'prompt must return')
  const isOfMessages = prompt.some(isMessage)
  for (const item of prompt as readonly unknown[]) {
    if (!isOfMessages) checkPart(item, 'each part of a prompt must be')
    else if (!isMessage(item))
      throw new Error(`each message of a prompt must be { role, content }, not ${valueKind(item)}`)
    else if (Array.isArray(item.content))
      for (const part of item.content as readonly unknown[]) checkPart(part, 'each part of a message must be')
    else if (typeof item.content !== 'string')
      throw new Error(`the content of a message must be a text or a list of parts, not ${valueKind(item.content)}`)
  }
}

const isMessage = (item: unknown): item is { readonly role: unknown; readonly content?: unknown } =>
  typeof item === 'object' && item !== null && 'role' in item

function checkPart(part: unknown, must: string): void {
  if (typeof part === 'string') return
  if (typeof part === 'object' && part !== null && 'type' in part) {
    if (part.type === 'text' && 'text' in part && typeof part.text === 'string') return
    if (['image', 'audio', 'video', 'file'].includes(String(part.type)) && 'source' in part) return
  }
  throw new Error(`${must} a text, or what text(), image(), audio(), video() or file() returns, not ${valueKind(part)}`)
}

const isConversation = (prompt: Prompt): prompt is readonly PromptMessage[] =>
  Array.isArray(prompt) && prompt.some(item => typeof item === 'object' && 'role' in item)

function listParts(prompt: Exclude<Prompt, readonly PromptMessage[]>): readonly PromptPart[] {
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
