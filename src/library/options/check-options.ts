/** Checks the arguments of functions, because TypeScript finds no mistake in a JavaScript program. */
import { z } from 'zod'
import { checkFields } from '../../../base/errors/check-fields.js'

/** The schemas of a function's options. Their descriptions are used in error messages. */
export type OptionFields<Options> = Readonly<Record<keyof Options, z.ZodType>>

/** Schemas of required values of one kind. */
export const kinds = {
  text: z.string().describe('a text'),
  flag: z.boolean().describe('true or false'),
  callback: z.custom(value => typeof value === 'function').describe('a function'),
}

/** Schemas of options of one kind. Each option may be left out. */
export const fields = {
  any: z.unknown().optional(),
  text: kinds.text.optional(),
  number: z.number().describe('a number').optional(),
  flag: kinds.flag.optional(),
  callback: kinds.callback.optional(),
  signal: z.instanceof(AbortSignal).describe('an AbortSignal').optional(),
  texts: (what: string) => z.array(z.string()).describe(`a list of ${what}`).optional(),
  choice: <const Names extends readonly string[]>(names: Names) =>
    z
      .enum(names)
      .describe(names.map(name => `'${name}'`).join(', '))
      .optional(),
}

export const storeField = {
  store: z
    .union([z.string(), z.custom(value => typeof value === 'object' && value !== null)])
    .describe('a folder, or a store that is open')
    .optional(),
}

/** Selects schemas of a table, and makes each optional. */
export function pickFields<Name extends string>(
  table: Readonly<Record<Name, z.ZodType>>,
  ...names: readonly Name[]
): Readonly<Record<Name, z.ZodType>> {
  const picked: Partial<Record<Name, z.ZodType>> = {}
  for (const name of names) picked[name] = table[name].optional()
  return picked as Record<Name, z.ZodType>
}

/** The options that follow and end work. */
export const followingFields = {
  onEvent: fields.callback,
  onRun: fields.callback,
  signal: fields.signal,
  drain: fields.signal,
  stop: fields.signal,
}

/** Checks the options of a function. @throws PipelineError (usage) that names every mistake */
export const checkOptions = (options: unknown, schemas: Readonly<Record<string, z.ZodType>>): void => {
  checkFields(options, schemas, { hidden: ['modelArgs', 'judgeArgs', 'judgeFor'] })
}
