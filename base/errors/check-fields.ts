import { z } from 'zod'
import { PipelineError } from './errors.js'
import { pathText, schemaMistakes } from './schema-mistakes.js'

/**
 * Rejects options that do not exist or have a wrong type. Otherwise a misspelt filter would select everything.
 *
 * @param hidden names of options whose values messages leave out
 * @throws PipelineError (usage) that names every mistake
 */
export function checkFields(
  options: unknown,
  known: Readonly<Record<string, z.ZodType>>,
  hidden: readonly string[] = [],
): void {
  const parsed = z.strictObject(known).safeParse(options)
  if (parsed.success) return
  const mistakes = schemaMistakes(parsed.error.issues, options, {
    from: 'json',
    unknown: 'no such option',
    known: Object.keys(known),
    expected: ([name, ...inner]) => (inner.length > 0 ? undefined : describeOption(known, name)),
    isHidden: ([name]) => hidden.includes(String(name)),
  })
  const problems = mistakes.map(({ path, text }) => (path.length === 0 ? text : `options.${pathText(path)}: ${text}`))
  throw new PipelineError('usage', [...new Set(problems)])
}

function describeOption(known: Readonly<Record<string, z.ZodType>>, name: PropertyKey | undefined): string | undefined {
  if (name === undefined) return 'an object of options'
  const field = known[String(name)]
  return field === undefined ? undefined : describeSchema(field)
}

const describeSchema = (schema: z.ZodType): string | undefined =>
  schema.description ?? (schema instanceof z.ZodOptional ? describeSchema(schema.unwrap() as z.ZodType) : undefined)
