import { z } from 'zod'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'

declare const effect: unique symbol

/** A schema that declares whether its value can change an output. A schema without this mark does not compile as an argument. */
export type Declared<S extends z.ZodType = z.ZodType> = S & { readonly [effect]: 'output' | 'transport' }

/**
 * The things that the text of an argument can name. `path`: a local file or folder. `path or name`: a path, or a name
 * without the form of a path. `command`: a program that is started. A service checks these arguments of jobs that
 * others submit.
 */
const namedThings = ['path', 'path or name', 'address', 'command'] as const
export type NamedThing = (typeof namedThings)[number]

interface Meaning {
  /** Absent if the value names nothing outside of the request. */
  readonly names?: NamedThing | undefined
}

/** Declares an argument that can change the model's answer. It is part of every key. Must wrap the schema outermost. */
export const affectsOutput = <S extends z.ZodType>(schema: S, { names }: Meaning = {}): Declared<S> =>
  schema.meta({ ...schema.meta(), effect: 'output', ...(names && { names }) }) as Declared<S>

/**
 * Declares an argument that cannot change the answer (proxy, key, concurrency, retries). It is in no key. Its name
 * decides whether it is a secret.
 */
export const transport = <S extends z.ZodType>(schema: S, { names }: Meaning = {}): Declared<S> =>
  schema.meta({ ...schema.meta(), effect: 'transport', ...(names && { names }) }) as Declared<S>

export type BackendArgs = Readonly<Record<string, Declared>>

/** The validated arguments of a backend. */
export type ModelArgs = z.output<z.ZodObject<BackendArgs>>

/** Returns what the argument declares. Undefined if a plugin's argument declares nothing. */
export function readEffect(schema: Declared): 'output' | 'transport' | undefined {
  const declared = schema.meta()?.['effect']
  return declared === 'output' || declared === 'transport' ? declared : undefined
}

/** Returns what an argument's value names. Undefined if its declaration does not state it. */
export function namedBy(schema: Declared): NamedThing | undefined {
  const declared = schema.meta()?.['names']
  return namedThings.find(thing => thing === declared)
}

/**
 * Selects the arguments that can change an output and differ from their default, for {@link ModelIdentity.args}. An
 * argument that is added later with a default changes no older key. The default is frozen from then on.
 */
export function outputArgs(definition: { readonly args: BackendArgs }, args: ModelArgs): JsonObject {
  const outputValues: Record<string, Json> = {}
  for (const [name, schema] of Object.entries(definition.args)) {
    // The cast is safe because arguments come from a command line or a YAML file, so they are plain data.
    const value = args[name] as Json | undefined
    if (readEffect(schema) === 'transport' || value === undefined) continue
    const ofDefault = schema.safeParse(undefined).data as Json | undefined
    if (ofDefault !== undefined && canonicalJson(ofDefault) === canonicalJson(value)) continue
    outputValues[name] = value
  }
  return outputValues
}
