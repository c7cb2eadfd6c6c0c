import { ownValue } from '../../../base/named-values.js'
import { didYouMean } from '../../../base/suggest.js'
import { isFunctionRef, type FunctionRef } from '../tasks/function-ref.js'
import type { FloatFields } from '../datasets/columns/floats.js'
import type { Doc } from '../tasks/doc.js'
import type { Task } from '../tasks/task.js'
import { withFloatTexts } from './python-text.js'
import { compileTemplate } from './template.js'

/** Takes one thing out of a doc. Its errors are about that doc. */
export interface Field {
  readonly of: (doc: Doc) => unknown
  /** The columns that it reads; `undefined` where a function may read any. */
  readonly columns: readonly string[] | undefined
  /** Why it can't work with this dataset. */
  readonly problem?: string
}

export interface TextField extends Field {
  readonly of: (doc: Doc) => string
}

export interface FieldContext {
  readonly task: Task
  readonly columns: readonly string[]
  /** Which of their numbers Python prints with a fraction. */
  readonly floats?: FloatFields
  /** The second argument of functions. */
  readonly kwargs: unknown
  /** Whether a template keeps the newline at its end, as lm-evaluation-harness's do and lmms-eval's do not. */
  readonly keepsNewline?: boolean
}

/** What `doc_to_text: …` means for a dataset: a column, a template, a constant or a function. */
export function compileField(value: string | number | FunctionRef, context: FieldContext): Field {
  if (typeof value === 'number') return { of: () => value, columns: [] }
  if (isFunctionRef(value)) {
    const call = context.task.functionOf(value)
    return { of: doc => atOnce(call(doc, context.kwargs)), columns: undefined }
  }
  return context.columns.includes(value) ? columnField(value) : templateField(value, context)
}

/** What `description: …` means: a text is always a template, also one that is called like a column. */
export function compileText(value: string | number | FunctionRef, context: FieldContext): TextField {
  const field = typeof value === 'string' ? templateField(value, context, true) : compileField(value, context)
  return { ...field, of: doc => asText(field.of(doc), 'description') }
}

/** What `gen_prefix: …` means: a column, or else a template, also one that is a single word. */
export function compilePrefix(value: string | number | FunctionRef, context: FieldContext): TextField {
  const isColumn = typeof value === 'string' && context.columns.includes(value)
  const isTemplate = typeof value === 'string' && !isColumn
  const field = isTemplate
    ? templateField(value, { ...context, keepsNewline: true }, true)
    : compileField(value, context)
  return { ...field, of: doc => asText(field.of(doc), 'gen_prefix') }
}

function templateField(value: string, context: FieldContext, mayBeOneWord = false): Field {
  // The one newline that Jinja drops.
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

/** What a column is shown as: its floating-point numbers as Python prints them. */
export const shownField = (value: string | number | FunctionRef, context: FieldContext): Field =>
  shown(compileField(value, context), value, context)

/** The same for a field that is compiled already. */
export function shown(field: Field, value: unknown, context: FieldContext): Field {
  const floats = typeof value === 'string' && context.columns.includes(value) ? context.floats?.[value] : undefined
  return floats === undefined ? field : { ...field, of: doc => withFloatTexts(field.of(doc), floats) }
}

/** What a task's function gave. @throws Error where that is a promise: a prompt is made at once. */
export function atOnce(value: unknown): unknown {
  if (!(value instanceof Promise)) return value
  const refusal = new Error('the function must give its value at once, not a promise of it')
  // The promise may be rejected later, which nobody would hear of.
  value.catch((error: unknown) => (refusal.cause = error))
  throw refusal
}

/** @throws Error where it is none. */
export function asText(value: unknown, key: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error(`${key} must give a text, not ${value === undefined ? 'nothing' : JSON.stringify(value)}`)
}

export const missingColumn = (name: string, columns: readonly string[]): string =>
  `dataset column "${name}" is not there (it has ${columns.join(', ')}).${didYouMean(name, columns)}`

/** One word is meant as a column; a constant text has white space or is written as `{{ "word" }}`. */
const isName = (value: string): boolean => /^[\w.-]+$/.test(value)
