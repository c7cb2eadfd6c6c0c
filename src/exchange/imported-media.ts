import { readFile, realpath } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { sniffMediaType } from '../../base/media/media-type.js'
import type { ChatMessage, ContentPart } from '../../cache/records.js'
import type { MediaStore } from '../../cache/store.js'
import type { ForeignMessage, ForeignPart } from './foreign-log.js'

/** Stores the media of a log's messages, and converts the messages. */
export class MessageIntake {
  readonly #media: MediaStore
  readonly #folders: readonly string[]

  /** @param files the files of the log. Media are only read from their folders, so that a log cannot name any other file to copy. */
  constructor(media: MediaStore, files: readonly string[]) {
    this.#media = media
    this.#folders = [...new Set(files.map(file => dirname(resolve(file))))]
  }

  messages(messages: readonly ForeignMessage[]): Promise<ChatMessage[]> | ChatMessage[] {
    const texts = messages.map(textMessage)
    return texts.every(isThere) ? texts : Promise.all(messages.map(message => this.#message(message)))
  }

  async #message(message: ForeignMessage): Promise<ChatMessage> {
    const { role, content } = message
    if (typeof content === 'string') return { role: convertRole(role), content: [{ type: 'text', text: content }] }
    return { role: convertRole(role), content: await Promise.all(content.map(part => this.#part(part))) }
  }

  async #part(part: ForeignPart): Promise<ContentPart> {
    if (part.type === 'text') return part
    const bytes = part.bytes ?? (await this.#bytesAt(part.path))
    const type = bytes === undefined ? undefined : sniffMediaType(bytes)?.kind
    if (bytes === undefined || type === undefined)
      return { type: 'text', text: `[${part.mime ?? 'medium'}: ${part.path ?? 'unknown format'}]` }
    return { type, media: (await this.#media.addBytes(bytes)).digest }
  }

  /** Returns undefined for a file that is missing or outside the log's folders. */
  async #bytesAt(path: string | undefined): Promise<Uint8Array | undefined> {
    if (path === undefined) return undefined
    for (const folder of this.#folders) {
      try {
        const root = await realpath(folder)
        const file = await realpath(resolve(folder, path))
        if (file.startsWith(root + sep)) return await readFile(file)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error
      }
    }
    return undefined
  }
}

const isThere = <T>(value: T | undefined): value is T => value !== undefined

/** Returns undefined for a message with media. */
function textMessage({ role, content }: ForeignMessage): ChatMessage | undefined {
  if (typeof content === 'string') return { role: convertRole(role), content: [{ type: 'text', text: content }] }
  const texts = content.flatMap(part => (part.type === 'text' ? [part] : []))
  return texts.length === content.length ? { role: convertRole(role), content: texts } : undefined
}

const roles: Readonly<Record<string, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
}

const convertRole = (role: string): ChatMessage['role'] => roles[role] ?? 'user'
