import type { Arguments, Value } from './values.js'

/** What a filter can ask of the other filters and tests. */
export interface Names {
  filter(name: string, on: Value, args: Arguments): Value
  test(name: string, on: Value, args: Arguments): boolean
}

/** A filter with the names of its arguments. */
export interface Filter {
  readonly parameters: readonly string[]
  readonly call: (on: Value, given: readonly (Value | undefined)[], names: Names) => Value
}

/** A filter that takes any arguments. */
export interface OpenFilter {
  readonly open: (on: Value, args: Arguments, names: Names) => Value
}

export const noArguments: Arguments = { positional: [], named: new Map() }
