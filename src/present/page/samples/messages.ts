import type { ChatMessage, ContentPart, MediaPart } from '../../../../cache/records.js'
import type { MediaView, MessageView, PartView } from '../data/index.js'
import { mediaRef, type ShownMedia } from './media-refs.js'
import { boundedText, cutText } from './texts.js'

export const messageViews = (media: ShownMedia, messages: readonly ChatMessage[]): Promise<MessageView[]> =>
  Promise.all(messages.map(message => messageView(media, message)))

async function messageView(media: ShownMedia, message: ChatMessage): Promise<MessageView> {
  const { role, content, toolCalls = [], toolName, isToolError } = message
  return {
    role,
    parts: await Promise.all(content.map(part => partView(media, part))),
    toolCalls: toolCalls.map(call => ({ name: call.name, arguments: cutText(call.arguments) })),
    ...(toolName !== undefined && { toolName }),
    ...(isToolError === true && { isToolError }),
  }
}

async function partView(media: ShownMedia, part: ContentPart): Promise<PartView> {
  if (part.type === 'text') return { type: 'text', ...boundedText(part.text) }
  return mediaView(media, part)
}

/** A medium as pages show it. */
export async function mediaView(media: ShownMedia, part: MediaPart): Promise<MediaView> {
  return {
    type: part.type,
    medium: await mediaRef(media, part),
    ...(part.derive !== undefined && { derive: part.derive }),
    ...(part.url !== undefined && { url: part.url }),
  }
}
