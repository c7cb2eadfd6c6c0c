import { didYouMean } from '../../../../base/suggest.js'
import { filterNames, leftOut, testNames } from './known-names.js'
import { parsePrimary, type ParseExpression } from './parse-primary.js'
import type { CallArguments, Expression } from './syntax.js'
import type { TokenStream } from './token-stream.js'

/** `.name`, `[…]` and `(…)` behind a value. */
export function withPostfixes(stream: TokenStream, value: Expression, parse: ParseExpression): Expression {
  let result = value
  for (;;) {
    if (stream.skip('operator', '.')) result = attribute(stream, result)
    else if (stream.skip('operator', '[')) result = subscript(stream, result, parse)
    else if (stream.is('operator', '(')) result = { type: 'call', of: result, args: parseArguments(stream, parse) }
    else return result
  }
}

/** `| filter` and `is test` behind a value. */
export function withFilters(stream: TokenStream, value: Expression, parse: ParseExpression): Expression {
  let result = value
  for (;;) {
    if (stream.skip('operator', '|')) result = parseFilter(stream, result, parse)
    else if (stream.skip('name', 'is')) result = parseTest(stream, result, parse)
    else if (stream.is('operator', '(')) result = { type: 'call', of: result, args: parseArguments(stream, parse) }
    else return result
  }
}

const noArguments: CallArguments = { positional: [], named: [] }

/** @throws Error where there is no such filter. */
export function parseFilter(stream: TokenStream, of: Expression, parse: ParseExpression): Expression {
  const name = stream.expect('name').value
  const why = Object.hasOwn(leftOut, name) ? leftOut[name] : undefined
  if (why !== undefined) throw new Error(`the filter "${name}" is not there: ${why}`)
  if (!filterNames.includes(name)) throw new Error(`no filter "${name}".${didYouMean(name, filterNames)}`)
  return { type: 'filter', of, name, args: stream.is('operator', '(') ? parseArguments(stream, parse) : noArguments }
}

function parseTest(stream: TokenStream, of: Expression, parse: ParseExpression): Expression {
  const isNegated = stream.skip('name', 'not')
  const name = stream.expect('name').value
  if (!testNames.includes(name)) throw new Error(`no test "${name}".${didYouMean(name, testNames)}`)
  const test: Expression = { type: 'test', of, name, args: testArguments(stream, parse) }
  return isNegated ? { type: 'not', of: test } : test
}

/** In brackets, or one value without. */
function testArguments(stream: TokenStream, parse: ParseExpression): CallArguments {
  if (stream.is('operator', '(')) return parseArguments(stream, parse)
  const { type, value } = stream.now
  const isValue =
    type === 'string' ||
    type === 'integer' ||
    type === 'float' ||
    (type === 'operator' && (value === '[' || value === '{'))
  const isName = type === 'name' && !['else', 'or', 'and', 'if', 'in', 'not', 'recursive'].includes(value)
  if (isName && value === 'is') throw stream.refusal('tests with "is" can\'t be chained: expected the end of one')
  if (!isValue && !isName) return noArguments
  return { positional: [withPostfixes(stream, parsePrimary(stream, parse), parse)], named: [] }
}

function attribute(stream: TokenStream, of: Expression): Expression {
  if (stream.now.type === 'integer')
    return { type: 'item', of, at: { type: 'constant', value: Number(stream.next().value) } }
  return { type: 'attribute', of, name: stream.expect('name').value }
}

function subscript(stream: TokenStream, of: Expression, parse: ParseExpression): Expression {
  const items: Expression[] = []
  while (!stream.is('operator', ']')) {
    items.push(subscribed(stream, parse))
    if (!stream.skip('operator', ',')) break
  }
  stream.expect('operator', ']')
  const [only] = items
  return { type: 'item', of, at: only !== undefined && items.length === 1 ? only : { type: 'tuple', items } }
}

function subscribed(stream: TokenStream, parse: ParseExpression): Expression {
  const isEnd = (): boolean => [':', ']', ','].some(sign => stream.is('operator', sign))
  const bound = (): Expression | undefined => (isEnd() ? undefined : parse(stream))
  const from = bound()
  if (!stream.skip('operator', ':')) {
    if (from === undefined) throw stream.refusal('expected an index')
    return from
  }
  const to = bound()
  const step = stream.skip('operator', ':') ? bound() : undefined
  return {
    type: 'slice',
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(step === undefined ? {} : { step }),
  }
}

function parseArguments(stream: TokenStream, parse: ParseExpression): CallArguments {
  stream.expect('operator', '(')
  const positional: Expression[] = []
  const named: (readonly [string, Expression])[] = []
  const spreads: { spread?: Expression; spreadNamed?: Expression } = {}
  while (!stream.is('operator', ')')) {
    if (stream.skip('operator', '*')) spreads.spread = parse(stream)
    else if (stream.skip('operator', '**')) spreads.spreadNamed = parse(stream)
    else if (stream.now.type === 'name' && stream.isNext('operator', '=')) {
      const name = stream.next().value
      stream.next()
      named.push([name, parse(stream)])
    } else if (named.length > 0 || spreads.spread !== undefined || spreads.spreadNamed !== undefined)
      throw stream.refusal("a value without a name can't follow named ones: expected a name")
    else positional.push(parse(stream))
    if (!stream.skip('operator', ',')) break
  }
  stream.expect('operator', ')')
  return { positional, named, ...spreads }
}
