import { digitValue } from '../decimal-digits.js'

/** A sign of a numeral: a digit, a power of ten, or the decimal point. */
type Sign =
  | { readonly kind: 'digit'; readonly value: number }
  | { readonly kind: 'unit'; readonly power: number }
  | { readonly kind: 'point' }

const digits = Array.from('零一二三四五六七八九')

/** Powers of ten that have a sign, the largest first: 载, 正, 涧, 沟, 穰, 秭, 垓, 京, 兆, 亿, 万, 千, 百, 十. */
const units: readonly (readonly [power: number, sign: string])[] = [
  ...Array.from('载正涧沟穰秭垓京兆亿万').map((sign, i) => [44 - 4 * i, sign] as const),
  ...([[3, '千'], [2, '百'], [1, '十']] as const), // prettier-ignore
]

/** Digits read one by one: `2023` as 二零二三. */
export const readDigits = (number: string): string =>
  Array.from(number, digit => digits[digitValue(digit)] ?? '').join('')

/**
 * A number in decimal digits, with at most one point, as it is read in Mandarin: `1024` as 一千零二十四, `2000` as 两千, `3.5` as
 * 三点五. Zeros in front are read once; a number of several zeros is nothing.
 *
 * Source: `cn_tn.py` of https://github.com/speechio/chinese_text_normalization, num2chn with its defaults.
 */
export function readNumber(number: string): string {
  const [integer = '', decimals = ''] = number.split('.')
  const whole = Array.from(integer)
  const signs = [
    ...(whole.length > 1 ? signsOf(whole) : whole.map(digit)),
    ...(decimals === '' ? [] : [{ kind: 'point' } as const, ...Array.from(decimals, digit)]),
  ]
  const text = signs.map((sign, i) => written(sign, signs[i - 1], signs[i + 1])).join('')
  if (text.startsWith('点')) return `零${text}`
  return text.startsWith('一十') ? text.slice(1) : text
}

const digit = (character: string): Sign => ({ kind: 'digit', value: digitValue(character) })

function signsOf(number: readonly string[]): readonly Sign[] {
  const start = number.findIndex(character => character !== '0')
  if (start < 0) return []
  const significant = number.slice(start)
  const [first = '0'] = significant
  if (significant.length === 1) return start > 0 ? [digit('0'), digit(first)] : [digit(first)]
  const power = units.find(([each]) => each < significant.length)?.[0] ?? 1
  const upper = number.slice(0, -power)
  return [...signsOf(upper), { kind: 'unit', power }, ...signsOf(significant.slice(-power))]
}

function written(sign: Sign, before: Sign | undefined, after: Sign | undefined): string {
  if (sign.kind === 'point') return '点'
  if (sign.kind === 'unit') return units.find(([power]) => power === sign.power)?.[1] ?? ''
  const isPair = sign.value === 2 && isUnitOtherThanTen(after) && (before === undefined || isUnitOtherThanTen(before))
  return isPair ? '两' : (digits[sign.value] ?? '')
}

const isUnitOtherThanTen = (sign: Sign | undefined): boolean => sign?.kind === 'unit' && sign.power !== 1
