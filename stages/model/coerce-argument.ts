import { z } from 'zod'

/**
 * `value` as its schema wants it, where a text or a YAML scalar clearly stands for that; otherwise as it is, for the
 * schema to refuse. A name of digits stays a name: what is wanted decides, not what it looks like.
 */
export function coerceArgument(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === undefined || z.safeParse(schema, value).success) return value
  if (schema instanceof z.ZodUnion) return coerceToOption(schema.options, value)
  const inner = innerOf(schema)
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

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
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

/** `["a","b"]`, `[a,b]` and `a|b` are the same list. */
function coerceList(schema: z.ZodArray, text: string): unknown {
  const parsed = parseJson(text)
  if (Array.isArray(parsed)) return parsed
  const isBracketed = text.startsWith('[') && text.endsWith(']')
  const words = isBracketed ? text.slice(1, -1).split(',') : text.split('|')
  return words.map(word => coerceArgument(schema.element, word.trim()))
}

/** The value of a JSON text, or the text where it is none: then the schema says what it wanted. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
