import { ownValue } from '../../../base/values/named-values.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { isFunctionRef, type FunctionRef } from '../tasks/function-ref.js'
import type { FloatFields } from '../datasets/columns/floats.js'
import type { Doc } from '../tasks/doc.js'
import type { Task } from '../tasks/task.js'
import { withFloatTexts } from './python-text.js'
import { compileTemplate } from './template.js'

/** Extracts one value from a doc. Its errors fail that doc. */
export interface Field {
  readonly of: (doc: Doc) => unknown
  /** The columns that it reads; `undefined` for a function, which may read any. */
  readonly columns: readonly string[] | undefined
  /** Why the field cannot work with this dataset. */
  readonly problem?: string
}

export interface TextField extends Field {
  readonly of: (doc: Doc) => string
}

export interface FieldContext {
  readonly task: Task
  readonly columns: readonly string[]
  /** Columns whose numbers Python prints as floating-point numbers. */
  readonly floats?: FloatFields
  /** The second argument of the task's functions. */
  readonly kwargs: unknown
  /** Whether a template keeps its final newline, as in lm-evaluation-harness. lmms-eval drops it. */
  readonly keepsNewline?: boolean
}

/**
 * Compiles the value of `doc_to_text` and similar keys for a dataset: a column, a template, a constant or a function.
 */
export function compileField(value: string | number | FunctionRef, context: FieldContext): Field {
  if (typeof value === 'number') return { of: () => value, columns: [] }
  if (isFunctionRef(value)) {
    const call = context.task.functionOf(value)
    return { of: doc => atOnce(call(doc, context.kwargs)), columns: undefined }
  }
  return context.columns.includes(value) ? columnField(value) : templateField(value, context)
}

/** Compiles `description`. A text is always a template, even if a column has that name. */
export function compileText(value: string | number | FunctionRef, context: FieldContext): TextField {
  const field = typeof value === 'string' ? templateField(value, context, true) : compileField(value, context)
  return { ...field, of: doc => asText(field.of(doc), 'description') }
}

/** Compiles `gen_prefix`: a column, else a template, even if it is a single word. */
export function compilePrefix(value: string | number | FunctionRef, context: FieldContext): TextField {
  const isColumn = typeof value === 'string' && context.columns.includes(value)
  const isTemplate = typeof value === 'string' && !isColumn
  const field = isTemplate
    ? templateField(value, { ...context, keepsNewline: true }, true)
    : compileField(value, context)
  return { ...field, of: doc => asText(field.of(doc), 'gen_prefix') }
}

function templateField(value: string, context: FieldContext, mayBeOneWord = false): Field {
  // Jinja drops one final newline, so a second one is added.
  const isKept = context.keepsNewline === true && value.endsWith('\n')
  const template = compileTemplate(isKept ? `${value}\n` : value, context.floats)
  const { required, optional } = template.variables
  const known = new Set(context.columns)
  const missing = [...required, ...(isName(value) && !mayBeOneWord ? [value] : [])].find(name => !known.has(name))
  return {
    of: doc => template.render(doc),
    columns: [...required, ...optional].filter(name => known.has(name)),
    ...(missing === undefined ? {} : { problem: missingColumn(missing, context.columns) }),
  }
}

function columnField(name: string): Field {
  return {
    of: doc => {
      const value = ownValue(doc, name)
      if (value === undefined) throw new Error(`the doc has no "${name}" (it has ${Object.keys(doc).join(', ')})`)
      return value
    },
    columns: [name],
  }
}

/** Compiles a field whose floating-point numbers are shown as Python prints them. */
export const shownField = (value: string | number | FunctionRef, context: FieldContext): Field =>
  shown(compileField(value, context), value, context)

/** Makes a compiled field show floating-point numbers as Python prints them. */
export function shown(field: Field, value: unknown, context: FieldContext): Field {
  const floats = typeof value === 'string' && context.columns.includes(value) ? context.floats?.[value] : undefined
  return floats === undefined ? field : { ...field, of: doc => withFloatTexts(field.of(doc), floats) }
}

/**
 * Returns the value of a task's function.
 * @throws Error where it is a promise, since prompts are made synchronously.
 */
export function atOnce(value: unknown): unknown {
  if (!(value instanceof Promise)) return value
  const refusal = new Error('the function must give its value at once, not a promise of it')
  // Otherwise a later rejection of the promise would be unhandled.
  value.catch((error: unknown) => (refusal.cause = error))
  throw refusal
}

/** @throws Error where the value is not a text. */
export function asText(value: unknown, key: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error(`${key} must give a text, not ${value === undefined ? 'nothing' : JSON.stringify(value)}`)
}

export const missingColumn = (name: string, columns: readonly string[]): string =>
  `dataset column "${name}" is not there (it has ${columns.join(', ')}).${didYouMean(name, columns)}`

/** A single word is meant as a column. A constant text has white space or is written as `{{ "word" }}`. */
const isName = (value: string): boolean => /^[\w.-]+$/.test(value)
