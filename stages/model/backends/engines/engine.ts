import { resolve } from 'node:path'
import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import {
  affectsOutput,
  type Declared,
  readEffect,
  type ModelArgs,
  type NamedThing,
  transport,
} from '../../backend-args.js'
import type { BackendDefinition } from '../../define-backend.js'
import { readPathKind } from '../../../../base/files/path-kinds.js'
import type { ServedModel } from './served-model.js'

/** Defines how a serving engine is attached and how it is started. */
export interface Engine {
  readonly id: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly accepts: BackendDefinition['accepts']
  readonly concurrency: BackendDefinition['concurrency']
  /** The environment variable with the address of a running engine. */
  readonly baseUrlVariable: string
  /** The environment variable with the key: the program's own variable, if it has one. */
  readonly keyVariable: string
  /** An example of an address. */
  readonly example: string
  /** The path that answers 200 when the engine is ready, and 503 while it loads the model. */
  readonly healthPath: string
  /** The program and its subcommand, before all flags. */
  readonly program: readonly [string, ...string[]]
  /** The command that installs the program. */
  readonly install: string
  readonly flags: Flags
  /** Converts arguments that do not map to one flag each. Returns the values of the flags. */
  readonly rewrite?: (args: ModelArgs, concurrency: number | undefined) => ModelArgs
  /** Returns the words that name the model and the address to listen at. */
  readonly serve: (place: ServingPlace) => readonly string[]
}

/** Tells the user how to get the engine's program. */
export const installHint = ({ install, example }: Pick<Engine, 'install' | 'example'>): string =>
  `Install it (${install}), give executable=PATH, or attach one that runs with base_url=${example}`

/** The model that the program serves, and its address. */
export interface ServingPlace {
  readonly model: ServedModel
  /** A path or a Hub name. */
  readonly source: string
  /** The model's name in requests. */
  readonly name: string
  readonly port: string
}

/** An argument that becomes a flag of the program's command line. */

interface Flag {
  readonly name: string
  readonly schema: Declared
  /** The flag for `false`. Absent if `false` writes nothing. */
  readonly negation?: string
  /** True if the value may be the path of a file. The file's content then counts, not its path. */
  readonly mayBeFile?: boolean
  /** The thing that the value names. */
  readonly names?: NamedThing
}

type Flags = Readonly<Record<string, Flag>>

type FlagRest = Omit<Flag, 'name' | 'schema'>

/** Makes a schema optional and keeps its metadata, which belongs to the outermost wrapper. */
const optional = (schema: z.ZodType) => schema.optional().meta({ ...schema.meta() })

const makeFlagMeta = ({ mayBeFile, names }: FlagRest) => ({
  names: names ?? (mayBeFile === true ? ('path or name' as const) : undefined),
})

/** Declares a flag that can change an answer. */
export const outputFlag = (name: string, schema: z.ZodType, rest: FlagRest = {}): Flag => ({
  name,
  schema: affectsOutput(optional(schema), makeFlagMeta(rest)),
  ...rest,
})

/** Declares a flag that only changes where and how fast the answer is computed. */
export const placementFlag = (name: string, schema: z.ZodType, rest: FlagRest = {}): Flag => ({
  name,
  schema: transport(optional(schema), makeFlagMeta(rest)),
  ...rest,
})

/** The words of a command line, and those of them that can change an answer. */
interface FlagWords {
  readonly words: readonly string[]
  /** The words that can change an answer. A file is replaced by its argument's name. */
  readonly output: readonly string[]
  /** The paths of these files by their argument's name. */
  readonly files: Readonly<Record<string, string>>
}

/** Returns the schemas of the arguments. */
export const flagArgs = (flags: Flags): Readonly<Record<string, Declared>> =>
  Object.fromEntries(Object.entries(flags).map(([name, { schema }]) => [name, schema]))

/** Writes the given flags in the order of their declaration. */
export async function flagWords(flags: Flags, args: ModelArgs): Promise<FlagWords> {
  const words: string[] = []
  const output: string[] = []
  const files: Record<string, string> = {}
  for (const [name, flag] of Object.entries(flags)) {
    const value = args[name] as Json | undefined
    if (value === undefined) continue
    const path = flag.mayBeFile === true && typeof value === 'string' ? resolve(value) : undefined
    const isPath = path !== undefined && (await readPathKind(path)) === 'file'
    const flagParts = formatFlag(flag, isPath ? path : value)
    words.push(...flagParts)
    if (readEffect(flag.schema) !== 'output') continue
    output.push(...(isPath ? [flag.name, `file ${name}`] : flagParts))
    if (isPath) files[name] = path
  }
  return { words, output, files }
}

function formatFlag({ name, negation }: Flag, value: Json): readonly string[] {
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
