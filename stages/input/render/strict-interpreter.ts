import { didYouMean } from '../../../base/suggest.js'
import { Interpreter, type JinjaEnvironment, type JinjaNode, type JinjaValue } from './jinja.js'
import { knownMethods, pythonMethod, regexReplace } from './python-methods.js'
import { pythonText } from './python-text.js'

/**
 * Jinja with `StrictUndefined`: what is not there is an error wherever it is used, unless the template asks with
 * `is defined` or gives a `default`. Values are printed as Python prints them, and some of Python's methods are there that the
 * library does not have.
 */
export class StrictInterpreter extends Interpreter {
  #isAsking = false
  readonly #columns: readonly string[]

  /** `columns` are those of the doc, for messages. */
  constructor(environment: JinjaEnvironment, columns: readonly string[]) {
    super(environment)
    this.#columns = columns
  }

  override evaluate(statement: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue {
    const before = this.#isAsking
    const isName = statement?.type === 'Identifier' || statement?.type === 'MemberExpression'
    this.#isAsking = asks(statement) || (isName && before)
    try {
      const result = this.#called(statement, environment) ?? super.evaluate(statement, environment)
      if (isName && !before && result.type === 'UndefinedValue')
        throw new Error(missing(nameOf(statement), this.#columns))
      return result
    } finally {
      this.#isAsking = before
    }
  }

  override evaluateBlock(statements: readonly JinjaNode[], environment: JinjaEnvironment): JinjaValue {
    let text = ''
    for (const statement of statements) {
      const value = this.evaluate(statement, environment)
      if (!silent.has(statement.type)) text += value.type === 'UndefinedValue' ? '' : pythonText(value)
    }
    return this.#literal(text, environment)
  }

  /** What a call gives that the library does not know; `undefined` where it is none of these. */
  #called(statement: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue | undefined {
    const call = statement === undefined ? undefined : callIn(statement)
    if (call === undefined) return undefined
    const value = (node: JinjaNode): unknown => plain(this.evaluate(node, environment))
    const on = value(call.on)
    const args = (): readonly never[] => call.args.map(node => value(node) as never)
    if (call.name === 'tojson') return this.#literal(htmlSafe(super.evaluate(statement, environment)), environment)
    if (call.kind === 'filter') {
      if (typeof on !== 'string') throw new Error('regex_replace: expected a text')
      const [pattern, replacement, count] = args() as readonly unknown[]
      return this.#literal(regexReplace(on, String(pattern), String(replacement), Number(count ?? 0)), environment)
    }
    const method = pythonMethod(on, call.name)
    return method && this.#literal(method(on as never, ...args()), environment)
  }

  #literal(value: string | number | boolean | readonly string[], environment: JinjaEnvironment): JinjaValue {
    if (typeof value === 'boolean')
      return super.evaluate({ type: 'Identifier', value: value ? 'True' : 'False' }, environment)
    if (typeof value === 'number') return super.evaluate({ type: 'IntegerLiteral', value }, environment)
    if (typeof value === 'string') return super.evaluate({ type: 'StringLiteral', value }, environment)
    return super.evaluate(
      { type: 'ArrayLiteral', value: value.map(item => ({ type: 'StringLiteral', value: item })) },
      environment,
    )
  }
}

/** Statements that print nothing themselves. */
const silent: ReadonlySet<string> = new Set(['Set', 'Macro', 'Comment', 'Break', 'Continue'])

interface Call {
  readonly kind: 'filter' | 'method'
  readonly on: JinjaNode
  readonly name: string
  readonly args: readonly JinjaNode[]
}

/** `on.name(args)`, or `on | regex_replace(args)`. */
function callIn(node: JinjaNode): Call | undefined {
  if (node.type === 'FilterExpression') {
    const { operand, filter } = fieldsOf(node)
    if (!isNode(operand) || !isNode(filter)) return undefined
    if (filter.value === 'tojson') return { kind: 'filter', on: operand, name: 'tojson', args: [] }
    if (filter.type !== 'CallExpression') return undefined
    const { callee, args } = fieldsOf(filter)
    if (!isNode(callee) || callee.value !== 'regex_replace') return undefined
    return { kind: 'filter', on: operand, name: 'regex_replace', args: nodesIn(args) }
  }
  if (node.type !== 'CallExpression') return undefined
  const { callee, args } = fieldsOf(node)
  if (!isNode(callee) || callee.type !== 'MemberExpression') return undefined
  const { object, property, computed } = fieldsOf(callee)
  if (computed === true || !isNode(object) || !isNode(property)) return undefined
  const name = String(property.value)
  return knownMethods.has(name) ? { kind: 'method', on: object, name, args: nodesIn(args) } : undefined
}

const fieldsOf = (node: object): Readonly<Record<string, unknown>> => Object.fromEntries(Object.entries(node))

const isNode = (value: unknown): value is JinjaNode => typeof value === 'object' && value !== null && 'type' in value

/** The values of arguments, also of those that are given by name, in order. */
const nodesIn = (args: unknown): readonly JinjaNode[] =>
  (Array.isArray(args) ? (args as readonly unknown[]) : []).filter(isNode).map(node => {
    const { value } = node
    return node.type === 'KeywordArgumentExpression' && isNode(value) ? value : node
  })

/** Jinja's JSON can stand in a page, and is ASCII. */
const htmlSafe = ({ value }: JinjaValue): string =>
  String(value).replace(/[<>&']|[^\0-\x7f]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A value without what the library puts around it. */
function plain({ type, value }: JinjaValue): unknown {
  return type === 'ArrayValue' || type === 'TupleValue' ? (value as readonly JinjaValue[]).map(plain) : value
}

const missing = (name: string, columns: readonly string[]): string =>
  `"${name}" is not there (the doc has ${columns.join(', ')}).${didYouMean(name, columns)}`

const asking = /^(un)?defined$|^default$|^d$/

function asks(statement: JinjaNode | undefined): boolean {
  if (statement?.type === 'TestExpression') return asking.test(valueIn(statement, 'test'))
  return statement?.type === 'FilterExpression' && asking.test(valueIn(statement, 'filter'))
}

function valueIn(node: object, field: string): string {
  const inner: unknown = Object.entries(node).find(([key]) => key === field)?.[1]
  if (typeof inner !== 'object' || inner === null) return ''
  if ('callee' in inner) return valueIn(inner, 'callee')
  return 'value' in inner && typeof inner.value === 'string' ? inner.value : ''
}

/** `a.b` as it stands in the template. */
function nameOf(node: object): string {
  if ('object' in node && typeof node.object === 'object' && node.object !== null && 'property' in node)
    return `${nameOf(node.object)}.${valueOf(node.property)}`
  return valueOf(node)
}

const valueOf = (node: unknown): string =>
  typeof node === 'object' && node !== null && 'value' in node ? String(node.value) : '[…]'
