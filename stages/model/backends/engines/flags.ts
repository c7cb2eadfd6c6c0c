/** Arguments that become flags of a program's command line. */
import { resolve } from 'node:path'
import { z } from 'zod'
import type { Json } from '../../../../base/canonical-json.js'
import { affectsOutput, transport, type Declared } from '../../define-backend.js'
import { effectOf, type ModelArgs } from '../../model-args.js'
import { isFile } from './served-model.js'

export interface Flag {
  readonly name: string
  readonly schema: Declared
  /** What `false` is written as; nothing where it is absent. */
  readonly negation?: string
  /** Whether its value may be the path of a file, which then stands for what is in it. */
  readonly mayBeFile?: boolean
}

export type Flags = Readonly<Record<string, Flag>>

type FlagRest = Omit<Flag, 'name' | 'schema'>

/** What is said of a schema stays with its outermost wrapper. */
const optional = (schema: z.ZodType) => schema.optional().meta({ ...schema.meta() })

/** A flag that can change what is answered. */
export const outputFlag = (name: string, schema: z.ZodType, rest: FlagRest = {}): Flag => ({
  name,
  schema: affectsOutput(optional(schema)),
  ...rest,
})

/** A flag that says where and how fast the same is computed. */
export const placementFlag = (name: string, schema: z.ZodType, rest: FlagRest = {}): Flag => ({
  name,
  schema: transport(optional(schema)),
  ...rest,
})

/** What a command line is made of, and what of it can change an answer. */
export interface FlagWords {
  readonly words: readonly string[]
  /** The words that can change an answer; a file stands there by its argument's name. */
  readonly output: readonly string[]
  /** Paths of these files by their argument's name. */
  readonly files: Readonly<Record<string, string>>
}

/** The schemas of the arguments. */
export const flagArgs = (flags: Flags): Readonly<Record<string, Declared>> =>
  Object.fromEntries(Object.entries(flags).map(([name, { schema }]) => [name, schema]))

/** The flags that were given, in the order in which they are declared. */
export async function flagWords(flags: Flags, args: ModelArgs): Promise<FlagWords> {
  const words: string[] = []
  const output: string[] = []
  const files: Record<string, string> = {}
  for (const [name, flag] of Object.entries(flags)) {
    const value = args[name] as Json | undefined
    if (value === undefined) continue
    const path = flag.mayBeFile === true && typeof value === 'string' ? resolve(value) : undefined
    const isPath = path !== undefined && (await isFile(path))
    const written = wordsOf(flag, isPath ? path : value)
    words.push(...written)
    if (effectOf(flag.schema) !== 'output') continue
    output.push(...(isPath ? [flag.name, `file ${name}`] : written))
    if (isPath) files[name] = path
  }
  return { words, output, files }
}

function wordsOf({ name, negation }: Flag, value: Json): readonly string[] {
  if (value === true) return [name]
  if (value === false) return negation === undefined ? [] : [negation]
  return [name, typeof value === 'string' ? value : JSON.stringify(value)]
}

export const count = (description: string): z.ZodType => z.number().int().min(1).describe(description)
export const whole = (description: string): z.ZodType => z.number().int().describe(description)
export const share = (description: string): z.ZodType => z.number().gt(0).max(1).describe(description)
export const text = (description: string): z.ZodType => z.string().min(1).describe(description)
export const yesNo = (description: string): z.ZodType => z.boolean().describe(description)
export const json = (description: string): z.ZodType => z.record(z.string(), z.json()).describe(description)
