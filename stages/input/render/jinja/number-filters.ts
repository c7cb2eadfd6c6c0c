import { fixedText } from './exact-decimals.js'
import type { Filter } from './filter.js'
import { realText } from './number-format.js'
import { Float, isTrue, numberIn, present, textIn, typeName, wholeNumber, type Value } from './values.js'

/** Filters of numbers. */
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
    call: (on, [otherwise = 0, base = 10]) => wholeOf(present(on), base) ?? otherwise,
  },
  float: {
    parameters: ['default'],
    call(on, [otherwise = new Float(0)]) {
      const number = realOf(present(on))
      return number === undefined ? otherwise : new Float(number)
    },
  },
  round: {
    parameters: ['precision', 'method'],
    call: (on, [precision = 0, method = 'common']) => rounded(on, precision, method),
  },
  filesizeformat: { parameters: ['binary'], call: (on, [binary = false]) => sizeText(on, isTrue(binary)) },
}

/** Bytes in the largest unit of which there is one or more. */
function sizeText(on: Value, isBinary: boolean): string {
  const bytes = realOf(present(on))
  if (bytes === undefined) throw new Error(`filesizeformat needs a number, not ${typeName(on)}`)
  const base = isBinary ? 1024 : 1000
  if (bytes === 1) return '1 Byte'
  if (bytes < base) return `${Math.trunc(bytes) + 0} Bytes`
  const units = Array.from(isBinary ? 'KMGTPEZY' : 'kMGTPEZY', unit => `${unit}${isBinary ? 'iB' : 'B'}`)
  const found = units.findIndex((_, at) => bytes < base ** (at + 2))
  const at = found < 0 ? units.length - 1 : found
  return `${realText((base * bytes) / base ** (at + 2), 'f', 1)} ${units[at] ?? ''}`
}

function neededNumber(value: Value, name: string): number {
  const number = numberIn(present(value))
  if (number === undefined) throw new Error(`${name} needs a number, not ${typeName(value)}`)
  return number
}

const real =
  /^[+-]?(?:(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?|inf(?:inity)?|nan)$/i

/** As Python's `float`: `12 apples` is none. */
function realOf(value: Value): number | undefined {
  if (typeof value !== 'string') return numberIn(value)
  const text = value.trim()
  if (!real.test(text)) return undefined
  if (/nan/i.test(text)) return Number.NaN
  if (/inf/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return Number(text.replaceAll('_', ''))
}

/** As Python's `int`, else the whole part of what `float` makes of it. */
function wholeOf(value: Value, base: Value): number | undefined {
  if (typeof value === 'string' && base !== 10) {
    const digits = inBase(value.trim(), wholeNumber(base, 'the base'))
    if (digits !== undefined) return digits
  }
  const number = realOf(value)
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

/** As Python's `round`: halves to the even digit, and a whole number stays one. */
function rounded(on: Value, precision: Value, method: Value): Value {
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
