/** The tests of another tool, as far as tasks can hold them. */
import type { JsonObject } from '../../../cache/records.js'

/** The conditions that the written code checks. Each may begin with `not-`. */
export const checkedTypes = [
  'equals',
  'contains',
  'icontains',
  'contains-any',
  'contains-all',
  'icontains-any',
  'icontains-all',
  'starts-with',
  'regex',
  'is-json',
  'latency',
  'cost',
  'llm-rubric',
] as const

/** Tests of another tool. */
export interface ForeignTests {
  /** The prompts: a template of the tests' variables, or undefined if each test has its own messages. */
  readonly prompts: readonly (string | undefined)[]
  readonly rows: readonly JsonObject[]
  /** True if rows have separate conditions (`checks`), false if they have a `target`. */
  readonly hasChecks: boolean
  /** Parts that are not translated, each with its `file:line`. */
  readonly left: readonly string[]
}
