import { messageOf } from '../../../base/errors/errors.js'
import { ownValue } from '../../../base/values/named-values.js'
import type { FloatFields } from '../datasets/columns/floats.js'
import type { Doc } from '../tasks/doc.js'
import type { TaskConfig } from '../tasks/schema.js'
import { freeVariables, type FreeVariables } from './free-variables.js'
import { fromDoc, globals } from './jinja/context.js'
import { runWithBudget, Scope } from './jinja/evaluate.js'
import { parseTemplate } from './jinja/parse/parse-template.js'
import type { Body } from './jinja/parse/syntax.js'
import { renderBody } from './jinja/render.js'
import { floatText } from '../../../base/python/python-text.js'

/** A Jinja template, parsed once and rendered for every doc. */
interface Template {
  readonly source: string
  readonly variables: FreeVariables
  /** @throws Error that names the variable which the doc does not have. */
  render(doc: Doc): string
}

/**
 * Compiles a template as Python's Jinja does with its defaults and `StrictUndefined`. One final newline is dropped,
 * blocks keep the white space around them, and any use of a missing name is an error, except `is defined` and
 * `default`.
 *
 * Values are printed as Python prints them: `True`, `None`, `['a', 'b']`.
 *
 * @param floats columns whose numbers are floating-point, so that 5 is printed as `5.0`
 *
 * @throws Error where the template cannot be parsed, or names an unknown filter or test.
 */
export function compileTemplate(source: string, floats: FloatFields = {}): Template {
  const { body, variables } = catchOverflow(() => {
    const body = parseTemplate(source)
    return { body, variables: freeVariables(body) }
  })
  const names = [...variables.required, ...variables.optional]
  const interpret = (doc: Doc): string =>
    catchOverflow(() => runWithBudget(() => renderBody(body, makeScope(doc, names, floats))))
  const parts = plainParts(body)
  return {
    source,
    variables,
    render: parts === undefined ? interpret : doc => renderPlain(parts, doc, floats) ?? interpret(doc),
  }
}

/** Turns a stack overflow by deep nesting into an error of the template, as Python's Jinja does. */
function catchOverflow<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError && /call stack/.test(error.message))) throw error
    throw new Error('the template is nested too deeply, or a macro calls itself without an end', { cause: error })
  }
}

function makeScope(doc: Doc, names: readonly string[], floats: FloatFields): Scope {
  const scope = new Scope(undefined, Object.keys(doc))
  for (const [name, value] of globals) if (names.includes(name)) scope.set(name, value)
  for (const name of names) {
    const value = ownValue(doc, name)
    if (value !== undefined) scope.set(name, fromDoc(value, ownValue(floats, name)))
  }
  return scope
}

type Part = { readonly text: string } | { readonly column: string }

/** Returns the parts of a template that only puts columns between texts; `undefined` for any other. */
function plainParts(body: Body): readonly Part[] | undefined {
  const parts: Part[] = []
  for (const statement of body) {
    const [value, ...more] = statement.type === 'output' ? statement.values : []
    if (statement.type === 'text') parts.push({ text: statement.text })
    else if (value?.type === 'name' && more.length === 0) parts.push({ column: value.name })
    else return undefined
  }
  return parts
}

/**
 * Renders texts and integers without the interpreter, with the same result; `undefined` where a value is of another
 * kind.
 */
function renderPlain(parts: readonly Part[], doc: Doc, floats: FloatFields): string | undefined {
  let text = ''
  for (const part of parts) {
    if ('text' in part) {
      text += part.text
      continue
    }
    const value = ownValue(doc, part.column)
    const own = ownValue(floats, part.column)
    if (typeof value === 'string') text += value
    else if (typeof value === 'number' && own === true) text += floatText(value)
    else if (
      typeof value === 'number' &&
      Number.isSafeInteger(value) &&
      (own === undefined || (own !== true && 'whole' in own))
    )
      text += String(value)
    else return undefined
  }
  return text
}

/** The keys with column names or templates. */
export const templatedKeys = [
  'description',
  'doc_to_text',
  'gen_prefix',
  'doc_to_visual',
  'doc_to_audio',
  'doc_to_target',
  'doc_to_choice',
] as const

/** Lists the templates of a task that cannot be read, as `file:line:column  key: message`. */
export function compileTaskTemplates(config: TaskConfig, at: (path: readonly PropertyKey[]) => string): string[] {
  return templatedKeys.flatMap(key => {
    const value = config[key]
    const sources: readonly unknown[] = Array.isArray(value) ? value : [value]
    return sources.flatMap(source => {
      if (typeof source !== 'string') return []
      try {
        compileTemplate(source)
        return []
      } catch (error) {
        return [`${at([key])}  ${key}: ${messageOf(error)}`]
      }
    })
  })
}
