import type { FloatFields } from '../datasets/floats.js'
import type { Doc } from '../tasks/doc.js'
import { withFloats } from './float-values.js'
import { freeVariables, type FreeVariables } from './free-variables.js'
import { Environment, parse, tokenize, type JinjaEnvironment, type JinjaNode, type JinjaProgram } from './jinja.js'
import { checkNames } from './known-names.js'
import { floatText } from './python-text.js'
import { StrictInterpreter } from './strict-interpreter.js'

/** A Jinja template, read once and rendered for every doc. */
export interface Template {
  readonly source: string
  readonly variables: FreeVariables
  /** @throws Error that names the variable which the doc does not have. */
  render(doc: Doc): string
}

/**
 * Reads a template as Python's Jinja does with its defaults: one newline at the end is dropped, blocks keep the white
 * space around them, an unknown variable is an error.
 *
 * Values are printed as Python prints them: `True`, `None`, `['a', 'b']`.
 *
 * @param floats which numbers of a doc are floating-point ones, so that 5 is printed as `5.0`
 *
 * @throws Error where it can't be parsed, or names a filter or test that there is not.
 */
export function compileTemplate(source: string, floats: FloatFields = {}): Template {
  const program = parsed(source)
  const variables = freeVariables(program)
  const names = [...variables.required, ...variables.optional]
  const interpret = (doc: Doc): string => {
    const environment = environmentOf(doc, names, floats)
    const { value } = new StrictInterpreter(environment, Object.keys(doc)).run(program)
    return String(value)
  }
  const parts = plainParts(program.body)
  return {
    source,
    variables,
    render: parts === undefined ? interpret : doc => renderPlain(parts, doc, floats) ?? interpret(doc),
  }
}

function parsed(source: string): JinjaProgram {
  const tokens = tokenize(source, { lstrip_blocks: false, trim_blocks: false })
  try {
    const program = parse(tokens)
    checkNames(program)
    return program
  } catch (error) {
    // The parser looks behind the last token there.
    if (error instanceof TypeError)
      throw new Error('the template ends within {% … %}: an {% if %} or {% for %} has no end', { cause: error })
    throw error
  }
}

function environmentOf(doc: Doc, names: readonly string[], floats: FloatFields): JinjaEnvironment {
  const environment = new Environment()
  for (const [name, value] of globals) environment.set(name, value)
  for (const name of names) {
    if (doc[name] === undefined) continue
    environment.set(name, doc[name])
    const own = floats[name]
    if (own !== undefined) environment.setVariable(name, withFloats(environment.lookupVariable(name), own))
  }
  return environment
}

// No clock among them: a prompt must not depend on when it was made.
const globals: readonly (readonly [string, unknown])[] = [
  ...(['true', 'True'] as const).map(name => [name, true] as const),
  ...(['false', 'False'] as const).map(name => [name, false] as const),
  ...(['none', 'None'] as const).map(name => [name, null] as const),
  ['range', range],
  [
    'raise_exception',
    (message: unknown) => {
      throw new Error(String(message))
    },
  ],
]

function range(from: number, to?: number, step = 1): number[] {
  const [first, end] = to === undefined ? [0, from] : [from, to]
  return Array.from({ length: Math.max(0, Math.ceil((end - first) / step)) }, (_, index) => first + index * step)
}

type Part = { readonly text: string } | { readonly column: string }

/** The parts of a template that does nothing but put columns between texts; `undefined` for any other. */
function plainParts(body: readonly JinjaNode[]): readonly Part[] | undefined {
  const parts: Part[] = []
  for (const { type, value } of body) {
    if (typeof value !== 'string') return undefined
    if (type === 'StringLiteral') parts.push({ text: value })
    else if (type === 'Identifier' && !globals.some(([name]) => name === value)) parts.push({ column: value })
    else return undefined
  }
  return parts
}

/** The same text as the interpreter makes, for texts and whole numbers; `undefined` where a value is another. */
function renderPlain(parts: readonly Part[], doc: Doc, floats: FloatFields): string | undefined {
  let text = ''
  for (const part of parts) {
    if ('text' in part) {
      text += part.text
      continue
    }
    const value = doc[part.column]
    const own = floats[part.column]
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
