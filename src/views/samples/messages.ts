import type { ChatMessage, ContentPart } from '../../../cache/records.js'
import type { MediaStore } from '../../../cache/store.js'
import type { MessageView, PartView } from '../page-data/index.js'
import { mediaRef } from './media-refs.js'
import { boundedText, cutText } from './texts.js'

type Media = Pick<MediaStore, 'path'>

export const messageViews = (media: Media, messages: readonly ChatMessage[]): Promise<MessageView[]> =>
  Promise.all(messages.map(message => messageView(media, message)))

async function messageView(media: Media, message: ChatMessage): Promise<MessageView> {
  const { role, content, toolCalls = [], toolName, isToolError } = message
  return {
    role,
    parts: await Promise.all(content.map(part => partView(media, part))),
    toolCalls: toolCalls.map(call => ({ name: call.name, arguments: cutText(call.arguments) })),
    ...(toolName !== undefined && { toolName }),
    ...(isToolError === true && { isToolError }),
  }
}

async function partView(media: Media, part: ContentPart): Promise<PartView> {
  if (part.type === 'text') return { type: 'text', ...boundedText(part.text) }
  return {
    type: part.type,
    medium: await mediaRef(media, part),
    ...(part.derive !== undefined && { derive: part.derive }),
    ...(part.url !== undefined && { url: part.url }),
  }
}
