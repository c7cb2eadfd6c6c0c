import { basename } from 'node:path'
import { messageOf } from '../../../base/errors/errors.js'
import { pythonText, PythonNumber } from '../../../base/python/python-text.js'
import { ownValue } from '../../../base/values/named-values.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { isFunctionRef, type FunctionRef } from '../tasks/function-ref.js'
import type { FloatFields } from '../datasets/columns/floats.js'
import type { Doc } from '../tasks/doc.js'
import type { Task } from '../tasks/task.js'
import { withPythonNumbers } from './python-numbers.js'
import { compileTemplate } from './template.js'

/** Extracts one value from a doc. Its errors fail that doc. */
export interface Field {
  readonly of: (doc: Doc) => unknown
  /** The columns that it reads; `undefined` for a function, which may read any. */
  readonly columns: readonly string[] | undefined
  /** The reason why the field cannot work with this dataset. */
  readonly problem?: string
}

export interface TextField extends Field {
  readonly of: (doc: Doc) => string
}

export interface FieldContext {
  readonly task: Task
  readonly columns: readonly string[]
  /** The path of the field in the task file. */
  readonly key?: readonly string[]
  /** Columns with numbers that Python prints differently from JSON, such as `3.0`. */
  readonly floats?: FloatFields
  /** The second argument of the task's functions. */
  readonly kwargs: unknown
  /** True if a template keeps its final newline, as in lm-evaluation-harness. lmms-eval drops it. */
  readonly keepsNewline?: boolean
}

/**
 * Compiles the value of `doc_to_text` and similar keys for a dataset: a column, a template, a constant or a function.
 */
export function compileField(value: string | number | FunctionRef, context: FieldContext): Field {
  if (typeof value === 'number') return { of: () => value, columns: [] }
  if (isFunctionRef(value)) {
    const call = context.task.functionOf(value)
    return { of: doc => atOnce(call(doc, context.kwargs), context.key?.join('.')), columns: undefined }
  }
  return context.columns.includes(value) ? columnField(value, context) : templateField(value, context)
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
  const columnNames = new Set(context.columns)
  const missing = [...required, ...(isWord(value) && !mayBeOneWord ? [value] : [])].find(name => !columnNames.has(name))
  return {
    of: doc => labelTemplateErrors(context, () => template.render(doc)),
    columns: [...required, ...optional].filter(name => columnNames.has(name)),
    ...(missing === undefined ? {} : { problem: missingColumn(missing, context.columns) }),
  }
}

/** Adds the key with its file, line and column to an error of a template, as for functions. */
function labelTemplateErrors<T>({ task, key }: FieldContext, render: () => T): T {
  if (key === undefined) return render()
  try {
    return render()
  } catch (error) {
    const where = `${basename(task.at(key))}, ${key.join('.')}`
    throw new Error(`${messageOf(error)} (${where})`, { cause: error })
  }
}

/** Makes the field of a column. Its floating-point and decimal numbers print as in Python. */
function columnField(name: string, { floats = {} }: FieldContext): Field {
  return {
    of: doc => {
      const value = ownValue(doc, name)
      if (value === undefined) throw new Error(`the doc has no "${name}" (it has ${Object.keys(doc).join(', ')})`)
      return withPythonNumbers(value, ownValue(floats, name))
    },
    columns: [name],
  }
}

/**
 * Returns the value of a task's function.
 * @throws Error where it is a promise, since prompts are made synchronously.
 */
export function atOnce(value: unknown, name = 'the function'): unknown {
  if (!(value instanceof Promise)) return value
  const refusal = new Error(`${name} must give its value at once, not a promise of it`)
  // Otherwise a later rejection of the promise would be unhandled.
  value.catch((error: unknown) => (refusal.cause = error))
  throw refusal
}

/** @throws Error where the value is not a text. */
export function asText(value: unknown, key: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof PythonNumber) return pythonText(value)
  throw new Error(`${key} must give a text, not ${value === undefined ? 'nothing' : JSON.stringify(value)}`)
}

export const missingColumn = (name: string, columns: readonly string[]): string =>
  `dataset column "${name}" is not there (it has ${columns.join(', ')}).${didYouMean(name, columns)}`

/** Tells whether a value is a single word, which names a column. A constant text has white space or is written as `{{ "word" }}`. */
export const isWord = (value: string): boolean => /^[\w.-]+$/.test(value)
