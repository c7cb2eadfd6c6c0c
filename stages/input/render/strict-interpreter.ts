import { didYouMean } from '../../../base/suggest.js'
import { Interpreter, type JinjaEnvironment, type JinjaNode, type JinjaValue } from './jinja.js'

/**
 * Jinja with `StrictUndefined`: what is not there is an error wherever it is used, unless the template asks with
 * `is defined` or gives a `default`.
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
      const result = super.evaluate(statement, environment)
      if (isName && !before && result.type === 'UndefinedValue')
        throw new Error(missing(nameOf(statement), this.#columns))
      return result
    } finally {
      this.#isAsking = before
    }
  }
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
