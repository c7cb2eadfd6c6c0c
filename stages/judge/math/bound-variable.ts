import type { Scope } from './formula.js'

/** Of the names in a sum, an integral or a limit, those that are variables of the formula around it: all but the bound one. */
export function passNames(own: Set<string>, { names }: Scope, bound: string): void {
  own.delete(bound)
  for (const name of own) names.add(name)
}
