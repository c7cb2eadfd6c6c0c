import { didYouMean } from '../../../../../base/text/suggest.js'
import { type Body, captured, type Expression, type Parameter, type Statement } from './syntax.js'
import { parseExpression, parseTarget, parseTuple } from './parse-expression.js'
import { parseFilter, withFilters } from './parse-operand.js'
import { tokenize, TokenStream } from './tokens.js'

/**
 * Parses a template to a syntax tree. Begin here to read how templates are parsed.
 * @throws Error with the line in the template.
 */
export function parseTemplate(source: string): Body {
  const stream = new TokenStream(tokenize(source))
  const { body } = parseBody(stream, [])
  return body
}

/** Parses statements up to one of `ends`, and consumes it. */
function parseBody(stream: TokenStream, ends: readonly string[]): { readonly body: Body; readonly end: string } {
  const body: Statement[] = []
  for (;;) {
    const { type, value } = stream.next()
    if (type === 'eof') {
      if (ends.length === 0) return { body, end: '' }
      throw new Error(`the template ends within {% … %}: an {% if %} or {% for %} has no end (${ends.join(' or ')})`)
    }
    if (type === 'text') body.push({ type: 'text', text: value })
    else if (value === '{{') body.push(parseOutput(stream))
    else {
      const name = stream.expect('name').value
      if (ends.includes(name)) return { body, end: name }
      body.push(statement(name, stream, ends))
    }
  }
}

function parseOutput(stream: TokenStream): Statement {
  const value = parseTuple(stream)
  stream.expect('end', '}}')
  return { type: 'output', values: [value] }
}

type Parser = (stream: TokenStream) => Statement

const statements: Readonly<Record<string, Parser>> = {
  if: parseIf,
  for: parseFor,
  set: parseSet,
  macro: parseMacro,
  call: parseCall,
  filter(stream) {
    const filter = withFilters(stream, parseFilter(stream, captured, parseExpression), parseExpression)
    return { type: 'filter-block', filter, body: bodyUntil(stream, 'endfilter') }
  },
  with: parseWith,
  block: parseBlock,
  print(stream) {
    const values = [parseExpression(stream)]
    while (stream.skip('operator', ',')) values.push(parseExpression(stream))
    stream.expect('end')
    return { type: 'output', values }
  },
}

function statement(name: string, stream: TokenStream, ends: readonly string[]): Statement {
  const parse = Object.hasOwn(statements, name) ? statements[name] : undefined
  if (parse !== undefined) return parse(stream)
  if (/^(end|else$|elif$)/.test(name)) {
    const expected = ends.length === 0 ? '' : `: expected {% ${ends.join(' %} or {% ')} %}`
    throw new Error(`{% ${name} %} ends nothing here${expected}`)
  }
  if (/^(extends|include|import|from)$/.test(name))
    throw new Error(
      `{% ${name} %} needs another template: a task's template is one text. Write here what is in the other one`,
    )
  throw new Error(`no {% ${name} %}.${didYouMean(name, [...Object.keys(statements), 'raw', ...ends])}`)
}

/** Parses the statements of a block up to its end. */
function bodyUntil(stream: TokenStream, end: string): Body {
  stream.expect('end', '%}')
  const { body } = parseBody(stream, [end])
  // `{% endmacro name %}` may repeat the macro's name.
  if (end === 'endmacro' && stream.now.type === 'name') stream.next()
  stream.expect('end', '%}')
  return body
}

function parseIf(stream: TokenStream): Statement {
  const test = parseExpression(stream)
  stream.expect('end', '%}')
  const { body, end } = parseBody(stream, ['elif', 'else', 'endif'])
  if (end === 'elif') return { type: 'if', test, body, otherwise: [parseIf(stream)] }
  const otherwise = end === 'else' ? bodyUntil(stream, 'endif') : []
  if (end === 'endif') stream.expect('end', '%}')
  return { type: 'if', test, body, otherwise }
}

function parseFor(stream: TokenStream): Statement {
  const target = parseTarget(stream)
  stream.expect('name', 'in')
  const over = parseOver(stream)
  const test = stream.skip('name', 'if') ? parseExpression(stream) : undefined
  const isRecursive = stream.skip('name', 'recursive')
  stream.expect('end', '%}')
  const { body, end } = parseBody(stream, ['else', 'endfor'])
  const otherwise = end === 'else' ? bodyUntil(stream, 'endfor') : []
  if (end === 'endfor') stream.expect('end', '%}')
  return { type: 'for', target, over, ...(test === undefined ? {} : { test }), body, otherwise, isRecursive }
}

/** `a if b` is not part of the expression: the condition belongs to the loop. */
function parseOver(stream: TokenStream): Expression {
  const items = [parseExpression(stream, true)]
  while (stream.skip('operator', ',')) items.push(parseExpression(stream, true))
  const [only] = items
  return only !== undefined && items.length === 1 ? only : { type: 'tuple', items }
}

function parseSet(stream: TokenStream): Statement {
  const target = parseTarget(stream, true)
  if (stream.skip('operator', '=')) {
    const value = parseTuple(stream)
    stream.expect('end', '%}')
    return { type: 'set', target, value }
  }
  const filter = withFilters(stream, captured, parseExpression)
  return { type: 'capture', target, filter, body: bodyUntil(stream, 'endset') }
}

function parseParameters(stream: TokenStream): readonly Parameter[] {
  const parameters: Parameter[] = []
  stream.expect('operator', '(')
  while (!stream.is('operator', ')')) {
    const name = stream.expect('name').value
    if (stream.skip('operator', '=')) parameters.push({ name, otherwise: parseExpression(stream) })
    else if (parameters.some(({ otherwise }) => otherwise !== undefined))
      throw new Error(`parameter "${name}" has no default and follows one that has`)
    else parameters.push({ name })
    if (!stream.skip('operator', ',')) break
  }
  stream.expect('operator', ')')
  return parameters
}

function parseMacro(stream: TokenStream): Statement {
  const name = stream.expect('name').value
  const parameters = parseParameters(stream)
  return { type: 'macro', name, parameters, body: bodyUntil(stream, 'endmacro') }
}

/** A block has no effect: nothing can override it, since there is no other template. */
function parseBlock(stream: TokenStream): Statement {
  const name = stream.expect('name').value
  if (stream.blocks.has(name)) throw new Error(`there are two {% block ${name} %}`)
  stream.blocks.add(name)
  stream.skip('name', 'scoped')
  stream.expect('end', '%}')
  const { body } = parseBody(stream, ['endblock'])
  if (stream.now.type === 'name') stream.expect('name', name)
  stream.expect('end', '%}')
  return { type: 'with', bindings: [], body }
}

function parseCall(stream: TokenStream): Statement {
  const parameters = stream.is('operator', '(') ? parseParameters(stream) : []
  const call = parseExpression(stream)
  if (call.type !== 'call') throw stream.refusal('{% call %} needs the call of a macro')
  return { type: 'call-block', parameters, call, body: bodyUntil(stream, 'endcall') }
}

function parseWith(stream: TokenStream): Statement {
  const bindings: { readonly target: Expression; readonly value: Expression }[] = []
  while (stream.now.type !== 'end') {
    if (bindings.length > 0) stream.expect('operator', ',')
    const target: Expression = { type: 'name', name: stream.expect('name').value }
    stream.expect('operator', '=')
    bindings.push({ target, value: parseExpression(stream) })
  }
  return { type: 'with', bindings, body: bodyUntil(stream, 'endwith') }
}
