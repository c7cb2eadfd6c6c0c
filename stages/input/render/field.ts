import { didYouMean } from '../../../base/suggest.js'
import { isFunctionRef, type FunctionRef } from '../tasks/function-ref.js'
import type { Doc, TaskKwargs } from '../tasks/doc.js'
import type { Task } from '../tasks/task.js'
import { compileTemplate } from './template.js'

/** Takes one thing out of a doc. Its errors are about that doc. */
export interface Field {
  readonly of: (doc: Doc) => unknown
  /** The columns that it reads; `undefined` where a function may read any. */
  readonly columns: readonly string[] | undefined
  /** Why it can't work with this dataset. */
  readonly problem?: string
}

export interface FieldContext {
  readonly task: Task
  readonly columns: readonly string[]
  readonly kwargs: TaskKwargs
}

/** What `doc_to_text: …` means for a dataset: a column, a template, a constant or a function. */
export function compileField(value: string | number | FunctionRef, context: FieldContext): Field {
  if (typeof value === 'number') return { of: () => value, columns: [] }
  if (isFunctionRef(value)) {
    const call = context.task.functionOf(value)
    return { of: doc => call(doc, context.kwargs), columns: undefined }
  }
  if (context.columns.includes(value)) return columnField(value)
  const template = compileTemplate(value)
  const { required, optional } = template.variables
  const known = new Set(context.columns)
  const missing = [...required, ...(isName(value) ? [value] : [])].find(name => !known.has(name))
  return {
    of: doc => template.render(doc),
    columns: [...required, ...optional].filter(name => known.has(name)),
    ...(missing === undefined ? {} : { problem: missingColumn(missing, context.columns) }),
  }
}

function columnField(name: string): Field {
  return {
    of: doc => {
      const value = doc[name]
      if (value === undefined) throw new Error(`the doc has no "${name}" (it has ${Object.keys(doc).join(', ')})`)
      return value
    },
    columns: [name],
  }
}

export const missingColumn = (name: string, columns: readonly string[]): string =>
  `dataset column "${name}" is not there (it has ${columns.join(', ')}).${didYouMean(name, columns)}`

/** One word is meant as a column; a constant text has white space or is written as `{{ "word" }}`. */
const isName = (value: string): boolean => /^[\w.-]+$/.test(value)
