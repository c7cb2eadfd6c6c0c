import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { sniffMediaType } from '../../../base/media-type.js'
import type { MediaPart } from '../../../cache/records.js'
import type { MediaStore } from '../../../cache/store.js'
import type { Modality } from '../define-backend.js'
import type { StepResult } from '../rounds/ledger.js'

type Content = CallToolResult['content'][number]
type Said = { readonly text: string } | { readonly part: MediaPart }

/** A tool's result as a model is told of it: its texts, and its media, which go into the store. */
export async function toolResult(
  { content, structuredContent, isError }: CallToolResult,
  to: { readonly media: Pick<MediaStore, 'addBytes'>; readonly accepts: readonly Modality[] },
): Promise<StepResult> {
  const said: Said[] = []
  for (const one of content) said.push(await saidBy(one, to))
  const texts = said.flatMap(one => ('text' in one ? [one.text] : []))
  const parts = said.flatMap(one => ('part' in one ? [one.part] : []))
  const isSilent = said.length === 0 && structuredContent !== undefined
  return {
    text: isSilent ? JSON.stringify(structuredContent) : texts.join('\n'),
    ...(parts.length === 0 ? {} : { content: parts }),
    ...(isError === true ? { isError } : {}),
  }
}

async function saidBy(content: Content, to: Parameters<typeof toolResult>[1]): Promise<Said> {
  switch (content.type) {
    case 'text':
      return { text: content.text }
    case 'image':
    case 'audio':
      return mediumOf(content.data, to)
    case 'resource':
      return 'text' in content.resource ? { text: content.resource.text } : mediumOf(content.resource.blob, to)
    case 'resource_link':
      return { text: content.uri }
  }
}

/** A medium that the model can't be shown is told of instead. */
async function mediumOf(base64: string, { media, accepts }: Parameters<typeof toolResult>[1]): Promise<Said> {
  const bytes = Buffer.from(base64, 'base64')
  const kind = sniffMediaType(bytes)?.kind
  if (kind === undefined) return { text: `(${bytes.byteLength} bytes of a format that can't be shown)` }
  if (!accepts.includes(kind)) return { text: `(${kind}, which can't be shown)` }
  const { digest } = await media.addBytes(bytes)
  return { part: { type: kind, media: digest } }
}
