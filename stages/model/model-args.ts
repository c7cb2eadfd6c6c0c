import { z } from 'zod'
import { PipelineError } from '../../base/errors/errors.js'
import { pathText, schemaMistakes, type SchemaMistake } from '../../base/errors/schema-mistakes.js'
import { ownValue } from '../../base/values/named-values.js'
import { secretPaths } from '../../base/text/secrets.js'
import { didYouMean } from '../../base/text/suggest.js'
import { readEffect, type ModelArgs } from './backend-args.js'
import { type Concurrency, type ConcurrencyFlags, chooseConcurrency } from './concurrency.js'
import type { AnyBackend } from './define-backend.js'

/** The description of one argument for `models show`. */
export interface ArgumentDescription {
  readonly name: string
  readonly type: string
  /** The default as JSON. Absent if there is none. */
  readonly default?: string
  readonly isRequired: boolean
  readonly effect: 'output' | 'transport'
  readonly description: string
}

/**
 * Validates the arguments of `--model-args` or of a configuration. Texts from a command line are converted to the type
 * of the argument: `8` becomes a number or stays a name.
 *
 * @throws PipelineError with all problems at once, but without values, which may be secret
 */
export function parseModelArgs(definition: AnyBackend, raw: Readonly<Record<string, unknown>>): ModelArgs {
  const names = Object.keys(definition.args)
  const gatheredArgs = gatherUndeclared(definition, raw)
  const problems = Object.keys(gatheredArgs)
    .filter(name => !names.includes(name))
    .map(name => unknownArgument(definition, name))
  const coercedArgs: ModelArgs = Object.fromEntries(
    Object.entries(definition.args).map(([name, schema]) => [
      name,
      coerceArgument(schema, ownValue(gatheredArgs, name)),
    ]),
  )
  // The schema is used once: to compile code for it takes four times the memory of the check.
  const result = z.object(definition.args).safeParse(coercedArgs, { jitless: true })
  // Only kinds are named: values may be secrets.
  const mistakes = schemaMistakes(result.error?.issues ?? [], coercedArgs, { isHidden: () => true })
  problems.push(...mistakes.map(mistake => formatProblem(definition, mistake, coercedArgs)))
  if (result.success) problems.push(...secretProblems(definition, result.data))
  if (problems.length > 0 || !result.success) throw new PipelineError('config', problems)
  return result.data
}

/** Secrets within arguments that are part of keys, and are stored. */
function secretProblems({ id, args, gathers }: AnyBackend, values: ModelArgs): readonly string[] {
  const advice = Object.hasOwn(args, 'api_key') ? 'Give the key as api_key=…, or' : 'Give it'
  return Object.entries(args).flatMap(([name, schema]) => {
    if (readEffect(schema) === 'transport') return []
    const value = values[name]
    // The backend leaves secrets among gathered arguments out of its identity.
    const paths =
      name === gathers && typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([inner, within]) => secretPaths(within, `${name}.${inner}`))
        : secretPaths(value, name)
    return paths.map(
      path =>
        `model ${id}, argument "${path}": its name is that of a secret, and this argument is stored with each answer. ${advice} in the variable of the environment that the model reads (docs/models/)`,
    )
  })
}

/** Moves undeclared arguments into the record of a backend that takes them. */
function gatherUndeclared(
  { args, gathers }: AnyBackend,
  raw: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (gathers === undefined) return raw
  const entries = Object.entries(raw)
  const declared = Object.fromEntries(entries.filter(([name]) => Object.hasOwn(args, name)))
  const undeclared = Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(args, name)))
  if (Object.keys(undeclared).length === 0) return raw
  const own = typeof declared[gathers] === 'string' ? parseJson(declared[gathers]) : (declared[gathers] ?? {})
  const isRecord = typeof own === 'object' && own !== null && !Array.isArray(own)
  return isRecord ? { ...declared, [gathers]: { ...own, ...undeclared } } : declared
}

function unknownArgument({ id, args }: AnyBackend, name: string): string {
  const names = Object.keys(args)
  return `model ${id} has no argument "${name}".${didYouMean(name, names)}   (it takes ${names.join(', ')})`
}

function formatProblem({ id, args }: AnyBackend, { path, text }: SchemaMistake, values: ModelArgs): string {
  const name = pathText(path)
  if (path.length === 1 && values[name] === undefined)
    return `model ${id} needs the argument "${name}": ${ownValue(args, name)?.meta()?.description ?? 'it has no default'}`
  return `model ${id}, argument "${name}": ${text}`
}

/** Describes a backend's arguments in the order of their declaration. */
export const describeArgs = (definition: AnyBackend): readonly ArgumentDescription[] =>
  Object.entries(definition.args).map(([name, schema]) => {
    const absent = schema.safeParse(undefined)
    return {
      name,
      type: typeName(schema),
      ...(absent.data === undefined ? {} : { default: JSON.stringify(absent.data) }),
      isRequired: !absent.success,
      effect: readEffect(schema) ?? 'output',
      description: schema.meta()?.description ?? '',
    }
  })

/** Selects the arguments for the scheduler, by the names that all backends share. */
export function readScheduling(
  definition: AnyBackend,
  args: ModelArgs,
  flags: ConcurrencyFlags = {},
): { readonly concurrency: Concurrency; readonly maxAttempts?: number; readonly backOffMs?: number } {
  const { max_retries: retries, retry_backoff_s: backOff } = args
  return {
    concurrency: definition.isSequential === true ? 1 : concurrencyFor(definition, args, flags),
    ...(typeof retries === 'number' ? { maxAttempts: retries + 1 } : {}),
    ...(typeof backOff === 'number' ? { backOffMs: 1_000 * backOff } : {}),
  }
}

function concurrencyFor(definition: AnyBackend, args: ModelArgs, flags: ConcurrencyFlags): Concurrency {
  if (definition.concurrencyWith === undefined) return chooseConcurrency(definition.concurrency, args, flags)
  return chooseConcurrency(definition.concurrencyWith(args), { ...args, batch_size: undefined }, flags)
}

function typeName(schema: z.ZodType): string {
  const ownName = schema.meta()?.['typeName']
  if (typeof ownName === 'string') return ownName
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

/**
 * Converts a text or YAML scalar to the type in its schema, if that is unambiguous. Otherwise the value is returned as
 * it is, for the schema to reject. The schema decides, so a name of digits stays a text.
 */
export function coerceArgument(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === undefined || z.safeParse(schema, value).success) return value
  if (schema instanceof z.ZodUnion) return coerceToOption(schema.options, value)
  const inner = unwrapSchema(schema)
  if (inner !== undefined) return coerceArgument(inner, value)
  if (typeof value === 'number' || typeof value === 'boolean') {
    return schema instanceof z.ZodString || schema instanceof z.ZodEnum ? String(value) : value
  }
  return typeof value === 'string' ? coerceText(schema, value) : value
}

function coerceToOption(options: readonly z.core.$ZodType[], value: unknown): unknown {
  for (const option of options) {
    const coerced = coerceArgument(option, value)
    if (z.safeParse(option, coerced).success) return coerced
  }
  return value
}

function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return schema.unwrap()
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodReadonly) return schema.unwrap()
  return undefined
}

function coerceText(schema: z.core.$ZodType, text: string): unknown {
  if (schema instanceof z.ZodNumber) return text.trim() === '' ? text : finiteNumber(text)
  if (schema instanceof z.ZodBoolean) return booleans[text.toLowerCase()] ?? text
  if (schema instanceof z.ZodArray) return coerceList(schema, text)
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodObject) return parseJson(text)
  return text
}

const finiteNumber = (text: string): unknown => (Number.isFinite(Number(text)) ? Number(text) : text)

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
}

/** Converts a text to a list. `["a","b"]`, `[a,b]` and `a|b` are equal. */
function coerceList(schema: z.ZodArray, text: string): unknown {
  const parsed = parseJson(text)
  if (Array.isArray(parsed)) return parsed
  const isBracketed = text.startsWith('[') && text.endsWith(']')
  const words = isBracketed ? text.slice(1, -1).split(',') : text.split('|')
  return words.map(word => coerceArgument(schema.element, word.trim()))
}

/** Parses a JSON text, or returns the text if it is not JSON, so that the schema reports what it expects. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
