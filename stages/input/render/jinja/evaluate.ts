import { didYouMean } from '../../../../base/text/suggest.js'
import { applyFilter, passesTest } from './filters.js'
import { environmentField, environmentItem, sliceValue } from './items.js'
import { nearestMethod } from './methods.js'
import { computeArithmetic, compare, concatenateValues, negateValue } from './operators.js'
import { printValue } from './print.js'
import type { Call, CallArguments, Expression } from './parse/syntax.js'
import {
  type Arguments,
  Callable,
  isTrue,
  listItems,
  Loop,
  Missing,
  type Names,
  numberIn,
  requirePresent,
  Range,
  Tuple,
  typeName,
  type Value,
} from './values.js'

type Of<Type> = Extract<Expression, { readonly type: Type }>

/**
 * Evaluates an expression in a scope.
 * @throws Error where Python raises one.
 */
export function evaluate(expression: Expression, scope: Scope): Value {
  const value = computeValue(expression, scope)
  spend(1 + computeWeight(value))
  return value
}

/** Work on a long value takes time by its length. */
function computeWeight(value: Value): number {
  if (typeof value === 'string') return value.length / 100
  const items = Array.isArray(value) ? value : value instanceof Tuple || value instanceof Range ? value.items : []
  return items.length / 4
}

function computeValue(expression: Expression, scope: Scope): Value {
  switch (expression.type) {
    case 'constant':
      return expression.value
    case 'name': {
      const value = scope.get(expression.name)
      return value === undefined ? scope.missing(expression.name) : value
    }
    case 'attribute': {
      const value = environmentField(evaluate(expression.of, scope), expression.name)
      return value instanceof Missing ? scope.missing(formatPath(expression)) : value
    }
    case 'item':
      return item(expression, scope)
    case 'call':
      return evaluateCall(expression, scope)
    case 'filter': {
      const args = evaluateArguments(expression.args, scope)
      return applyFilter(expression.name, evaluate(expression.of, scope), { args, names })
    }
    case 'test':
      return passesTest(
        expression.name,
        evaluate(expression.of, scope),
        evaluateArguments(expression.args, scope).positional,
      )
    default:
      return evaluateOperation(expression, scope)
  }
}

/** Lets filters such as `map` and `select` call other filters and tests. */
const names: Names = {
  filter: (name, on, args) => applyFilter(name, on, { args, names }),
  test: (name, on, { positional }) => passesTest(name, on, positional),
}

function evaluateOperation(expression: Expression, scope: Scope): Value {
  const value = (inner: Expression): Value => evaluate(inner, scope)
  switch (expression.type) {
    case 'not':
      return !isTrue(value(expression.of))
    case 'negative':
      return negateValue(value(expression.of))
    case 'positive':
      return positive(value(expression.of))
    case 'arithmetic':
      return computeArithmetic(expression.operator, value(expression.left), value(expression.right))
    case 'concatenation':
      return concatenateValues(expression.parts.map(value))
    case 'comparison':
      return evaluateComparison(expression, scope)
    case 'and':
    case 'or': {
      const left = value(expression.left)
      return isTrue(left) === (expression.type === 'and') ? value(expression.right) : left
    }
    case 'condition':
      if (isTrue(value(expression.test))) return value(expression.then)
      return expression.otherwise === undefined
        ? new Missing('the condition is false and there is no else', true)
        : value(expression.otherwise)
    default:
      return evaluateCollection(expression, scope)
  }
}

function evaluateCollection(expression: Expression, scope: Scope): Value {
  switch (expression.type) {
    case 'list':
      return expression.items.map(member => evaluate(member, scope))
    case 'tuple':
      return new Tuple(expression.items.map(member => evaluate(member, scope)))
    case 'dict':
      return new Map(
        expression.pairs.map(([key, entryValue]) => [
          requirePresent(evaluate(key, scope)),
          evaluate(entryValue, scope),
        ]),
      )
    default:
      throw new Error('[from:to] stands behind a list or text')
  }
}

function positive(value: Value): Value {
  const presentValue = requirePresent(value)
  if (numberIn(presentValue) === undefined) throw new Error(`${typeName(presentValue)} takes no sign`)
  return typeof presentValue === 'boolean' ? Number(presentValue) : presentValue
}

/** Evaluates `1 < n < 9`, which compares each value with the next. */
function evaluateComparison({ first, rest }: Of<'comparison'>, scope: Scope): boolean {
  let left = evaluate(first, scope)
  for (const { operator, to } of rest) {
    const right = evaluate(to, scope)
    if (!compare(operator, left, right)) return false
    left = right
  }
  return true
}

function item({ of, at }: Of<'item'>, scope: Scope): Value {
  const on = requirePresent(evaluate(of, scope))
  if (at.type === 'slice') {
    const evaluateBound = (part: Expression | undefined): Value => (part === undefined ? null : evaluate(part, scope))
    return sliceValue(on, [evaluateBound(at.from), evaluateBound(at.to), evaluateBound(at.step)])
  }
  const value = environmentItem(on, requirePresent(evaluate(at, scope)))
  return value instanceof Missing ? scope.missing(formatPath({ type: 'item', of, at })) : value
}

function evaluateCall({ of, args }: Call, scope: Scope): Value {
  const on = of.type === 'attribute' ? requirePresent(evaluate(of.of, scope)) : undefined
  const callee = on === undefined || of.type !== 'attribute' ? evaluate(of, scope) : environmentField(on, of.name)
  if (callee instanceof Missing && on !== undefined && of.type === 'attribute')
    throw new Error(`${typeName(on)} has no method "${of.name}".${nearestMethod(on, of.name)}`)
  return call(callee, evaluateArguments(args, scope))
}

/** @throws Error where the value is not a function. */
export function call(value: Value, args: Arguments): Value {
  const callee = requirePresent(value)
  if (callee instanceof Callable) return callee.call(args)
  const [items] = args.positional
  if (callee instanceof Loop && callee.again !== undefined && items !== undefined) return callee.again(items)
  throw new Error(`${typeName(callee)} is no function`)
}

export function evaluateArguments({ positional, named, spread, spreadNamed }: CallArguments, scope: Scope): Arguments {
  const more = spread === undefined ? [] : listItems(evaluate(spread, scope))
  const dict = spreadNamed === undefined ? new Map<Value, Value>() : evaluate(spreadNamed, scope)
  if (!(dict instanceof Map)) throw new Error('** needs a dictionary')
  return {
    positional: [...positional.map(argument => evaluate(argument, scope)), ...more],
    named: new Map([
      ...named.map(([name, argument]) => [name, evaluate(argument, scope)] as const),
      ...[...dict].map(([name, value]) => [printValue(name), value] as const),
    ]),
  }
}

/** Returns `a.b` as the template spells it. */
function formatPath(expression: Expression): string {
  if (expression.type === 'name') return expression.name
  if (expression.type === 'attribute') return `${formatPath(expression.of)}.${expression.name}`
  if (expression.type === 'item') return `${formatPath(expression.of)}.${formatPath(expression.at)}`
  return expression.type === 'constant' && typeof expression.value !== 'object' ? String(expression.value) : '[…]'
}

/** The scope of a part of a template. It falls back to the scope around it. */
export class Scope {
  readonly #values = new Map<string, Value>()
  readonly #around: Scope | undefined
  readonly #columns: readonly string[]

  /** @param columns the doc's columns, for messages */
  constructor(around: Scope | undefined, columns: readonly string[] = []) {
    this.#around = around
    this.#columns = around === undefined ? columns : around.#columns
  }

  /** Returns `undefined` where no scope has the name. */
  get(name: string): Value | undefined {
    const value = this.#values.get(name)
    return value === undefined ? this.#around?.get(name) : value
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value)
  }

  missing(name: string): Missing {
    return new Missing(
      `"${name}" is not there (the doc has ${this.#columns.join(', ')}).${didYouMean(name, this.#columns)}`,
    )
  }
}

/** The budget bounds the work of one rendering: a template is a user's code, and nested loops may never end. */

/** Maximum statements, expressions and items: about two seconds of work. A long prompt takes some thousands. */
const most = 10_000_000
let remainingBudget = most

/** Runs `work` with a full budget. */
export function runWithBudget<Result>(work: () => Result): Result {
  const before = remainingBudget
  remainingBudget = most
  try {
    return work()
  } finally {
    remainingBudget = before
  }
}

/**
 * Takes steps off the budget.
 * @throws Error where none are left.
 */
export function spend(steps: number): void {
  remainingBudget -= steps
  if (remainingBudget >= 0) return
  throw new Error(
    `the template does more than ${most / 1_000_000} million steps: shorten its loops, such as a range() within another`,
  )
}
