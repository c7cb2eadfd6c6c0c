import { sniffMediaType } from '../../../base/media/media-type.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { MediaDigest } from '../../../cache/digest.js'
import type { ChatMessage, ContentPart } from '../../../cache/records.js'

/** Reads a stored medium. */
export type ReadMedium = (digest: MediaDigest) => Promise<Uint8Array>

/** Messages in the form of Inspect, media as data URLs. */
export async function inspectMessages(messages: readonly ChatMessage[], read: ReadMedium): Promise<readonly Json[]> {
  const convertedMessages: Json[] = []
  for (const { role, content, toolCalls, toolCallId, toolName } of messages) {
    const parts = await Promise.all(content.map(part => inspectPart(part, read)))
    const [only, ...others] = content
    convertedMessages.push({
      role,
      content: only?.type === 'text' && others.length === 0 ? only.text : parts,
      ...(toolCalls && {
        tool_calls: toolCalls.map(({ id, name, arguments: argumentsText }) => toolCall(id, name, argumentsText)),
      }),
      ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
      ...(toolName !== undefined && { function: toolName }),
    })
  }
  return convertedMessages
}

function toolCall(id: string, name: string, argumentsText: string): Json {
  try {
    return { id, function: name, arguments: JSON.parse(argumentsText) as Json, type: 'function' }
  } catch {
    return { id, function: name, arguments: {}, parse_error: argumentsText, type: 'function' }
  }
}

async function inspectPart(part: ContentPart, read: ReadMedium): Promise<Json> {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const bytes = await read(part.media)
  const kind = sniffMediaType(bytes)
  const url = `data:${kind?.mime ?? 'application/octet-stream'};base64,${Buffer.from(bytes).toString('base64')}`
  switch (part.type) {
    case 'image':
      return { type: 'image', image: url }
    case 'audio':
      return { type: 'audio', audio: url, format: kind?.format === 'mp3' ? 'mp3' : 'wav' }
    case 'video':
      return { type: 'video', video: url, format: kind?.format === 'mov' ? 'mov' : 'mp4' }
    case 'file':
      return { type: 'document', document: url, filename: 'document.pdf', mime_type: 'application/pdf' }
  }
}
