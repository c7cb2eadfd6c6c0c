import { z } from 'zod'
import { PipelineError } from './errors.js'
import { pathText, schemaMistakes } from './schema-mistakes.js'

/**
 * Rejects options that do not exist or have a wrong type. Otherwise a misspelt filter would select everything.
 *
 * @param label names the object in messages. @default 'options'
 * @param hidden names of fields whose values messages leave out
 * @throws PipelineError (usage) that names every mistake
 */
export function checkFields(
  options: unknown,
  schemas: Readonly<Record<string, z.ZodType>>,
  { label = 'options', hidden = [] }: { readonly label?: string; readonly hidden?: readonly string[] } = {},
): void {
  const parsed = z.strictObject(schemas).safeParse(options)
  if (parsed.success) return
  const mistakes = schemaMistakes(parsed.error.issues, options, {
    from: 'json',
    unknown: 'no such option',
    known: Object.keys(schemas),
    expected: path => describeField(schemas, path),
    isHidden: ([name]) => hidden.includes(String(name)),
  })
  const problems = mistakes.map(({ path, text }) => (path.length === 0 ? text : `${label}.${pathText(path)}: ${text}`))
  throw new PipelineError('usage', [...new Set(problems)])
}

/** Says what the value at a path must be, in the words of its schema. */
function describeField(schemas: Readonly<Record<string, z.ZodType>>, path: readonly PropertyKey[]): string | undefined {
  const [name, ...inner] = path
  if (name === undefined) return 'an object of options'
  const field = unwrap(schemas[String(name)])
  if (inner.length === 0) return field?.description
  return inner.length === 1 && field instanceof z.ZodArray ? unwrap(field.element as z.ZodType)?.description : undefined
}

const unwrap = (schema: z.ZodType | undefined): z.ZodType | undefined =>
  schema instanceof z.ZodOptional ? unwrap(schema.unwrap() as z.ZodType) : schema
