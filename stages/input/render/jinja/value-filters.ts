import { pythonRegex } from '../../../../base/python/python-regex.js'
import { callLimited } from '../../../../base/time/time-limit.js'
import { fixedText } from './number-format.js'
import { printValue } from './print.js'
import { capitalizeText, justifyText, lines, replaceText, splitFromEnd, strippedAround } from './text-parts.js'
import {
  type Filter,
  Float,
  isTrue,
  numberIn,
  requirePresent,
  textIn,
  typeName,
  type Value,
  wholeNumber,
} from './values.js'

const whole = (value: Value | undefined, otherwise: number, what: string): number =>
  value === undefined || value === null ? otherwise : wholeNumber(value, what)

const onText = (change: (text: string) => Value): Filter => ({ parameters: [], call: on => change(printValue(on)) })

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
}

const escapeHtml = (text: string): string => text.replace(/[&<>'"]/g, char => entities[char] ?? char)

/** Filters of texts. Other values are printed first, as Python's Jinja does. */
export const textFilters: Readonly<Record<string, Filter>> = {
  upper: onText(text => text.toUpperCase()),
  lower: onText(text => text.toLowerCase()),
  string: onText(text => text),
  capitalize: onText(capitalizeText),
  title: onText(text => text.replace(/[^-\s({[<]+/gu, word => capitalizeWord(word))),
  wordcount: onText(text => (text.match(/[\p{L}\p{N}_]+/gu) ?? []).length),
  escape: onText(escapeHtml),
  trim: {
    parameters: ['chars'],
    call: (on, [chars = null]) => strippedAround(printValue(on), chars === null ? null : textIn(chars, 'chars')),
  },
  replace: {
    parameters: ['old', 'new', 'count'],
    call(on, [old = '', by = '', count]) {
      return replaceText(printValue(on), [printValue(old), printValue(by)], whole(count, -1, 'count'))
    },
  },
  center: {
    parameters: ['width'],
    call: (on, [width]) => justifyText(printValue(on), { width: whole(width, 80, 'the width'), fill: ' ' }, 'both'),
  },
  indent: { parameters: ['width', 'first', 'blank'], call: (on, args) => indentText(printValue(on), args) },
  truncate: {
    parameters: ['length', 'killwords', 'end', 'leeway'],
    call: (on, args) => truncateText(printValue(on), args),
  },
  regex_replace: {
    parameters: ['pattern', 'repl', 'count'],
    call(on, [pattern, repl, count]) {
      const texts = [textIn(on, 'what regex_replace changes'), textIn(pattern ?? null, 'pattern')] as const
      return regexReplace(...texts, { replacement: textIn(repl ?? null, 'repl'), count: whole(count, 0, 'count') })
    },
  },
}

/** Jinja's `title` differs from Python's: only the first character of a word can change to upper case. */
function capitalizeWord(word: string): string {
  const [first = '', ...rest] = Array.from(word)
  return first.toUpperCase() + rest.join('').toLowerCase()
}

function indentText(text: string, [width = 4, first = false, blank = false]: readonly (Value | undefined)[]): string {
  const space = typeof width === 'string' ? width : ' '.repeat(Math.max(wholeNumber(width, 'the width'), 0))
  const [top = '', ...rest] = lines(`${text}\n`, false)
  const inner = rest.map(line => (isTrue(blank) || line !== '' ? space + line : line))
  return [isTrue(first) ? space + top : top, ...inner].join('\n')
}

function truncateText(
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

/** lmms-eval's own filter: `re.sub(pattern, repl, text, count)`. A count of 0 replaces all matches. */
function regexReplace(
  text: string,
  pattern: string,
  { replacement, count }: { readonly replacement: string; readonly count: number },
): string {
  let remainingCount = count === 0 ? Infinity : count
  const expandReplacement = (...matchParts: readonly unknown[]): string => {
    if (remainingCount-- <= 0) return String(matchParts[0])
    const namedGroups =
      typeof matchParts.at(-1) === 'object' ? (matchParts.at(-1) as Readonly<Record<string, string | undefined>>) : {}
    return replacement.replace(
      /\\(?:g<(\w+)>|(\d{1,2})|([nrt\\]))/g,
      (_, name?: string, digits?: string, escape?: string) => {
        if (escape !== undefined) return { n: '\n', r: '\r', t: '\t' }[escape] ?? '\\'
        const group = digits ?? (/^\d+$/.test(name ?? '') ? name : undefined)
        const value = group === undefined ? namedGroups[name ?? ''] : matchParts[Number(group)]
        return typeof value === 'string' ? value : ''
      },
    )
  }
  const regex = pythonRegex(pattern, 'g')
  return callLimited(`regex_replace(${JSON.stringify(pattern)})`, () => text.replace(regex, expandReplacement))
}

export const numberFilters: Readonly<Record<string, Filter>> = {
  abs: {
    parameters: [],
    call(on) {
      const number = neededNumber(on, 'abs')
      return on instanceof Float ? new Float(Math.abs(number)) : Math.abs(number)
    },
  },
  int: {
    parameters: ['default', 'base'],
    call: (on, [otherwise = 0, base = 10]) => parseWhole(requirePresent(on), base) ?? otherwise,
  },
  float: {
    parameters: ['default'],
    call(on, [otherwise = new Float(0)]) {
      const number = parseReal(requirePresent(on))
      return number === undefined ? otherwise : new Float(number)
    },
  },
  round: {
    parameters: ['precision', 'method'],
    call: (on, [precision = 0, method = 'common']) => roundValue(on, precision, method),
  },
}

function neededNumber(value: Value, name: string): number {
  const number = numberIn(requirePresent(value))
  if (number === undefined) throw new Error(`${name} needs a number, not ${typeName(value)}`)
  return number
}

const real =
  /^[+-]?(?:(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?|inf(?:inity)?|nan)$/i

/** Python's `float`: `12 apples` is not a number. */
function parseReal(value: Value): number | undefined {
  if (typeof value !== 'string') return numberIn(value)
  const text = value.trim()
  if (!real.test(text)) return undefined
  if (/nan/i.test(text)) return Number.NaN
  if (/inf/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return Number(text.replaceAll('_', ''))
}

/** Python's `int`, else the integer part of Python's `float`. */
function parseWhole(value: Value, base: Value): number | undefined {
  if (typeof value === 'string' && base !== 10) {
    const digits = inBase(value.trim(), wholeNumber(base, 'the base'))
    if (digits !== undefined) return digits
  }
  const number = parseReal(value)
  if (number === undefined || !Number.isFinite(number)) return undefined
  const whole = Math.trunc(number)
  if (!Number.isSafeInteger(whole)) throw new Error(`${whole} is too large a whole number`)
  return whole === 0 ? 0 : whole
}

const prefixes: Readonly<Record<string, number>> = { '0x': 16, '0o': 8, '0b': 2 }

function inBase(text: string, base: number): number | undefined {
  const [, sign = '', prefix = '', digits = ''] = /^([+-]?)(0[xob])?(\w+)$/i.exec(text) ?? []
  const meant = prefixes[prefix.toLowerCase()]
  const radix = base === 0 ? (meant ?? 10) : base
  const body = meant === radix ? digits : prefix + digits
  const allowed = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, radix)
  if (body === '' || !Array.from(body.toLowerCase()).every(char => allowed.includes(char))) return undefined
  return Number.parseInt(sign + body, radix)
}

/** Jinja's `round`: halves go to the even digit, and an integer stays one. */
function roundValue(on: Value, precision: Value, method: Value): Value {
  const number = neededNumber(on, 'round')
  const digits = wholeNumber(precision, 'the precision')
  const way = textIn(method, 'the method')
  if (way === 'ceil' || way === 'floor') return new Float((Math[way](number * 10 ** digits) + 0) / 10 ** digits)
  if (way !== 'common') throw new Error('round: method must be common, ceil or floor')
  if (!Number.isFinite(number)) return new Float(number)
  const sign = number < 0 || Object.is(number, -0) ? -1 : 1
  if (digits >= 0) return on instanceof Float ? new Float(sign * Number(fixedText(Math.abs(number), digits))) : number
  const unit = 10 ** -digits
  const size = Number(fixedText(Math.abs(number) / unit, 0)) * unit
  return on instanceof Float ? new Float(sign * size) : sign * size
}
