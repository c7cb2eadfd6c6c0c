import { isLower, isUpper } from '../../../../base/python/python-text.js'
import { braceFormatted } from './brace-format.js'
import {
  capitalizeText,
  isSpace,
  isTitled,
  justifyText,
  lines,
  partition,
  replaceText,
  split,
  splitFromEnd,
  stripEnd,
  strippedAround,
  swapCase,
  tabsExpanded,
  capitalizeWords,
} from './text-parts.js'
import { type Arguments, isTrue, listItems, textIn, Tuple, type Value, wholeNumber } from './values.js'

type MethodArguments = readonly (Value | undefined)[]

/** A method with the names of its parameters. */
export interface Method<T> {
  readonly parameters: readonly string[]
  readonly call: (on: T, given: MethodArguments) => Value
}

const plain = (call: (text: string) => Value): Method<string> => ({ parameters: [], call })

const text = (value: Value | undefined, what: string): string => textIn(requireValue(value, what), what)
const charsIn = (value: Value | undefined, what: string): string | null =>
  value === undefined || value === null ? null : textIn(value, what)
const whole = (value: Value | undefined, otherwise: number, what: string): number =>
  value === undefined ? otherwise : wholeNumber(value, what)

function requireValue(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`${what} is missing`)
  return value
}

const bounds = ['start', 'end']

interface Window {
  readonly within: string
  readonly from: number
}

/**
 * Returns the characters from `start` to `end` and their offset; `undefined` where `start` is behind the end, since
 * even an empty text is not found there.
 */
function window(on: string, [start, end]: MethodArguments): Window | undefined {
  if (start === undefined) return { within: on, from: 0 }
  const chars = Array.from(on)
  if (typeof start === 'number' && start > chars.length) return undefined
  const place = (value: Value | undefined, otherwise: number): number => {
    if (value === undefined || value === null) return otherwise
    const at = wholeNumber(value, 'a place')
    return Math.min(Math.max(at < 0 ? at + chars.length : at, 0), chars.length)
  }
  const from = place(start, 0)
  return { within: chars.slice(from, place(end, chars.length)).join(''), from }
}

const nothing: Window = { within: '', from: -1 }

/** Counts characters as Python does. JavaScript counts UTF-16 units. */
function search(isLast: boolean, isNeeded: boolean): Method<string> {
  return {
    parameters: ['sub', ...bounds],
    call(on, [sub, ...place]) {
      const { within, from } = window(on, place) ?? nothing
      const part = text(sub, 'the text to find')
      const at = from < 0 ? -1 : isLast ? within.lastIndexOf(part) : within.indexOf(part)
      if (at < 0 && isNeeded) throw new Error(`${JSON.stringify(part)} is not in the text`)
      return at < 0 ? -1 : from + Array.from(within.slice(0, at)).length
    },
  }
}

const affix = (isEnd: boolean): Method<string> => ({
  parameters: ['affix', ...bounds],
  call(on, [affixValue, ...place]) {
    const { within, from } = window(on, place) ?? nothing
    const value = requireValue(affixValue, 'the text to look for')
    const parts =
      value instanceof Tuple ? value.items.map(item => textIn(item, 'an affix')) : [text(value, 'the affix')]
    return from >= 0 && parts.some(part => (isEnd ? within.endsWith(part) : within.startsWith(part)))
  },
})

const splitMethod = (by: typeof split): Method<string> => ({
  parameters: ['sep', 'maxsplit'],
  call: (on, [sep, most]) => [...by(on, charsIn(sep, 'the separator'), whole(most, -1, 'maxsplit'))],
})

const fillMethod = (side: 'left' | 'right' | 'both'): Method<string> => ({
  parameters: ['width', 'fillchar'],
  call: (on, [width, fill]) =>
    justifyText(
      on,
      { width: whole(width, 0, 'the width'), fill: fill === undefined ? ' ' : text(fill, 'fillchar') },
      side,
    ),
})

const stripMethod = (strip: (on: string, chars: string | null) => string): Method<string> => ({
  parameters: ['chars'],
  call: (on, [chars]) => strip(on, charsIn(chars, 'the characters')),
})

const partitionMethod = (isLast: boolean): Method<string> => ({
  parameters: ['sep'],
  call: (on, [sep]) => new Tuple(partition(on, text(sep, 'the separator'), isLast)),
})

export const textMethods: Readonly<Record<string, Method<string>>> = {
  upper: plain(on => on.toUpperCase()),
  lower: plain(on => on.toLowerCase()),
  casefold: plain(on => on.toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ')),
  capitalize: plain(capitalizeText),
  title: plain(capitalizeWords),
  swapcase: plain(swapCase),
  isdigit: plain(on => /^[\p{Nd}²³¹⁰⁴-⁹₀-₉①-⑨⑴-⑼⒈-⒐]+$/u.test(on)),
  isdecimal: plain(on => /^\p{Nd}+$/u.test(on)),
  isnumeric: plain(on => /^[\p{N}一二三四五六七八九十百千万]+$/u.test(on)),
  isalpha: plain(on => /^\p{L}+$/u.test(on)),
  isalnum: plain(on => /^[\p{L}\p{N}]+$/u.test(on)),
  isascii: plain(on => Array.from(on).every(char => (char.codePointAt(0) ?? 0) < 128)),
  isidentifier: plain(on => /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*$/u.test(on)),
  isupper: plain(isUpper),
  islower: plain(isLower),
  istitle: plain(isTitled),
  isspace: plain(isSpace),
  strip: stripMethod(strippedAround),
  lstrip: stripMethod((on, chars) => stripEnd(on, chars, 'start')),
  rstrip: stripMethod((on, chars) => stripEnd(on, chars, 'end')),
  split: splitMethod(split),
  rsplit: splitMethod(splitFromEnd),
  splitlines: { parameters: ['keepends'], call: (on, [keeps]) => [...lines(on, keeps !== undefined && isTrue(keeps))] },
  partition: partitionMethod(false),
  rpartition: partitionMethod(true),
  find: search(false, false),
  rfind: search(true, false),
  index: search(false, true),
  rindex: search(true, true),
  startswith: affix(false),
  endswith: affix(true),
  count: {
    parameters: ['sub', ...bounds],
    call(on, [sub, ...place]) {
      const { within, from } = window(on, place) ?? nothing
      const part = text(sub, 'the text to count')
      if (from < 0) return 0
      return part === '' ? Array.from(within).length + 1 : within.split(part).length - 1
    },
  },
  replace: {
    parameters: ['old', 'new', 'count'],
    call: (on, [old, by, count]) =>
      replaceText(on, [text(old, 'the old text'), text(by, 'the new text')], whole(count, -1, 'count')),
  },
  join: {
    parameters: ['iterable'],
    call: (on, [items]) =>
      listItems(requireValue(items, 'the list'))
        .map(item => textIn(item, 'an item of join'))
        .join(on),
  },
  center: fillMethod('both'),
  ljust: fillMethod('right'),
  rjust: fillMethod('left'),
  zfill: {
    parameters: ['width'],
    call(on, [width]) {
      const [, sign = '', rest = ''] = /^([+-]?)(.*)$/su.exec(on) ?? []
      return sign + justifyText(rest, { width: whole(width, 0, 'the width') - sign.length, fill: '0' }, 'left')
    },
  },
  expandtabs: { parameters: ['tabsize'], call: (on, [size]) => tabsExpanded(on, whole(size, 8, 'tabsize')) },
  removeprefix: {
    parameters: ['prefix'],
    call: (on, [prefix]) => (on.startsWith(text(prefix, 'the prefix')) ? on.slice(text(prefix, '').length) : on),
  },
  removesuffix: {
    parameters: ['suffix'],
    call(on, [suffixValue]) {
      const suffix = text(suffixValue, 'the suffix')
      return suffix !== '' && on.endsWith(suffix) ? on.slice(0, -suffix.length) : on
    },
  },
}

/** `format` takes any arguments, so it is not in the table. */
export const formatMethod = (on: string, args: Arguments): string => braceFormatted(on, args)
