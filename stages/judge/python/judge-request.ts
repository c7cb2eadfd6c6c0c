import { sniffMediaType } from '../../../base/media/media-type.js'
import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'
import type { MediaDigest } from '../../../cache/digest.js'
import type { ContentPart } from '../../../cache/records.js'
import type { JudgeMessage, JudgePrompt } from '../define/judge-model.js'

type Role = JudgeMessage['role']
const roles: readonly unknown[] = ['system', 'user', 'assistant'] satisfies readonly Role[]

/** Stores a picture and returns its digest. */
export type KeepPicture = (bytes: Uint8Array) => Promise<MediaDigest>

/**
 * Reads a request to a judge model in the form of the chat completions API. Pictures are stored, so that the request
 * names them by their digests.
 *
 * @throws Error if a part is neither text nor a picture whose bytes are in the request
 */
export async function judgePrompt(request: Json, keep?: KeepPicture): Promise<JudgePrompt> {
  const { messages = null, temperature, max_tokens: maxTokens, model } = isObject(request) ? request : {}
  if (!isList(messages)) throw new Error('the request to the judge model has no messages')
  return {
    messages: await Promise.all(messages.map(message => judgeMessage(message, keep))),
    ...(typeof model === 'string' && model !== '' ? { askedFor: model } : {}),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof maxTokens === 'number' && maxTokens > 0 ? { maxTokens } : {}),
  }
}

async function judgeMessage(message: Json, keep: KeepPicture | undefined): Promise<JudgeMessage> {
  const { role: ownRole, content = '' } = isObject(message) ? message : {}
  const role = roles.includes(ownRole) ? (ownRole as Role) : 'user'
  if (!isList(content)) return { role, text: typeof content === 'string' ? content : '' }
  const parts: ContentPart[] = []
  for (const part of content) parts.push(await contentPart(part, keep))
  const texts = parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
  const text = texts.join('\n')
  return texts.length === parts.length ? { role, text } : { role, text, content: parts }
}

async function contentPart(part: Json, keep: KeepPicture | undefined): Promise<ContentPart> {
  const { type = null, text, image_url: image = null } = isObject(part) ? part : {}
  if (type === 'text' && typeof text === 'string') return { type: 'text', text }
  if (type !== 'image_url')
    throw new Error(
      `the task shows the judge model a part of type ${JSON.stringify(type)}. Only texts and pictures (image_url) can be sent`,
    )
  if (keep === undefined) throw new Error('the task shows the judge model a picture, and no store is there to keep it')
  const url = isObject(image) ? (image['url'] ?? null) : image
  return { type: 'image', media: await keep(pictureIn(url)) }
}

const dataUrl = /^data:[\w.+/-]*(?:;[\w=.-]+)*;base64,/

function pictureIn(url: Json): Uint8Array {
  const start = typeof url === 'string' ? dataUrl.exec(url) : null
  if (typeof url !== 'string' || start === null)
    throw new Error(
      `the task shows the judge model the picture ${JSON.stringify(url).slice(0, 200)}, which is not in the request. Send its bytes as "data:image/png;base64,…": what an address shows may change`,
    )
  const bytes = new Uint8Array(Buffer.from(url.slice(start[0].length), 'base64'))
  if (sniffMediaType(bytes)?.kind !== 'image')
    throw new Error('the task shows the judge model a picture (image_url) whose bytes are of no known image format')
  return bytes
}
