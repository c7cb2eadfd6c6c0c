/** Translates argument names of programs to declared names. `baseURL` and `base_url` are the same argument; the second is the declared name. */
import type { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import type { JsonObject } from '../../../cache/records.js'
import { isAggregation } from '../../../stages/judge/compile/registry.js'
import { isAggregationValue, type MetricValue } from '../values/values.js'

/** `max_retries` as `maxRetries`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

type UpperUrl<Name extends string> = Name extends `${infer Head}Url${infer Tail}` ? `${Head}URL${Tail}` : Name

/** All spellings of a declared name: `base_url`, `baseUrl`, `baseURL`. */
export type Spellings<Name extends string> = Name | CamelCase<Name> | UpperUrl<CamelCase<Name>>

/** The keys of an object type. A schema without arguments has an index signature of `never`, which is no argument. */
type Keys<Given> = keyof { [Key in keyof Given & string as string extends Key ? never : Key]: true } &
  keyof Given &
  string
type RequiredKeys<Given> = {
  [Key in Keys<Given>]-?: object extends Pick<Given, Key> ? never : Key
}[Keys<Given>]

type OptionalPart<Given> = {
  readonly [Key in Exclude<Keys<Given>, RequiredKeys<Given>> as Spellings<Key>]?: Given[Key] | undefined
}
type RequiredPart<Given> =
  | { readonly [Key in RequiredKeys<Given> as CamelCase<Key>]: Given[Key] }
  | { readonly [Key in RequiredKeys<Given>]: Given[Key] }

/** The input of a schema, with each argument under any of its spellings. */
export type NamedArguments<Schema extends z.ZodType> = RequiredPart<z.input<Schema>> & OptionalPart<z.input<Schema>>

/** The parameters of a function with one options object. The object may be omitted if no option is required. */
export type Options<Given> = object extends Given ? [options?: Given] : [options: Given]

/** Returns the declared name of a spelling. */
export const declaredName = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()

/**
 * Renames options to their declared names and removes those that are undefined.
 *
 * @param declared names that stay unchanged
 * @throws PipelineError (usage) if an argument has two spellings
 */
export function byDeclaredName(
  options: Readonly<Record<string, unknown>> | undefined,
  { of, declared = [] }: { readonly of: string; readonly declared?: readonly string[] },
): Readonly<Record<string, unknown>> {
  const argsByName = new Map<string, unknown>()
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === undefined) continue
    const key = declared.includes(name) ? name : declaredName(name)
    if (argsByName.has(key)) throw new PipelineError('usage', `${of}: "${key}" is given twice, as ${name} too`)
    argsByName.set(key, value)
  }
  return Object.fromEntries(argsByName)
}

/** Writes a metric's options as an entry of a task's YAML, where the aggregation's arguments stand beside the metric's. */
export function metricEntry(
  { aggregation, ...options }: Readonly<Record<string, unknown>>,
  names: { readonly of: string; readonly declared?: readonly string[] },
): Pick<MetricValue, 'args' | 'aggregation'> {
  const own = byDeclaredName(options, names)
  if (isAggregation(aggregation)) return { args: { ...own, aggregation: aggregation.id }, aggregation }
  if (!isAggregationValue(aggregation))
    return { args: { ...own, ...(aggregation !== undefined && { aggregation }) } as JsonObject }
  const { aggregation: definition, args } = aggregation
  if (typeof definition === 'string') return { args: { ...args, ...own, aggregation: definition } }
  return { args: { ...args, ...own, aggregation: definition.id }, aggregation: definition }
}
