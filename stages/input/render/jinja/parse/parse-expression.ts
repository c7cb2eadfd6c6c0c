import type { Comparison, Expression } from './syntax.js'
import { parsePrimary, withFilters, withPostfixes } from './parse-operand.js'
import type { TokenStream } from './tokens.js'

/** Parses an expression by the operator precedences of Python's Jinja. */
export function parseExpression(stream: TokenStream, withoutCondition = false): Expression {
  let value = parseOr(stream)
  if (withoutCondition) return value
  while (stream.skip('name', 'if')) {
    const test = parseOr(stream)
    const otherwise = stream.skip('name', 'else') ? parseExpression(stream) : undefined
    value = { type: 'condition', test, then: value, ...(otherwise === undefined ? {} : { otherwise }) }
  }
  return value
}

function parseOr(stream: TokenStream): Expression {
  let left = parseAnd(stream)
  while (stream.skip('name', 'or')) left = { type: 'or', left, right: parseAnd(stream) }
  return left
}

function parseAnd(stream: TokenStream): Expression {
  let left = parseNot(stream)
  while (stream.skip('name', 'and')) left = { type: 'and', left, right: parseNot(stream) }
  return left
}

function parseNot(stream: TokenStream): Expression {
  if (stream.skip('name', 'not')) return { type: 'not', of: parseNot(stream) }
  return parseComparison(stream)
}

const comparing: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>='])

function parseComparison(stream: TokenStream): Expression {
  const first = parseSum(stream)
  const rest: Comparison[] = []
  for (;;) {
    const operator = comparison(stream)
    if (operator === undefined) break
    rest.push({ operator, to: parseSum(stream) })
  }
  return rest.length === 0 ? first : { type: 'comparison', first, rest }
}

function comparison(stream: TokenStream): string | undefined {
  const { type, value } = stream.now
  if (type === 'operator' && comparing.has(value)) return stream.next().value
  if (stream.skip('name', 'in')) return 'in'
  if (!stream.is('name', 'not') || !stream.isNext('name', 'in')) return undefined
  stream.next()
  stream.next()
  return 'not in'
}

function parseSum(stream: TokenStream): Expression {
  return leftToRight(stream, ['+', '-'], parseConcatenation)
}

function parseConcatenation(stream: TokenStream): Expression {
  const parts = [parseProduct(stream)]
  while (stream.skip('operator', '~')) parts.push(parseProduct(stream))
  const [only] = parts
  return only !== undefined && parts.length === 1 ? only : { type: 'concatenation', parts }
}

function parseProduct(stream: TokenStream): Expression {
  return leftToRight(stream, ['*', '/', '//', '%'], inner => leftToRight(inner, ['**'], parseUnary))
}

function leftToRight(
  stream: TokenStream,
  operators: readonly string[],
  parse: (stream: TokenStream) => Expression,
): Expression {
  let left = parse(stream)
  while (stream.now.type === 'operator' && operators.includes(stream.now.value)) {
    const operator = stream.next().value
    left = { type: 'arithmetic', operator, left, right: parse(stream) }
  }
  return left
}

function parseUnary(stream: TokenStream): Expression {
  return withFilters(stream, parseSignedOperand(stream), parseExpression)
}

/** A sign binds tighter than a filter. */
function parseSignedOperand(stream: TokenStream): Expression {
  if (stream.skip('operator', '-'))
    return withPostfixes(stream, { type: 'negative', of: parseSignedOperand(stream) }, parseExpression)
  if (stream.skip('operator', '+'))
    return withPostfixes(stream, { type: 'positive', of: parseSignedOperand(stream) }, parseExpression)
  return withPostfixes(stream, parsePrimary(stream, parseExpression), parseExpression)
}

/** Parses one expression, or a tuple of several separated by commas. */
export function parseTuple(stream: TokenStream): Expression {
  const first = parseExpression(stream)
  if (!stream.is('operator', ',')) return first
  const items = [first]
  while (stream.skip('operator', ',')) {
    if (stream.now.type === 'end' || stream.is('operator', ')')) break
    items.push(parseExpression(stream))
  }
  return { type: 'tuple', items }
}

/**
 * Parses the target of an assignment: a name, names separated by commas, or the field of a namespace where
 * `mayBeField` is set.
 */
export function parseTarget(stream: TokenStream, mayBeField = false): Expression {
  const items: Expression[] = []
  do {
    if (items.length > 0 && (stream.is('name', 'in') || stream.is('operator', '='))) break
    items.push(oneTarget(stream, mayBeField))
  } while (stream.skip('operator', ','))
  const [only] = items
  const isTuple = items.length > 1 || stream.before === ','
  return only !== undefined && !isTuple ? only : { type: 'tuple', items }
}

function oneTarget(stream: TokenStream, mayBeField: boolean): Expression {
  if (stream.skip('operator', '(')) {
    const inner = parseTarget(stream)
    stream.expect('operator', ')')
    return inner
  }
  const name = stream.expect('name').value
  if (mayBeField && stream.skip('operator', '.'))
    return { type: 'attribute', of: { type: 'name', name }, name: stream.expect('name').value }
  return { type: 'name', name }
}
