import type { Expression } from './syntax.js'
import type { TokenStream } from './token-stream.js'
import { Float, type Value } from './values.js'

export type ParseExpression = (stream: TokenStream) => Expression

const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

/** A name, a literal, or what stands in brackets. */
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
    const { items, isTuple } = listed(stream, ')', parse)
    const [only] = items
    return only !== undefined && !isTuple ? only : { type: 'tuple', items }
  }
  if (stream.skip('operator', '[')) return { type: 'list', items: listed(stream, ']', parse).items }
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

function listed(
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
