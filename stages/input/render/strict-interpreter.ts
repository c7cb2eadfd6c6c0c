import { didYouMean } from '../../../base/suggest.js'
import { Interpreter, type JinjaEnvironment, type JinjaNode, type JinjaValue } from './jinja.js'
import { filterNamed, pythonFilter } from './python-filters.js'
import { knownMethods, pythonMethod } from './python-methods.js'
import { pythonOperator, pythonOperators, type Plain } from './python-operators.js'
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
    if (statement !== undefined && isFound(statement)) return statement.value
    const before = this.#isAsking
    const isName = statement?.type === 'Identifier' || statement?.type === 'MemberExpression'
    this.#isAsking = asks(statement) || (isName && before)
    try {
      const result =
        this.#inPython(statement, environment) ?? super.evaluate(statement && known(statement), environment)
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
    return super.evaluate(literal(text), environment)
  }

  /** What Python makes of an expression that the library does not know, or knows otherwise; `undefined` for all others. */
  #inPython(statement: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue | undefined {
    if (statement?.type === 'BinaryExpression') return this.#operated(statement, environment)
    if (statement?.type === 'MemberExpression') return this.#character(statement, environment)
    const call = statement === undefined ? undefined : callIn(statement)
    if (statement === undefined || call === undefined) return undefined
    return call.kind === 'filter' ? this.#filtered(call, statement, environment) : this.#methodResult(call, environment)
  }

  #operated(node: JinjaNode, environment: JinjaEnvironment): JinjaValue | undefined {
    const { left, right, operator } = fieldsOf(node)
    if (!isNode(left) || !isNode(right) || !isNode(operator)) return undefined
    const name = String(operator.value)
    if (!pythonOperators.has(name)) return undefined
    const [a, b] = [this.evaluate(left, environment), this.evaluate(right, environment)]
    const result = pythonOperator(name, a, b)
    return this.#made(result, environment) ?? super.evaluate({ ...node, ...found({ left: a, right: b }) }, environment)
  }

  /** `text[2]`: the character, not half of it. */
  #character(node: JinjaNode, environment: JinjaEnvironment): JinjaValue | undefined {
    const { object, property, computed } = fieldsOf(node)
    if (computed !== true || !isNode(object) || !isNode(property) || property.type === 'SliceExpression')
      return undefined
    const [text, index] = [this.evaluate(object, environment), this.evaluate(property, environment)]
    if (text.type !== 'StringValue' || index.type !== 'IntegerValue')
      return super.evaluate({ ...node, ...found({ object: text, property: index }) }, environment)
    return this.#made(Array.from(String(text.value)).at(Number(index.value)), environment)
  }

  #filtered(call: Call, statement: JinjaNode, environment: JinjaEnvironment): JinjaValue | undefined {
    if (call.name === 'tojson') return this.#made(htmlSafe(super.evaluate(statement, environment)), environment)
    const filter = pythonFilter(call.name)
    if (filter === undefined) return undefined
    const on = this.evaluate(call.on, environment)
    const args = call.args.map(node => plain(this.evaluate(node, environment)))
    const result = filter(on, args)
    return (
      this.#made(result, environment) ?? super.evaluate({ ...known(statement), ...found({ operand: on }) }, environment)
    )
  }

  #methodResult(call: Call, environment: JinjaEnvironment): JinjaValue | undefined {
    const value = (node: JinjaNode): unknown => plain(this.evaluate(node, environment))
    const on = value(call.on)
    const method = pythonMethod(on, call.name)
    if (method === undefined) return undefined
    const result = method(on as never, ...call.args.map(node => value(node) as never))
    if (typeof result === 'object')
      return super.evaluate(
        { type: 'ArrayLiteral', value: result.map(item => ({ type: 'StringLiteral', value: item })) },
        environment,
      )
    return this.#made(typeof result === 'number' ? { integer: result } : result, environment)
  }

  #made(value: Plain | undefined, environment: JinjaEnvironment): JinjaValue | undefined {
    return value === undefined ? undefined : super.evaluate(literal(value), environment)
  }
}

const literal = (value: Plain): JinjaNode => {
  if (typeof value === 'string') return { type: 'StringLiteral', value }
  if (typeof value === 'boolean') return { type: 'Identifier', value: value ? 'True' : 'False' }
  return 'integer' in value
    ? { type: 'IntegerLiteral', value: value.integer }
    : { type: 'FloatLiteral', value: value.float }
}

interface FoundNode {
  readonly type: 'FoundValue'
  readonly value: JinjaValue
}

const isFound = (node: JinjaNode): node is FoundNode => node.type === 'FoundValue'

/** Parts of an expression that were evaluated, to stand in it in their place: else each level of nesting would do so twice. */
const found = (parts: Readonly<Record<string, JinjaValue>>): Readonly<Record<string, FoundNode>> =>
  Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, { type: 'FoundValue', value }]))

/** The same filter under the name that the library has for it. */
function known(statement: JinjaNode): JinjaNode {
  if (statement.type !== 'FilterExpression') return statement
  const { filter } = fieldsOf(statement)
  if (!isNode(filter)) return statement
  const { callee } = fieldsOf(filter)
  const name = String(isNode(callee) ? callee.value : filter.value)
  if (filterNamed(name) === name) return statement
  const named = { type: 'Identifier', value: filterNamed(name) }
  return { ...statement, filter: isNode(callee) ? { ...filter, callee: named } : named } as JinjaNode
}

/** Statements that print nothing themselves. */
const silent: ReadonlySet<string> = new Set(['Set', 'Macro', 'Comment', 'Break', 'Continue'])

interface Call {
  readonly kind: 'filter' | 'method'
  readonly on: JinjaNode
  readonly name: string
  readonly args: readonly JinjaNode[]
}

/** `on.name(args)`, or `on | name(args)`. */
function callIn(node: JinjaNode): Call | undefined {
  if (node.type === 'FilterExpression') {
    const { operand, filter } = fieldsOf(node)
    if (!isNode(operand) || !isNode(filter)) return undefined
    if (filter.type === 'Identifier')
      return { kind: 'filter', on: operand, name: filterNamed(String(filter.value)), args: [] }
    const { callee, args } = fieldsOf(filter)
    return isNode(callee)
      ? { kind: 'filter', on: operand, name: filterNamed(String(callee.value)), args: nodesIn(args) }
      : undefined
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
