import type { z } from 'zod'
import { didYouMean } from '../text/suggest.js'
import { givenText, type GivenWording, kindNames } from './given-text.js'

type Issue = z.core.$ZodIssue

/** The words with which messages describe the mistakes in one value. */
export interface IssueWording extends GivenWording {
  /** The expected value in words, if the schema's author wrote it down. */
  readonly expected?: string | undefined
  /** True if the value is not known any more, so that nothing can be said about it. */
  readonly isGone?: boolean | undefined
}

/**
 * Words an issue of a schema: `expected a whole number, given the text "x"`, `is missing: expected a text`. Sentences that a schema's author wrote
 * are kept. Those of the schema library never appear.
 *
 * @param value the value at the path of the issue
 */
export function issueText(issue: Issue, value: unknown, wording: IssueWording = {}): string {
  const own = ownMessage(issue)
  if (issue.code === 'invalid_key' && own === undefined) return keyText(issue, wording)
  const expected =
    wording.expected ?? (own === undefined ? expectation(issue, wording) : /^expected (.*)$/s.exec(own)?.[1])
  if (expected === undefined) return own ?? ''
  if (wording.isGone === true) return `expected ${expected}`
  if (value === undefined && issue.code !== 'custom') return `is missing: expected ${expected}`
  const hint = typeof value === 'string' ? didYouMean(value, allowedTexts(issue)) : ''
  const shown = givenText(value, wording)
  // "expected a text, given a text" would not say what is wrong.
  const needed = expected === shown ? expectation(issue, wording) : expected
  return `expected ${needed}, given ${shown}${hint === '' ? '' : `.${hint}`}`
}

/** Words the problem of an entry's name, which is the last step of the path. */
function keyText({ path, issues }: Extract<Issue, { readonly code: 'invalid_key' }>, wording: GivenWording): string {
  const said = issues.map(issue => ownMessage(issue) ?? `its name: ${issueText(issue, path.at(-1), wording)}`)
  return [...new Set(said)].join(' or ')
}

/** Returns the message that a schema's author wrote, and nothing for a sentence of the schema library. */
export const ownMessage = ({ message }: Issue): string | undefined =>
  /^(Invalid|Too (big|small)|Unrecognized) ?/.test(message) ? undefined : message

/** Names what the schema accepts: `a list of at least 1 entry`, `one of a, b`, `a text or a number`. */
function expectation(issue: Issue, wording: GivenWording): string {
  switch (issue.code) {
    case 'invalid_type':
      return kindNames(wording)[issue.expected] ?? `a value of the type ${issue.expected}`
    case 'invalid_value':
      return formatAllowed(issue.values)
    case 'too_small':
      return size(
        issue.origin,
        issue.minimum,
        issue.exact ? 'exactly' : issue.inclusive === false ? 'more than' : 'at least',
      )
    case 'too_big':
      return size(
        issue.origin,
        issue.maximum,
        issue.exact ? 'exactly' : issue.inclusive === false ? 'less than' : 'at most',
      )
    case 'not_multiple_of':
      return issue.divisor === 1 ? 'a whole number' : `a multiple of ${issue.divisor}`
    case 'invalid_format':
      return form(issue)
    case 'invalid_union':
      return issue.errors.length === 0
        ? 'another kind of entry'
        : eachOnce(issue.errors.flat().map(innerIssue => within(innerIssue, wording)))
    default:
      return 'another value'
  }
}

/** Describes the value that a part of an issue expects, such as one alternative of a union. */
const within = (issue: Issue, wording: GivenWording): string =>
  ownMessage(issue)?.replace(/^expected /, '') ?? expectation(issue, wording)

const eachOnce = (texts: readonly string[]): string => [...new Set(texts)].join(' or ')

function formatAllowed(values: readonly unknown[]): string {
  const texts = values.map(String)
  return texts.length === 1
    ? `${typeof values[0] === 'string' ? JSON.stringify(values[0]) : texts[0]}`
    : `one of ${texts.join(', ')}`
}

function size(origin: string, limit: number | bigint, bound: string): string {
  const formatLimit = (unit: string, units: string) => `${bound} ${limit} ${Number(limit) === 1 ? unit : units}`
  if (origin === 'string') return `a text of ${formatLimit('character', 'characters')}`
  if (origin === 'array' || origin === 'set') return `a list of ${formatLimit('entry', 'entries')}`
  if (origin === 'map' || origin === 'object' || origin === 'record') return formatLimit('key', 'keys')
  return `a number of ${bound} ${limit}`
}

const forms: Readonly<Record<string, string>> = {
  url: 'an http or https address',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  email: 'an address of e-mail',
  regex: 'a text of another form',
}

function form(issue: Extract<Issue, { readonly code: 'invalid_format' }>): string {
  const { prefix, suffix, includes } = issue as { prefix?: string; suffix?: string; includes?: string }
  if (prefix !== undefined) return `a text that begins with "${prefix}"`
  if (suffix !== undefined) return `a text that ends with "${suffix}"`
  if (includes !== undefined) return `a text that contains "${includes}"`
  return forms[issue.format] ?? `a text of the form ${issue.format}`
}

/** The texts that a schema accepts, to suggest the nearest. */
function allowedTexts(issue: Issue): readonly string[] {
  if (issue.code === 'invalid_value') return issue.values.filter(value => typeof value === 'string')
  return issue.code === 'invalid_union' ? issue.errors.flat().flatMap(allowedTexts) : []
}
