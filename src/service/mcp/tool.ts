/** The form of a tool that agents call. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { mistakeLines } from '../../../base/errors/schema-mistakes.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { without, withoutNulls } from '../../../base/values/without.js'
import type { JsonObject } from '../../../cache/records.js'
import type { TokenScope } from '../../../cache/store.js'
import type { Caller } from '../http/guards/access.js'
import { ofClient } from '../client-wording.js'
import type { Service } from '../service.js'

/** The context of a tool call. */
export interface ToolCall {
  readonly service: Service
  readonly caller: Caller
  /** Aborted when the client cancels the call or goes away. */
  readonly signal: AbortSignal
  /** Reports progress to the client. Absent if the client did not request it. */
  readonly report?: (progress: ToolProgress) => Promise<void>
}

/** A progress notification of a running tool. */
export interface ToolProgress {
  readonly progress: number
  readonly total?: number
  readonly message: string
}

/** Hints about a tool's side effects, for clients that ask the user before a call. */
export interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A tool for agents: its description, its schemas and its function. */
export interface AgentTool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The scope that the caller's token needs. */
  readonly scope: TokenScope
  readonly hints: ToolHints
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  /** Runs the tool. @throws PipelineError that says what to do instead */
  run(args: unknown, call: ToolCall): Promise<object>
}

/** The hints of a tool that only looks. */
const looks: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** The definition of a tool: schemas of its arguments and its answer, and its function. */
interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** @default 'read' */
  readonly scope?: TokenScope
  /** @default the hints of a read-only tool */
  readonly hints?: ToolHints
  readonly input: Input
  /** Further arguments, which `input` lets pass unread. */
  readonly moreInput?: JsonObject
  readonly output: Output
  run(args: z.output<Input>, call: ToolCall): Promise<z.input<Output>>
}

/** Makes a tool. Its arguments are checked before it runs. An argument that is `null` counts as absent, because agents fill in every property. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): AgentTool {
  const { name, title, description, scope = 'read', hints = looks, input, moreInput = {}, output } = definition
  const own = jsonSchema(input, 'input')
  return {
    name,
    title,
    description,
    scope,
    hints,
    inputSchema: allowNulls({
      ...own,
      ...moreInput,
      properties: { ...readProperties(own), ...readProperties(moreInput) },
    }),
    // A later version may add fields to an answer.
    outputSchema: without(jsonSchema(output, 'output'), 'additionalProperties'),
    async run(givenArgs, call) {
      const args = isObject(givenArgs) ? withoutNulls(givenArgs) : givenArgs
      const parsed = input.safeParse(args)
      if (!parsed.success)
        throw new PipelineError(
          'usage',
          mistakeLines(parsed.error.issues, args, {
            ...ofClient,
            whole: 'the arguments',
            unknown: 'this tool has no such argument',
            known: Object.keys(input.shape),
          }),
        )
      return definition.run(parsed.data, call)
    },
  }
}

const readProperties = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {})

/** Lets each optional property be `null`, so that clients which check arguments by the schema pass them on. */
function allowNulls(schema: JsonObject): JsonObject {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const properties = Object.entries(readProperties(schema)).map(([name, property]) => {
    if (required.includes(name) || !isObject(property)) return [name, property] as const
    const { description, ...type } = property
    return [name, { ...(description !== undefined && { description }), anyOf: [type, { type: 'null' }] }] as const
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

const jsonSchema = (schema: z.ZodObject, io: 'input' | 'output'): JsonObject =>
  JSON.parse(JSON.stringify(without(z.toJSONSchema(schema, { io }), '$schema'))) as JsonObject

/** The field of every answer that can be long. */
export const cutField = {
  cut: z
    .array(z.string())
    .optional()
    .describe('present if the answer was too large: which of its fields were shortened, and by how much'),
}
