import { call as callOf, evaluate, evaluateArguments, Scope, spend } from './evaluate.js'
import { printValue } from './print.js'
import type { Body, Expression, ForStatement, MacroStatement, Statement } from './parse/syntax.js'
import { Callable, isTrue, listItems, Loop, Missing, Namespace, Tuple, typeName, type Value } from './values.js'

/**
 * Renders the statements of a template to text.
 * @throws Error where a name is missing, or Python raises one.
 */
export function renderBody(body: Body, scope: Scope): string {
  let text = ''
  for (const statement of body) {
    const statementText = renderStatement(statement, scope)
    // Texts that are concatenated again and again take time by their length.
    spend(1 + statementText.length / 100)
    text += statementText
  }
  return text
}

function renderStatement(statement: Statement, scope: Scope): string {
  switch (statement.type) {
    case 'text':
      return statement.text
    case 'output':
      return statement.values.map(value => printValue(evaluate(value, scope))).join('')
    case 'if':
      return renderBody(isTrue(evaluate(statement.test, scope)) ? statement.body : statement.otherwise, scope)
    case 'for':
      return renderLoop(statement, scope, { depth: 0 })
    default:
      return renderBlock(statement, scope)
  }
}

function renderBlock(statement: Statement, scope: Scope): string {
  switch (statement.type) {
    case 'set':
      assign(statement.target, evaluate(statement.value, scope), scope)
      return ''
    case 'capture':
      assign(statement.target, throughFilter(statement, scope), scope)
      return ''
    case 'filter-block':
      return printValue(throughFilter(statement, scope))
    case 'macro':
      scope.set(statement.name, callable(statement, scope, renderBody))
      return ''
    case 'call-block': {
      const caller = callable({ ...statement, type: 'macro', name: 'caller' }, scope, renderBody)
      const args = evaluateArguments(statement.call.args, scope)
      return printValue(
        callOf(evaluate(statement.call.of, scope), { ...args, named: new Map([...args.named, ['caller', caller]]) }),
      )
    }
    case 'with':
      return renderWith(statement, scope)
    default:
      throw new Error('internal error: a statement that nobody renders')
  }
}

function renderWith({ bindings, body }: Extract<Statement, { type: 'with' }>, scope: Scope): string {
  const inner = new Scope(scope)
  for (const { target, value } of bindings) assign(target, evaluate(value, scope), inner)
  return renderBody(body, inner)
}

/** Passes the text of a block through a filter. Names that the block sets stay inside it. */
function throughFilter({ filter, body }: { readonly filter: Expression; readonly body: Body }, scope: Scope): Value {
  const inner = new Scope(scope)
  inner.set('', renderBody(body, new Scope(scope)))
  return evaluate(filter, inner)
}

/** Renders a loop. Names that an iteration sets end with it. */
function renderLoop(
  statement: ForStatement,
  scope: Scope,
  at: { readonly depth: number; readonly items?: Value },
): string {
  const { target, over, test, body, otherwise, isRecursive } = statement
  const iterable = at.items === undefined ? evaluate(over, scope) : at.items
  const items = listItems(iterable).filter(
    item => test === undefined || isTrue(evaluate(test, within(target, item, scope))),
  )
  if (items.length === 0) return renderBody(otherwise, new Scope(scope))
  const again = (inner: Value): string => renderLoop(statement, scope, { depth: at.depth + 1, items: inner })
  const loop = new Loop(items, at.depth, isRecursive ? again : undefined)
  let text = ''
  spend(items.length)
  for (const [index, item] of items.entries()) {
    loop.at = index
    const inner = within(target, item, scope)
    inner.set('loop', loop)
    text += renderBody(body, inner)
  }
  return text
}

function within(target: Expression, item: Value, scope: Scope): Scope {
  const inner = new Scope(scope)
  assign(target, item, inner)
  return inner
}

function assign(target: Expression, value: Value, scope: Scope): void {
  if (target.type === 'name') scope.set(target.name, value)
  else if (target.type === 'tuple') {
    const items = listItems(value)
    if (items.length !== target.items.length)
      throw new Error(`${target.items.length} names are given ${items.length} values`)
    for (const [index, itemTarget] of target.items.entries()) assign(itemTarget, items[index] ?? null, scope)
  } else if (target.type === 'attribute') {
    const space = evaluate(target.of, scope)
    if (!(space instanceof Namespace)) throw new Error(`only a namespace has fields to set, not ${typeName(space)}`)
    space.fields.set(target.name, value)
  }
}

/** Makes a macro a function that returns its text. It sees the names around its definition. */
function callable(macro: MacroStatement, around: Scope, render: (body: Body, scope: Scope) => string): Callable {
  const { name, parameters, body } = macro
  const uses = namesIn(body)
  return new Callable(
    name,
    args => {
      const scope = new Scope(around)
      const namedArguments = new Map(args.named)
      for (const [at, { name: own, otherwise }] of parameters.entries()) {
        const value = args.positional[at] ?? null
        if (at < args.positional.length) scope.set(own, value)
        else if (namedArguments.has(own)) scope.set(own, namedArguments.get(own) ?? null)
        else
          scope.set(
            own,
            otherwise === undefined
              ? new Missing(`parameter "${own}" of ${name} was not given`)
              : evaluate(otherwise, scope),
          )
        namedArguments.delete(own)
      }
      setOthers({ scope, uses, name }, args.positional.slice(parameters.length), namedArguments)
      return render(body, scope)
    },
    new Map<string, Value>([
      ['name', name],
      ['arguments', new Tuple(parameters.map(parameter => parameter.name))],
    ]),
  )
}

interface Called {
  readonly scope: Scope
  readonly uses: ReadonlySet<string>
  readonly name: string
}

/**
 * Sets `caller`, `varargs` and `kwargs`.
 * @throws Error if there are arguments that the macro does not use
 */
function setOthers({ scope, uses, name }: Called, more: readonly Value[], namedArguments: Map<string, Value>): void {
  const caller = namedArguments.get('caller')
  if (uses.has('caller')) {
    scope.set('caller', caller === undefined ? new Missing(`${name} is not called by {% call %}`) : caller)
    namedArguments.delete('caller')
  } else if (caller !== undefined) throw new Error(`${name} makes no use of caller`)
  if (uses.has('kwargs')) scope.set('kwargs', new Map(namedArguments))
  else if (namedArguments.size > 0)
    throw new Error(`${name} has no parameter "${[...namedArguments.keys()].join('", "')}"`)
  if (uses.has('varargs')) scope.set('varargs', new Tuple(more))
  else if (more.length > 0) throw new Error(`${name} is given ${more.length} values too many`)
}

/** Collects all names that a part of a template mentions. */
function namesIn(value: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) value.forEach(part => namesIn(part, names))
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value && value.type === 'name' && 'name' in value) names.add(String(value.name))
    Object.values(value).forEach(part => namesIn(part, names))
  }
  return names
}
