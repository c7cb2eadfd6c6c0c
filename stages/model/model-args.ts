import { ownValue } from '../../base/named-values.js'
import { z } from 'zod'
import { canonicalJson, type Json } from '../../base/canonical-json.js'
import { PipelineError } from '../../base/errors.js'
import { didYouMean } from '../../base/suggest.js'
import type { JsonObject } from '../../cache/records.js'
import { coerceArgument } from './coerce-argument.js'
import { concurrencyOf, type Concurrency, type ConcurrencyFlags } from './concurrency.js'
import type { AnyBackend, BackendArgs, Declared } from './define-backend.js'

/** The arguments of some backend, valid. */
export type ModelArgs = z.output<z.ZodObject<BackendArgs>>

/** One argument as `models show` tells of it. */
export interface ArgumentDescription {
  readonly name: string
  readonly type: string
  /** As JSON; absent where there is none. */
  readonly default?: string
  readonly isRequired: boolean
  readonly effect: 'output' | 'transport'
  readonly description: string
}

/**
 * The arguments of `--model-args` or of a configuration, checked. Texts from a command line are read as what the argument
 * is: `8` as a number where a number is wanted, and as a name where a name is.
 *
 * @throws PipelineError that names all that is wrong at once, never a value: it may be a secret.
 */
export function parseModelArgs(definition: AnyBackend, raw: Readonly<Record<string, unknown>>): ModelArgs {
  const names = Object.keys(definition.args)
  const problems = Object.keys(raw)
    .filter(name => !names.includes(name))
    .map(name => unknownArgument(definition, name))
  const known = Object.entries(definition.args).map(([name, schema]) => [
    name,
    coerceArgument(schema, ownValue(raw, name)),
  ])
  const result = z.object(definition.args).safeParse(Object.fromEntries(known))
  for (const issue of result.error?.issues ?? []) problems.push(problemOf(definition, issue))
  if (problems.length > 0 || !result.success) throw new PipelineError('config', problems)
  return result.data
}

function unknownArgument({ id, args }: AnyBackend, name: string): string {
  const names = Object.keys(args)
  return `model ${id} has no argument "${name}".${didYouMean(name, names)}   (it takes ${names.join(', ')})`
}

function problemOf({ id, args }: AnyBackend, issue: z.core.$ZodIssue): string {
  const [name = '', ...inner] = issue.path.map(String)
  const message = wordsOf(issue)
  const schema = ownValue(args, name)
  const isMissing = message.endsWith('received undefined') && inner.length === 0
  if (isMissing)
    return `model ${id} needs the argument "${name}": ${schema?.meta()?.description ?? 'it has no default'}`
  return `model ${id}, argument "${[name, ...inner].join('.')}": ${message.replace(/^Invalid input: /, '')}`
}

/** What is wrong with a key, or with each of several forms, stands within. */
function wordsOf(issue: z.core.$ZodIssue): string {
  const within = issue.code === 'invalid_key' ? issue.issues : issue.code === 'invalid_union' ? issue.errors.flat() : []
  const said = new Set(within.map(({ message }) => message.replace(/^Invalid input: /, '')))
  return said.size === 0 ? issue.message : [...said].join(', or ')
}

/** The arguments of a backend, in the order of their declaration. */
export const describeArgs = (definition: AnyBackend): readonly ArgumentDescription[] =>
  Object.entries(definition.args).map(([name, schema]) => {
    const absent = schema.safeParse(undefined)
    return {
      name,
      type: typeName(schema),
      ...(absent.data === undefined ? {} : { default: JSON.stringify(absent.data) }),
      isRequired: !absent.success,
      effect: effectOf(schema) ?? 'output',
      description: schema.meta()?.description ?? '',
    }
  })

/** What the argument's declaration says; undefined where a plugin's says nothing. */
export function effectOf(schema: Declared): 'output' | 'transport' | undefined {
  const declared = schema.meta()?.['effect']
  return declared === 'output' || declared === 'transport' ? declared : undefined
}

/**
 * The arguments that can change an output and differ from their default: for {@link ModelIdentity.args}. An argument that is
 * added later with a default changes no older key; the default is frozen from then on.
 */
export function outputArgs(definition: Pick<AnyBackend, 'args'>, args: ModelArgs): JsonObject {
  const kept: Record<string, Json> = {}
  for (const [name, schema] of Object.entries(definition.args)) {
    // That arguments are plain data is what makes them arguments: they come from a command line or a YAML file.
    const value = args[name] as Json | undefined
    if (effectOf(schema) === 'transport' || value === undefined) continue
    const usual = schema.safeParse(undefined).data as Json | undefined
    if (usual !== undefined && canonicalJson(usual) === canonicalJson(value)) continue
    kept[name] = value
  }
  return kept
}

/** What the arguments say to the scheduler, by the names that backends agree on. */
export function schedulingOf(
  definition: AnyBackend,
  args: ModelArgs,
  flags: ConcurrencyFlags = {},
): { readonly concurrency: Concurrency; readonly maxAttempts?: number; readonly backOffMs?: number } {
  const { max_retries: retries, retry_backoff_s: backOff } = args
  return {
    concurrency: definition.isSequential === true ? 1 : concurrencyOf(definition.concurrency, args, flags),
    ...(typeof retries === 'number' ? { maxAttempts: retries + 1 } : {}),
    ...(typeof backOff === 'number' ? { backOffMs: 1_000 * backOff } : {}),
  }
}

function typeName(schema: z.ZodType): string {
  const named = schema.meta()?.['typeName']
  if (typeof named === 'string') return named
  const json: unknown = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })
  const {
    enum: options,
    type,
    anyOf,
  } = z
    .object({
      enum: z.array(z.union([z.string(), z.number()])).optional(),
      type: z.union([z.string(), z.array(z.string())]).optional(),
      anyOf: z.array(z.object({ type: z.string().optional() })).optional(),
    })
    .parse(json)
  if (options !== undefined) return options.join(' | ')
  if (Array.isArray(type)) return type.join(' | ')
  return type ?? [...new Set(anyOf?.map(option => option.type ?? 'any'))].join(' | ')
}
