import { evaluate } from './evaluate.js'
import { Scope } from './scope.js'
import type { Body, MacroStatement } from './syntax.js'
import { Callable, Missing, Tuple, type Value } from './values.js'

/** A macro as a function that gives its text. It sees the names around it. */
export function callable(macro: MacroStatement, around: Scope, render: (body: Body, scope: Scope) => string): Callable {
  const { name, parameters, body } = macro
  const uses = namesIn(body)
  return new Callable(
    name,
    args => {
      const scope = new Scope(around)
      const named = new Map(args.named)
      for (const [at, { name: own, otherwise }] of parameters.entries()) {
        const value = args.positional[at] ?? null
        if (at < args.positional.length) scope.set(own, value)
        else if (named.has(own)) scope.set(own, named.get(own) ?? null)
        else
          scope.set(
            own,
            otherwise === undefined
              ? new Missing(`parameter "${own}" of ${name} was not given`)
              : evaluate(otherwise, scope),
          )
        named.delete(own)
      }
      setOthers({ scope, uses, name }, args.positional.slice(parameters.length), named)
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

/** `caller`, `varargs` and `kwargs`. @throws Error where the macro has no use for what it is given. */
function setOthers({ scope, uses, name }: Called, more: readonly Value[], named: Map<string, Value>): void {
  const caller = named.get('caller')
  if (uses.has('caller')) {
    scope.set('caller', caller === undefined ? new Missing(`${name} is not called by {% call %}`) : caller)
    named.delete('caller')
  } else if (caller !== undefined) throw new Error(`${name} makes no use of caller`)
  if (uses.has('kwargs')) scope.set('kwargs', new Map(named))
  else if (named.size > 0) throw new Error(`${name} has no parameter "${[...named.keys()].join('", "')}"`)
  if (uses.has('varargs')) scope.set('varargs', new Tuple(more))
  else if (more.length > 0) throw new Error(`${name} is given ${more.length} values too many`)
}

/** All names that stand in a part of a template. */
function namesIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) value.forEach(one => namesIn(one, found))
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value && value.type === 'name' && 'name' in value) found.add(String(value.name))
    Object.values(value).forEach(one => namesIn(one, found))
  }
  return found
}
