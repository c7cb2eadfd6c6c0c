import type { ContentBlock, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { JsonSchemaType, JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import { messageOf } from '../../../base/errors/errors.js'
import { sniffMediaType } from '../../../base/media/media-type.js'
import type { MediaPart } from '../../../cache/records.js'
import type { MediaStore } from '../../../cache/store.js'
import type { Modality } from '../define-backend.js'
import type { StepResult } from '../rounds/ledger.js'
import type { CallResult } from './mcp-client.js'

type ResultPart = { readonly text: string } | { readonly part: MediaPart }

interface ResultTo {
  readonly media: Pick<MediaStore, 'addBytes'>
  readonly accepts: readonly Modality[]
}

/** Converts a tool's result for the model: its texts, and its media, which are added to the store. */
export async function toolResult(
  { content, structuredContent, isError, toolResult: older }: CallResult,
  to: ResultTo,
): Promise<StepResult> {
  const { ContentBlockSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const said: ResultPart[] = []
  for (const part of Array.isArray(content) ? (content as readonly unknown[]) : []) {
    const { data } = ContentBlockSchema.safeParse(part)
    said.push(data === undefined ? { text: unknownPart(part) } : await saidBy(data, to))
  }
  const texts = said.flatMap(saidPart => ('text' in saidPart ? [saidPart.text] : []))
  const parts = said.flatMap(saidPart => ('part' in saidPart ? [saidPart.part] : []))
  // Servers of the protocol's first version answer with `toolResult`.
  const silent = structuredContent ?? older
  return {
    text: said.length === 0 && silent !== undefined ? JSON.stringify(silent) : texts.join('\n'),
    ...(parts.length === 0 ? {} : { content: parts }),
    ...(isError === true ? { isError } : {}),
  }
}

/** Describes a part of an unknown type. */
function unknownPart(part: unknown): string {
  const type = typeof part === 'object' && part !== null && 'type' in part ? JSON.stringify(part.type) : 'none'
  return `(content of type ${type}, which can't be shown)`
}

async function saidBy(content: ContentBlock, to: ResultTo): Promise<ResultPart> {
  switch (content.type) {
    case 'text':
      return { text: content.text }
    case 'image':
    case 'audio':
      return storeMedium(content.data, to)
    case 'resource':
      return 'text' in content.resource ? { text: content.resource.text } : storeMedium(content.resource.blob, to)
    case 'resource_link':
      return { text: content.uri }
  }
}

/** Replaces a medium that the model does not accept by a text. */
async function storeMedium(base64: string, { media, accepts }: ResultTo): Promise<ResultPart> {
  const bytes = Buffer.from(base64, 'base64')
  const kind = sniffMediaType(bytes)?.kind
  if (kind === undefined) return { text: `(${bytes.byteLength} bytes of a format that can't be shown)` }
  if (!accepts.includes(kind)) return { text: `(${kind}, which can't be shown)` }
  const { digest } = await media.addBytes(bytes)
  return { part: { type: kind, media: digest } }
}

const validators = new WeakMap<Tool, JsonSchemaValidator<unknown>>()

/** Checks a result against the tool's output schema, as the protocol requires of a client. @returns the differences */
export async function structureProblem(
  tool: Tool,
  { structuredContent, isError }: CallResult,
): Promise<string | undefined> {
  if (tool.outputSchema === undefined || isError === true) return undefined
  if (structuredContent === undefined) return `tool ${tool.name} has an output schema, and gave no structured content`
  try {
    const validator = validators.get(tool) ?? (await makeValidator(tool.outputSchema))
    validators.set(tool, validator)
    const { valid, errorMessage } = validator(structuredContent)
    return valid ? undefined : `the structured content does not match the tool's output schema: ${errorMessage}`
  } catch (error) {
    return `the tool's output schema can't be read: ${messageOf(error)}`
  }
}

async function makeValidator(schema: NonNullable<Tool['outputSchema']>): Promise<JsonSchemaValidator<unknown>> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/sdk/validation/ajv')
  // The cast is safe because the schema came as JSON.
  return new AjvJsonSchemaValidator().getValidator(JSON.parse(JSON.stringify(schema)) as JsonSchemaType)
}
