import { resolve } from 'node:path'
import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import {
  affectsOutput,
  type Declared,
  effectOf,
  type ModelArgs,
  type NamedThing,
  transport,
} from '../../backend-args.js'
import type { BackendDefinition } from '../../define-backend.js'
import { isFile, type ServedModel } from './served-model.js'

/** A serving engine: how it is attached, and how it is started. */
export interface Engine {
  readonly id: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly accepts: BackendDefinition['accepts']
  readonly concurrency: BackendDefinition['concurrency']
  /** The environment variable with the address of one that runs. */
  readonly baseUrlVariable: string
  /** The environment variable with the key: one that the program itself reads, where it reads any. */
  readonly keyVariable: string
  /** An address as it is written. */
  readonly example: string
  /** Answers 200 when requests are served, 503 while the model is loaded. */
  readonly healthPath: string
  /** The program's own words, before all flags. */
  readonly program: readonly [string, ...string[]]
  /** How the program is installed. */
  readonly install: string
  readonly flags: Flags
  /** What of the arguments is written in another way than as flags of their own: given back as values of the flags. */
  readonly rewrite?: (args: ModelArgs, concurrency: number | undefined) => ModelArgs
  /** The words that name the model and where to listen. */
  readonly serve: (place: ServingPlace) => readonly string[]
}

/** How to come by an engine's program. */
export const installHint = ({ install, example }: Pick<Engine, 'install' | 'example'>): string =>
  `Install it (${install}), give executable=PATH, or attach one that runs with base_url=${example}`

/** What the program is told of the model, and where it is to listen. */
export interface ServingPlace {
  readonly model: ServedModel
  /** Path or Hub name. */
  readonly source: string
  /** What requests call it. */
  readonly name: string
  readonly port: string
}

/** Arguments that become flags of a program's command line. */

interface Flag {
  readonly name: string
  readonly schema: Declared
  /** What `false` is written as; nothing where it is absent. */
  readonly negation?: string
  /** Whether its value may be the path of a file, which then stands for what is in it. */
  readonly mayBeFile?: boolean
  /** What its value names; by default a path or a name if it may be a file. */
  readonly names?: NamedThing
}

type Flags = Readonly<Record<string, Flag>>

type FlagRest = Omit<Flag, 'name' | 'schema'>

/** A schema's metadata stays with its outermost wrapper. */
const optional = (schema: z.ZodType) => schema.optional().meta({ ...schema.meta() })

const meaningOf = ({ mayBeFile, names }: FlagRest) => ({
  names: names ?? (mayBeFile === true ? ('path or name' as const) : undefined),
})

/** A flag that can change what is answered. */
export const outputFlag = (name: string, schema: z.ZodType, rest: FlagRest = {}): Flag => ({
  name,
  schema: affectsOutput(optional(schema), meaningOf(rest)),
  ...rest,
})

/** A flag that says where and how fast the same is computed. */
export const placementFlag = (name: string, schema: z.ZodType, rest: FlagRest = {}): Flag => ({
  name,
  schema: transport(optional(schema), meaningOf(rest)),
  ...rest,
})

/** What a command line is made of, and what of it can change an answer. */
interface FlagWords {
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
