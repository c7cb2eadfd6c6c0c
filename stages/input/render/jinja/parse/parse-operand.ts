import { didYouMean } from '../../../../../base/text/suggest.js'
import { checkFilterName, testNames } from '../filters.js'
import type { CallArguments, Expression } from './syntax.js'
import { Float, type Value } from '../values.js'
import type { TokenStream } from './tokens.js'

/** Parses `.name`, `[…]` and `(…)` behind a value. */
export function withPostfixes(stream: TokenStream, value: Expression, parse: ParseExpression): Expression {
  let result = value
  for (;;) {
    if (stream.skip('operator', '.')) result = attribute(stream, result)
    else if (stream.skip('operator', '[')) result = subscript(stream, result, parse)
    else if (stream.is('operator', '(')) result = { type: 'call', of: result, args: parseArguments(stream, parse) }
    else return result
  }
}

/** Parses `| filter` and `is test` behind a value. */
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

/** @throws Error where the filter is unknown or not supported. */
export function parseFilter(stream: TokenStream, of: Expression, parse: ParseExpression): Expression {
  const name = stream.expect('name').value
  checkFilterName(name)
  return { type: 'filter', of, name, args: stream.is('operator', '(') ? parseArguments(stream, parse) : noArguments }
}

function parseTest(stream: TokenStream, of: Expression, parse: ParseExpression): Expression {
  const isNegated = stream.skip('name', 'not')
  const name = stream.expect('name').value
  if (!testNames.includes(name)) throw new Error(`no test "${name}".${didYouMean(name, testNames)}`)
  const test: Expression = { type: 'test', of, name, args: testArguments(stream, parse) }
  return isNegated ? { type: 'not', of: test } : test
}

/** Parses the arguments of a test: in parentheses, or a single value without. */
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
    items.push(parseSubscript(stream, parse))
    if (!stream.skip('operator', ',')) break
  }
  stream.expect('operator', ']')
  const [only] = items
  return { type: 'item', of, at: only !== undefined && items.length === 1 ? only : { type: 'tuple', items } }
}

function parseSubscript(stream: TokenStream, parse: ParseExpression): Expression {
  const isEnd = (): boolean => [':', ']', ','].some(sign => stream.is('operator', sign))
  const parseSliceBound = (): Expression | undefined => (isEnd() ? undefined : parse(stream))
  const from = parseSliceBound()
  if (!stream.skip('operator', ':')) {
    if (from === undefined) throw stream.refusal('expected an index')
    return from
  }
  const to = parseSliceBound()
  const step = stream.skip('operator', ':') ? parseSliceBound() : undefined
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

type ParseExpression = (stream: TokenStream) => Expression

const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

/** Parses a name, a literal, or an expression in brackets. */
export function parsePrimary(stream: TokenStream, parse: ParseExpression): Expression {
  const { type, value } = stream.now
  switch (type) {
    case 'name': {
      stream.next()
      const constant = constants.get(value)
      return constant === undefined ? { type: 'name', name: value } : { type: 'constant', value: constant }
    }
    case 'string':
      return { type: 'constant', value: joinedTexts(stream) }
    case 'integer':
      stream.next()
      return { type: 'constant', value: wholeNumber(value) }
    case 'float':
      stream.next()
      return { type: 'constant', value: new Float(Number(value.replaceAll('_', ''))) }
    default:
      return parseBrackets(stream, parse)
  }
}

function joinedTexts(stream: TokenStream): string {
  let text = ''
  while (stream.now.type === 'string') text += stream.next().value
  return text
}

function wholeNumber(source: string): number {
  const value = Number(source.replaceAll('_', ''))
  if (!Number.isSafeInteger(value)) throw new Error(`${source} is too large a number`)
  return value
}

function parseBrackets(stream: TokenStream, parse: ParseExpression): Expression {
  if (stream.skip('operator', '(')) {
    const { items, isTuple } = parseItems(stream, ')', parse)
    const [only] = items
    return only !== undefined && !isTuple ? only : { type: 'tuple', items }
  }
  if (stream.skip('operator', '[')) return { type: 'list', items: parseItems(stream, ']', parse).items }
  if (!stream.skip('operator', '{')) throw stream.refusal('expected a value')
  const pairs: (readonly [Expression, Expression])[] = []
  while (!stream.is('operator', '}')) {
    const key = parse(stream)
    stream.expect('operator', ':')
    pairs.push([key, parse(stream)])
    if (!stream.skip('operator', ',')) break
  }
  stream.expect('operator', '}')
  return { type: 'dict', pairs }
}

function parseItems(
  stream: TokenStream,
  end: string,
  parse: ParseExpression,
): { readonly items: readonly Expression[]; readonly isTuple: boolean } {
  const items: Expression[] = []
  let isTuple = false
  while (!stream.is('operator', end)) {
    items.push(parse(stream))
    if (!stream.skip('operator', ',')) break
    isTuple = true
  }
  stream.expect('operator', end)
  return { items, isTuple }
}
