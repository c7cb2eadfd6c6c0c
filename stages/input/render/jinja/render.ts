import { spend } from './budget.js'
import { callable } from './macro.js'
import { evaluate, given, call as callOf } from './evaluate.js'
import { shown } from './print.js'
import { Scope } from './scope.js'
import type { Body, Expression, ForStatement, Statement } from './syntax.js'
import { Loop, Namespace, isTrue, itemsOf, typeName, type Value } from './values.js'

/** The text of a template's statements. @throws Error that says what is not there, or has no value in Python. */
export function renderBody(body: Body, scope: Scope): string {
  let text = ''
  for (const statement of body) {
    const made = renderStatement(statement, scope)
    // Texts that are put together again and again take time by their length.
    spend(1 + made.length / 100)
    text += made
  }
  return text
}

function renderStatement(statement: Statement, scope: Scope): string {
  switch (statement.type) {
    case 'text':
      return statement.text
    case 'output':
      return statement.values.map(value => shown(evaluate(value, scope))).join('')
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
      return shown(throughFilter(statement, scope))
    case 'macro':
      scope.set(statement.name, callable(statement, scope, renderBody))
      return ''
    case 'call-block': {
      const caller = callable({ ...statement, type: 'macro', name: 'caller' }, scope, renderBody)
      const args = given(statement.call.args, scope)
      return shown(
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

/** The text of a block, through a filter. What it sets is its own. */
function throughFilter({ filter, body }: { readonly filter: Expression; readonly body: Body }, scope: Scope): Value {
  const inner = new Scope(scope)
  inner.set('', renderBody(body, new Scope(scope)))
  return evaluate(filter, inner)
}

/** Each round has names of its own; what it sets is gone with it. */
function renderLoop(
  statement: ForStatement,
  scope: Scope,
  at: { readonly depth: number; readonly items?: Value },
): string {
  const { target, over, test, body, otherwise, isRecursive } = statement
  const given = at.items === undefined ? evaluate(over, scope) : at.items
  const items = itemsOf(given).filter(item => test === undefined || isTrue(evaluate(test, within(target, item, scope))))
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
    const items = itemsOf(value)
    if (items.length !== target.items.length)
      throw new Error(`${target.items.length} names are given ${items.length} values`)
    for (const [index, one] of target.items.entries()) assign(one, items[index] ?? null, scope)
  } else if (target.type === 'attribute') {
    const space = evaluate(target.of, scope)
    if (!(space instanceof Namespace)) throw new Error(`only a namespace has fields to set, not ${typeName(space)}`)
    space.fields.set(target.name, value)
  }
}
