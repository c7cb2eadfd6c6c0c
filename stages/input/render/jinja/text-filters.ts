import { limited } from '../../../../base/time-limit.js'
import { pythonRegex } from '../../../../base/python-regex.js'
import { escaped } from './page-filters.js'
import { capitalized } from './text-case.js'
import { justified, lines, replaced, splitFromEnd, strippedAround } from './text-parts.js'
import { shown } from './print.js'
import { wrapped } from './wrapped-text.js'
import { itemsOf, isTrue, textIn, wholeNumber, Tuple, View, type Value } from './values.js'
import type { Filter } from './filter.js'

const whole = (value: Value | undefined, otherwise: number, what: string): number =>
  value === undefined || value === null ? otherwise : wholeNumber(value, what)

const onText = (change: (text: string) => Value): Filter => ({ parameters: [], call: on => change(shown(on)) })

/** Filters of texts. A value that is no text is printed first, as Python's Jinja does. */
export const textFilters: Readonly<Record<string, Filter>> = {
  upper: onText(text => text.toUpperCase()),
  lower: onText(text => text.toLowerCase()),
  string: onText(text => text),
  capitalize: onText(capitalized),
  title: onText(text => text.replace(/[^-\s({[<]+/gu, word => capitalOf(word))),
  wordcount: onText(text => (text.match(/[\p{L}\p{N}_]+/gu) ?? []).length),
  escape: onText(escaped),
  trim: {
    parameters: ['chars'],
    call: (on, [chars = null]) => strippedAround(shown(on), chars === null ? null : textIn(chars, 'chars')),
  },
  replace: {
    parameters: ['old', 'new', 'count'],
    call(on, [old = '', by = '', count]) {
      return replaced(shown(on), [shown(old), shown(by)], whole(count, -1, 'count'))
    },
  },
  center: {
    parameters: ['width'],
    call: (on, [width]) => justified(shown(on), { width: whole(width, 80, 'the width'), fill: ' ' }, 'both'),
  },
  indent: { parameters: ['width', 'first', 'blank'], call: (on, given) => indented(shown(on), given) },
  truncate: { parameters: ['length', 'killwords', 'end', 'leeway'], call: (on, given) => truncated(shown(on), given) },
  wordwrap: {
    parameters: ['width', 'break_long_words', 'wrapstring', 'break_on_hyphens'],
    call: (on, given) => wordwrap(textIn(on, 'what wordwrap changes'), given),
  },
  urlencode: { parameters: [], call: urlEncoded },
  regex_replace: {
    parameters: ['pattern', 'repl', 'count'],
    call(on, [pattern, repl, count]) {
      const texts = [textIn(on, 'what regex_replace changes'), textIn(pattern ?? null, 'pattern')] as const
      return regexReplace(...texts, { replacement: textIn(repl ?? null, 'repl'), count: whole(count, 0, 'count') })
    },
  },
}

/** The filter's own rule, by which a letter with a sign before it stays as it is. */
function capitalOf(word: string): string {
  const [first = '', ...rest] = Array.from(word)
  return first.toUpperCase() + rest.join('').toLowerCase()
}

function indented(text: string, [width = 4, first = false, blank = false]: readonly (Value | undefined)[]): string {
  const space = typeof width === 'string' ? width : ' '.repeat(Math.max(wholeNumber(width, 'the width'), 0))
  const [top = '', ...rest] = lines(`${text}\n`, false)
  const inner = rest.map(line => (isTrue(blank) || line !== '' ? space + line : line))
  return [isTrue(first) ? space + top : top, ...inner].join('\n')
}

function wordwrap(
  text: string,
  [width = 79, breaksWords = true, between = null, breaksAtHyphens = true]: readonly (Value | undefined)[],
): string {
  const end = between === null ? '\n' : textIn(between, 'wrapstring')
  const wrapping = {
    width: wholeNumber(width, 'the width'),
    breaksWords: isTrue(breaksWords),
    breaksAtHyphens: isTrue(breaksAtHyphens),
  }
  return lines(text, false)
    .map(line => wrapped(line, wrapping).join(end))
    .join(end)
}

function truncated(
  text: string,
  [length = 255, kill = false, end = '...', leeway = 5]: readonly (Value | undefined)[],
): string {
  const chars = Array.from(text)
  const most = wholeNumber(length, 'the length')
  const mark = textIn(end, 'the end')
  const room = most - Array.from(mark).length
  if (room < 0) throw new Error(`truncate: expected length >= ${Array.from(mark).length}, given ${most}`)
  if (chars.length <= most + whole(leeway, 5, 'leeway')) return text
  const cut = chars.slice(0, room).join('')
  return (isTrue(kill) ? cut : (splitFromEnd(cut, ' ', 1)[0] ?? '')) + mark
}

/** What may stand in an address as it is, the slash among it. */
const quoted = (text: string, safe: string): string =>
  Array.from(encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`))
    .join('')
    .replace(/%2F/g, safe === '/' ? '/' : '%2F')

function urlEncoded(on: Value): Value {
  const pairs =
    on instanceof Map ? [...on] : Array.isArray(on) || on instanceof View ? itemsOf(on).map(pairOf) : undefined
  if (pairs === undefined) return quoted(shown(on), '/')
  const part = (value: Value): string => quoted(shown(value), '').replace(/%20/g, '+')
  return pairs.map(([key, value]) => `${part(key)}=${part(value)}`).join('&')
}

function pairOf(value: Value): readonly [Value, Value] {
  const [key, item] = value instanceof Tuple ? value.items : itemsOf(value)
  if (key === undefined || item === undefined) throw new Error('urlencode needs pairs')
  return [key, item]
}

/** lmms-eval's own filter: `re.sub(pattern, repl, text, count)`; 0 is all. */
function regexReplace(
  text: string,
  pattern: string,
  { replacement, count }: { readonly replacement: string; readonly count: number },
): string {
  let left = count === 0 ? Infinity : count
  const replaced = (...found: readonly unknown[]): string => {
    if (left-- <= 0) return String(found[0])
    const named = typeof found.at(-1) === 'object' ? (found.at(-1) as Readonly<Record<string, string | undefined>>) : {}
    return replacement.replace(
      /\\(?:g<(\w+)>|(\d{1,2})|([nrt\\]))/g,
      (_, name?: string, digits?: string, escape?: string) => {
        if (escape !== undefined) return { n: '\n', r: '\r', t: '\t' }[escape] ?? '\\'
        const group = digits ?? (/^\d+$/.test(name ?? '') ? name : undefined)
        const value = group === undefined ? named[name ?? ''] : found[Number(group)]
        return typeof value === 'string' ? value : ''
      },
    )
  }
  const regex = pythonRegex(pattern, 'g')
  return limited(`regex_replace(${JSON.stringify(pattern)})`, () => text.replace(regex, replaced))
}
