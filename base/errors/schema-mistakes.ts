import type { z } from 'zod'
import { isSecretName } from '../text/secrets.js'
import { didYouMean } from '../text/suggest.js'
import { issueText, type IssueWording, ownMessage } from './issue-text.js'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** A mistake that a schema found in a value. */
export interface SchemaMistake {
  /** The path of the mistake: the keys and indices that lead to it. Of an unknown key, the last is the key itself. */
  readonly path: Path
  readonly text: string
  readonly isUnknownKey: boolean
}

/** The names and hints that a check of a value adds to its messages. */
export interface MistakeWording extends Omit<IssueWording, 'expected' | 'isHidden'> {
  /** Describes the expected value of a field. */
  readonly expected?: (path: Path) => string | undefined
  /** Returns whether messages must leave out the value of a field, since it may be a secret. */
  readonly isHidden?: (path: Path) => boolean
  /** Words an unknown key. @default 'no such key' */
  readonly unknown?: string
  /** The names that a key may have, to suggest the nearest. */
  readonly known?: readonly string[] | ((path: Path) => readonly string[])
}

/** The maximum number of unknown keys that are named. A value with more was never meant for the schema. */
const mostUnknown = 100

/**
 * Words what a schema found wrong with a value: one mistake for each field and each unknown key.
 *
 * @param checked the value that was checked
 */
export function schemaMistakes(
  issues: readonly Issue[],
  checked: unknown,
  wording: MistakeWording = {},
): readonly SchemaMistake[] {
  return issues.flatMap(issue => listIssueMistakes(issue, [], checked, wording))
}

/**
 * Words what a schema found wrong with a value, as `field: what`.
 *
 * @param wording.whole names the value itself, if the mistake is not in one of its fields
 */
export const mistakeLines = (
  issues: readonly Issue[],
  checked: unknown,
  wording: MistakeWording & { readonly whole: string },
): readonly string[] =>
  schemaMistakes(issues, checked, wording).map(({ path, text }) => `${pathText(path) || wording.whole}: ${text}`)

/** Returns true if a value is an issue of the schema library, such as one that another library hands on. */
export const isSchemaIssue = (value: unknown): value is Issue =>
  typeof value === 'object' &&
  value !== null &&
  'code' in value &&
  typeof value.code === 'string' &&
  'path' in value &&
  Array.isArray(value.path) &&
  'message' in value &&
  typeof value.message === 'string'

/** Writes a path with dots: `metric_list.0.name`. */
export const pathText = (path: Path): string => path.map(String).join('.')

/** Returns the value at a path, or undefined if there is none. */
const valueAtPath = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (Reflect.get(inner, key) as unknown)
        : undefined,
    value,
  )

function listIssueMistakes(
  issue: Issue,
  before: Path,
  checked: unknown,
  wording: MistakeWording,
): readonly SchemaMistake[] {
  const path = [...before, ...issue.path]
  if (issue.code === 'unrecognized_keys') return unknownKeys(path, issue.keys, wording)
  const meant = issue.code === 'invalid_union' ? meantAlternative(issue.errors) : undefined
  if (meant !== undefined) {
    const whole = wording.expected?.(path) ?? ownMessage(issue)?.replace(/^expected /, '')
    const advice = whole === undefined || path.length === 0 ? '' : ` (${pathText(path)}: ${whole})`
    const inner = meant.flatMap(innerIssue => listIssueMistakes(innerIssue, path, checked, wording))
    return inner.map(mistake => ({ ...mistake, text: `${mistake.text}${advice}` }))
  }
  const value = issue.input === undefined ? valueAtPath(checked, path) : issue.input
  const text = issueText(issue, value, {
    from: wording.from,
    nameOf: wording.nameOf,
    isGone: wording.isGone,
    expected: wording.expected?.(path),
    isHidden: wording.isHidden?.(path) === true || (typeof value === 'string' && isSecretField(path)),
  })
  return [{ path, text, isUnknownKey: false }]
}

/** Tells whether a field may hold a secret. Fields of the schema such as `code_key` or `cluster_key` do not, and showing their value helps. */
const isSecretField = (path: Path): boolean =>
  path.some(key => typeof key === 'string' && isSecretName(key) && !/^(?!.*(api|access|auth|private)).*key$/i.test(key))

/** Finds the alternative of a union that the value's kind selects, whose mistake is further inside. */
function meantAlternative(alternatives: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const deeper = alternatives.filter(issues => issues.every(isInside))
  return deeper.length === 1 && alternatives.length > 1 ? deeper[0] : undefined
}

const isInside = (issue: Issue): boolean => issue.path.length > 0 || issue.code === 'unrecognized_keys'

function unknownKeys(path: Path, keys: readonly string[], wording: MistakeWording): readonly SchemaMistake[] {
  const { unknown = 'no such key', known = [] } = wording
  const names = typeof known === 'function' ? known(path) : known
  return keys.slice(0, mostUnknown).map(key => ({
    path: [...path, key],
    text: `${unknown}.${didYouMean(key, names)}`,
    isUnknownKey: true,
  }))
}
