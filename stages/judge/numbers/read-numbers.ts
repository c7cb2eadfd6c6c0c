/**
 * Reads the numbers in a text, each as a whole: `2½` is 2.5, never 2, and `10^6` is a million, never 6. What is part
 * of something larger, such as a date, a time, a range or `2√3`, has no value.
 */
import { withPlainDigits } from './plain-digits.js'
import { currency } from './currency.js'
import { matchMultiplier, readFactor } from './multipliers.js'
import { add, compare, divide, multiply, negate, raise, readDecimal, whole, type Rational } from './rational.js'
import { digitsPattern, readDigits } from './separators.js'
import { touchingLetters } from './unit-words.js'

/** A number as written in a text. */
export interface NumberInText {
  readonly written: string
  /** The exact value. Undefined if the digits are part of something that is not one number. */
  readonly value: Rational | undefined
  /** Letters that touch the number and are no known unit, as in `42abc`. */
  readonly letters?: string
  /** The value in its other form: 12.5 of "1/8, or 12.5%". */
  readonly also?: Rational
}

/** A number with its position in the plain text. */
export interface PlacedNumber extends NumberInText {
  readonly start: number
  readonly end: number
}

/** The numbers in a text, in order. Digits of names such as `H2O` and exponents of units such as `m^2` are no numbers. */
export const numbersIn = (text: string): readonly NumberInText[] =>
  placeNumbers(plainNumbers(text)).map(({ written, value, letters }) => ({
    written,
    value,
    ...(letters && { letters }),
  }))

/** The text with its numbers in the signs of ASCII, which {@link placeNumbers} reads. */
export const plainNumbers = (text: string): string => withSigns(withoutLatex(withPlainDigits(text)))

/** The numbers in a text of {@link plainNumbers}, in order, with their positions. */
export function placeNumbers(plain: string): readonly PlacedNumber[] {
  const numbers: PlacedNumber[] = []
  start.lastIndex = 0
  for (let at = start.exec(plain); at !== null; at = start.exec(plain)) {
    const number = readNumber(plain, at.index)
    start.lastIndex = Math.max(number.end, at.index + 1)
    if (number.type === 'name') continue
    numbers.push({
      written: plain.slice(number.from, number.end),
      start: number.from,
      end: number.end,
      value: number.type === 'number' ? number.value : undefined,
      ...(number.type === 'number' && readLetters(plain, number.end)),
    })
  }
  return numbers
}

/** Reads the letters that touch a number which ends at `end`, if they are no unit. */
function readLetters(text: string, end: number): Pick<NumberInText, 'letters'> | undefined {
  if (!/[\p{Script=Latin}]/u.test(text.charAt(end))) return undefined
  const unitMatch = match(touchingLetters, text, end)
  return unitMatch === undefined || unitMatch.groups?.['unit'] !== undefined ? undefined : { letters: unitMatch[0] }
}

/** Writes LaTeX's spaces, separators and signs as plain text. */
const withoutLatex = (text: string): string =>
  text.includes('\\') || text.includes('{,}')
    ? text
        .replace(/(?<=\d)(?:\\[,!;: ]|~|\{,\})(?=\d{3})/g, ',')
        .replace(/\\[dtc]frac(?![a-zA-Z])/g, '\\frac')
        .replace(/\\(?:times|cdot)(?![a-zA-Z])/g, '×')
        .replace(/\\div(?![a-zA-Z])/g, '÷')
        .replace(/\\(?:left|right)(?![a-zA-Z])|\\[,!;:]|\\(?=\$)/g, '')
        .replace(/\\pi(?![a-zA-Z])/g, 'π')
        .replace(/\\sqrt(?![a-zA-Z])/g, '√')
    : text

/** Writes a sign for a word directly before a number: `minus 3`, 负3. */
const withSigns = (text: string): string =>
  text.replace(/(?<![\p{L}\p{N}])(?:minus|negative|минус)\s+(?=[$€£]?\.?\d)|(?:[负負]|マイナス)\s?(?=\d)/giu, '-')

/** Matches where a number can start. */
const start = /\\frac(?=\s*[\d{])|\d|\.(?=\d)/g

type NumberMatch =
  | { readonly type: 'number'; readonly from: number; readonly end: number; readonly value: Rational | undefined }
  | { readonly type: 'name' | 'part'; readonly from: number; readonly end: number }

const latin = '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}'
const before = new RegExp(String.raw`(?<sign>[-+])?(?:${currency}\s?)*(?<inner>[-+])?$`, 'u')
const inName = new RegExp(`(?:[${latin}_]|[${latin}]\\.|\\^\\s*\\{?[-+]?|_\\s*\\{?)$`, 'u')
const operator = String.raw`[\p{L}\p{N})\]}%]\s*[+×·÷/]\s*|[\p{N})\]}]\s*\*\s*|[√±]\s*[{([]?\s*|\d\s?-\s?|\d(?::|\s:\s)|\d\.|[\]}]\s*\{|_\{?\d+\}?\s*`
const functions = String.raw`(?:\\?(?:sqrt|log|ln|exp|sin|cos|tan)|\\(?:[dt]?binom|pm|mp|frac|sec|csc|cot|lfloor|lceil))\s*[({]?\s*`
/** Matches what makes the number behind it an operand or an argument. */
const afterOperator = new RegExp(`(?:${operator}|(?<![a-zA-Z\\\\])${functions})$`, 'u')

/** Reads the number whose digits start at `at`. */
function readNumber(text: string, at: number): NumberMatch {
  const head = text.slice(Math.max(0, at - 12), at)
  const isPoint = text.charAt(at) === '.'
  const lead = before.exec(head)
  const stem = head.slice(0, lead?.index ?? head.length)
  const from = at - (head.length - stem.length)
  const isName = inName.test(stem) || (isPoint && /[\p{L}\p{N}.]$/u.test(head))
  const body = readBody(text, at)
  if (isName) return { type: 'name', from: at, end: isPoint ? at + 1 : body.end }
  const end = endOfExpression(text, body.end)
  const isSigned = (lead?.groups?.['sign'] ?? lead?.groups?.['inner']) === '-'
  const isMinus = isSigned && !/[\p{L}\p{N})\]}]$/u.test(stem)
  const isInBars = isMinus && stem.endsWith('|') && text.charAt(end) === '|'
  if (
    isInBars ||
    end > body.end ||
    afterOperator.test(text.slice(Math.max(0, at - 24), from)) ||
    isJoined(stem, lead?.groups?.['sign'])
  )
    return { type: 'part', from, end }
  const value = body.value === undefined ? undefined : isMinus ? negate(body.value) : body.value
  return { type: 'number', from: isMinus ? from : at, end, value }
}

/** Returns whether a hyphen joins digits to those before, as in `10-20`. */
const isJoined = (stem: string, sign: string | undefined): boolean =>
  sign !== undefined && /[\p{N})\]}]\s?$/u.test(stem)

const digits = new RegExp(digitsPattern, 'y')
const exponentMark = /[eE][-+]?\d+(?![\p{L}\p{N}])/uy
const powerOfTen = /\s?[×xX*·]\s?10\s?(?:\^|\*\*)\s?\{?\s?([-+]?\d+)\s?\}?/y
const power = /\s?(?:\^|\*\*)\s?(?:\{\s*([-+]?\d+)\s*\}|([-+]?\d+))/y
const latexFraction = /\s*\\frac\s*(?:\{\s*([-+]?[\d.,]+)\s*\}|(\d))\s*(?:\{\s*([\d.,]+)\s*\}|(\d))/y
const properFraction = /\s(\d+)\s?\/\s?(\d+)(?![\d/]|[.,]\d)/y
const divisor = new RegExp(String.raw`\s?\/\s?(${digitsPattern})`, 'y')

interface Body {
  readonly value: Rational | undefined
  readonly end: number
}

/** Reads an unsigned number with fraction, exponent and multiplying words. */
function readBody(text: string, at: number): Body {
  const alone = takeFraction(text, at)
  if (alone !== undefined) return alone
  if (text.startsWith('\\frac', at))
    return { value: undefined, end: endOfGroup(text, endOfGroup(text, at + '\\frac'.length)) }
  const digitText = match(digits, text, at)?.[0] ?? ''
  let end = at + Math.max(1, digitText.length)
  let value = isListed(text, at, end) ? undefined : readDigits(digitText)
  const isInteger = /^\d+$/.test(digitText)
  const mixed = isInteger ? takeMixed(text, end, value) : undefined
  if (mixed !== undefined) return mixed
  const e = match(exponentMark, text, end)
  if (e !== undefined) {
    value = value && multiply(value, readDecimal(`1${e[0]}`) ?? { top: 0n, bottom: 0n })
    end += e[0].length
  }
  const scientific = match(powerOfTen, text, end)
  if (scientific !== undefined) {
    value = value && product(value, readDecimal(`1e${scientific[1] ?? ''}`))
    end += scientific[0].length
  }
  const raised = scientific === undefined ? match(power, text, end) : undefined
  if (raised !== undefined) {
    const exponent = readDecimal(raised[1] ?? raised[2] ?? '')
    value = value && exponent && raise(value, exponent)
    end += raised[0].length
  }
  return takeDivisor(text, takeMultipliers(text, { value, end }))
}

const product = (a: Rational, b: Rational | undefined): Rational | undefined => b && multiply(a, b)

/** Returns whether a comma between digits separates the parts of a pair, as in `(3,14)`. */
const isListed = (text: string, at: number, end: number): boolean =>
  '([{'.includes(text.charAt(at - 1) || '-') &&
  ')]}'.includes(text.charAt(end) || '-') &&
  /^\d+,\d{1,2}$/.test(text.slice(at, end))

function takeFraction(text: string, at: number): Body | undefined {
  const fractionMatch = match(latexFraction, text, at)
  if (fractionMatch === undefined) return undefined
  const [top, bottom] = [
    readSigned(fractionMatch[1] ?? fractionMatch[2] ?? ''),
    readSigned(fractionMatch[3] ?? fractionMatch[4] ?? ''),
  ]
  return { value: top && bottom && divide(top, bottom), end: at + fractionMatch[0].length }
}

const readSigned = (numeral: string): Rational | undefined => {
  const size = readDigits(numeral.replace(/^[-+]/, ''))
  return size !== undefined && numeral.startsWith('-') ? negate(size) : size
}

/** Reads the fraction of a mixed number, such as `2\frac{1}{2}` or `3 1/2`. */
function takeMixed(text: string, end: number, value: Rational | undefined): Body | undefined {
  const latex = takeFraction(text, end)
  if (latex !== undefined) return { value: value && latex.value && add(value, latex.value), end: latex.end }
  const plain = match(properFraction, text, end)
  if (plain === undefined) return undefined
  const part = divide(whole(BigInt(plain[1] ?? '')), whole(BigInt(plain[2] ?? '')))
  if (part === undefined || compare(part, whole(1)) >= 0) return undefined
  return { value: value && add(value, part), end: end + plain[0].length }
}

/** Reads words such as `million`, and further parts such as in `3万5千`. */
function takeMultipliers(text: string, body: Body): Body {
  let { value, end } = body
  let total: Rational | undefined
  for (let word = matchMultiplier(text, end); word !== undefined; word = matchMultiplier(text, end)) {
    value = value && multiply(value, readFactor(word))
    end += word[0].length
    const more = /[\u3400-\u9fff\uac00-\ud7a3]$/.test(word[0]) ? match(/\s?(\d+(?:\.\d+)?)/y, text, end) : undefined
    if (more === undefined) continue
    total = value && (total === undefined ? value : add(total, value))
    value = readDecimal(more[1] ?? '')
    end += more[0].length
  }
  return { value: total === undefined ? value : value && add(total, value), end }
}

function takeDivisor(text: string, body: Body): Body {
  const divisorMatch = match(divisor, text, body.end)
  if (divisorMatch === undefined) return body
  const by = readDigits(divisorMatch[1] ?? '')
  return { value: body.value && by && divide(body.value, by), end: body.end + divisorMatch[0].length }
}

const continued = new RegExp(
  String.raw`\s?\+\s?\/\s?-\s?(?=\d)|[)\]}]*\s?(?:\^|\*\*(?=\s?[\d{(]))|\s?[√π_]|\s?sqrt(?![a-z])|\s?pi(?![a-z])` +
    String.raw`|i(?![\p{L}])|\.?\s?(?:\\(?:overline|bar|dot)\s*\{\d+\}|\(\d+\))(?<=\.\s?[\d\\a-z{(]*[)}])|:(?=\d)|\s?\/\s?(?=\d)|\s?[-+×·÷*]\s?(?=[\d√π(]|\\frac)|\s?[xX]\s?(?=\d)|[.,'’](?=\d)`,
  'yu',
)

/** The end of an expression that goes on behind a number, such as `× 3` or `:30`; the same position if none does. */
function endOfExpression(text: string, from: number): number {
  let end = from
  for (let more = match(continued, text, end); more !== undefined; more = match(continued, text, end)) {
    end += more[0].length
    const next = match(/[({]?[-+]?(?=\d|\\frac)/y, text, end)
    if (next !== undefined) end = readBody(text, end + next[0].length).end
  }
  return end
}

/** The end of the group in braces, or of the single sign, at `from`. */
function endOfGroup(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    if (depth <= 0 && character !== ' ') return at + 1
  }
  return text.length
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}
