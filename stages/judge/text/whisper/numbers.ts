import { pythonRegex } from '../../../../base/python/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../../base/python/white-space.js'
import { withAsciiDigits } from '../python-number.js'
import { numberWords, type NumberWord } from './number-words.js'

/**
 * Writes spelled-out numbers in digits: `twenty five dollars` becomes `$25`, `one oh one` becomes `101`, `twenty
 * first` becomes `21st`. `one` is not changed. The text must be in lower case, with single spaces between words.
 *
 * Source: openai-whisper 20250625, `normalizers/english.py`, EnglishNumberNormalizer.
 */
export function normaliseNumbers(text: string): string {
  const words = splitWhiteSpace(separateLetters(withoutHalves(text)))
  return joinCents(spellOutNumbers(words).join(' '))
}

/** Replaces `two and a half` by `two point five`. */
function withoutHalves(text: string): string {
  const segments = text.split(half)
  const parts = segments.flatMap((segment, index) => {
    if (stripWhiteSpace(segment) === '') return []
    if (index === segments.length - 1) return [segment]
    return [segment, takesPointFive(splitWhiteSpace(segment).at(-1) ?? '') ? 'point five' : 'and a half']
  })
  return parts.join(' ')
}

/** Adds a space where letters and digits meet, except before `st`, `nd`, `rd`, `th` and `s`. */
const separateLetters = (text: string): string =>
  text
    .replace(/([a-z])([0-9])/g, '$1 $2')
    .replace(/([0-9])([a-z])/g, '$1 $2')
    .replace(ordinalSuffix, '$1$2')

/** Joins `$2 and ¢7` to `$2.07`, writes `$0.50` as `¢50`, and 1 as a word. */
const joinCents = (text: string): string =>
  text
    .replace(
      unitAndCents,
      (_, currency: string, integer: string, cents: string) => `${currency}${integer}.${cents.padStart(2, '0')}`,
    )
    .replace(centsAlone, (_, cents: string) => `¢${Number(cents)}`)
    .replace(oneOrOnes, 'one$1')

const half = pythonRegex('\\band\\s+a\\s+half\\b')
const ordinalSuffix = pythonRegex('([0-9])\\s+(st|nd|rd|th|s)\\b', 'g')
const unitAndCents = pythonRegex('([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})\\b', 'g')
const centsAlone = pythonRegex('[€£$]0.([0-9]{1,2})\\b', 'g')
const oneOrOnes = pythonRegex('\\b1(s?)\\b', 'g')

/** The number read so far: a whole number, or literal digits, such as `101` for `one oh one`, or `2.`. */
type Value = bigint | string | undefined

interface Word {
  readonly text: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Returns whether `and a half` after this word belongs to the number. */
const takesPointFive = (word: string): boolean => isDecimal(word) || isPlain(word, 'multiplier')

/** Joins the words of each number and writes it in digits. */
function spellOutNumbers(words: readonly string[]): readonly string[] {
  const reader = new NumberReader()
  for (let i = 0; i < words.length; i++) {
    const text = words[i] ?? ''
    if (reader.read({ text, before: words[i - 1], after: words[i + 1] }) === 'with the next one') i += 1
  }
  return reader.finish()
}

/** Reads one text word by word. */
class NumberReader {
  readonly #written: string[] = []
  #value: Value
  #prefix = ''

  finish(): readonly string[] {
    this.#flush()
    return this.#written
  }

  read(word: Word): 'with the next one' | undefined {
    const numberWord = numberWords.get(word.text)
    if (isNumeral(removeSign(word.text))) this.#readNumeral(word.text)
    else if (numberWord === undefined) this.#pass(word.text)
    else return this.#readWord(numberWord, word)
    return undefined
  }

  #readWord(numberWord: NumberWord, word: Word): 'with the next one' | undefined {
    switch (numberWord.kind) {
      case 'zero':
        this.#value = `${formatDigits(this.#value)}0`
        return undefined
      case 'one':
      case 'ten':
        this.#value = appendNumber(this.#value, numberWord, word.before)
        if (numberWord.suffix !== undefined) this.#write(`${this.#value}${numberWord.suffix}`)
        return undefined
      case 'multiplier':
        this.#multiply(numberWord.value)
        if (numberWord.suffix !== undefined) this.#write(`${String(this.#value)}${numberWord.suffix}`)
        return undefined
      case 'sign':
        this.#flush()
        if (canBeNumeric(word.after)) this.#prefix = numberWord.symbol
        else this.#write(word.text)
        return undefined
      case 'currency':
        if (this.#value !== undefined) this.#prefix = numberWord.symbol
        this.#write(this.#value ?? word.text)
        return undefined
      case 'percent':
      case 'per':
        return this.#readPercent(numberWord.kind, word)
      case 'and':
      case 'point':
      case 'repeat':
        return this.#readSpecial(numberWord, word)
    }
  }

  #readNumeral(text: string): void {
    if (typeof this.#value === 'string' && this.#value.endsWith('.')) {
      this.#value += text
      return
    }
    this.#flush()
    const digits = removeSign(text)
    if (digits !== text) this.#prefix = text.charAt(0)
    this.#value = wholeNumber(digits) ?? digits
  }

  /** A number that can't be multiplied is output, and the multiplier starts a new one. */
  #multiply(multiplier: bigint): void {
    const product = multiplyValue(this.#value, multiplier)
    if (product === undefined) this.#flush()
    this.#value = product ?? multiplier
  }

  #readPercent(kind: 'percent' | 'per', word: Word): 'with the next one' | undefined {
    if (this.#value === undefined || (kind === 'per' && word.after !== 'cent')) {
      this.#pass(word.text)
      return undefined
    }
    this.#write(`${this.#value}%`)
    return kind === 'per' ? 'with the next one' : undefined
  }

  #readSpecial(numberWord: NumberWord, { text, before, after }: Word): 'with the next one' | undefined {
    if (!canBeNumeric(after)) this.#pass(text)
    else if (numberWord.kind === 'and') {
      if (!isPlain(before, 'multiplier')) this.#pass(text)
    } else if (numberWord.kind === 'repeat') {
      const next = numberWords.get(after ?? '')
      if (!isPlain(after, 'one') && next?.kind !== 'zero') this.#pass(text)
      else {
        const digits = next?.kind === 'one' ? String(next.value) : '0'
        this.#value = formatDigits(this.#value) + digits.repeat(numberWord.times)
        return 'with the next one'
      }
    } else if (isDecimal(after) || isNumeral(after ?? '')) this.#value = `${formatDigits(this.#value)}.`
    return undefined
  }

  #pass(text: string): void {
    this.#flush()
    this.#write(text)
  }

  #flush(): void {
    if (this.#value !== undefined) this.#write(this.#value)
  }

  #write(result: bigint | string): void {
    this.#written.push(`${this.#prefix}${result}`)
    this.#value = undefined
    this.#prefix = ''
  }
}

const isNumeral = (text: string): boolean => /^\p{Nd}+(?:\.\p{Nd}+)?$/u.test(text)

const removeSign = (text: string): string => (/^[-+£€$¢]/.test(text) ? text.slice(1) : text)

const canBeNumeric = (word: string | undefined): boolean =>
  word !== undefined && (numberWords.has(word) || isNumeral(word))

/** Returns whether a word is of this kind and has no suffix. */
function isPlain(word: string | undefined, kind: 'one' | 'ten' | 'multiplier'): boolean {
  const numberWord = numberWords.get(word ?? '')
  return numberWord?.kind === kind && numberWord.suffix === undefined
}

const isDecimal = (word: string | undefined): boolean =>
  isPlain(word, 'one') || isPlain(word, 'ten') || numberWords.get(word ?? '')?.kind === 'zero'

/** The digits so far; empty for zero. */
const formatDigits = (value: Value): string => (value === undefined || value === 0n ? '' : String(value))

type Small = Extract<NumberWord, { readonly value: bigint }>

/** Appends a number below a hundred: it is added if the last digits are zeros, else its digits are appended. */
function appendNumber(value: Value, { kind, value: small }: Small, before: string | undefined): bigint | string {
  if (value === undefined) return small
  const isDigit = kind === 'one' && small < 10n
  if (typeof value === 'string' || (kind === 'one' && isPlain(before, 'one'))) {
    return isDigit && isPlain(before, 'ten') ? `${String(value).slice(0, -1)}${small}` : `${value}${small}`
  }
  return value % (isDigit ? 10n : 100n) === 0n ? value + small : `${value}${small}`
}

/**
 * Multiplies the last three digits by `multiplier`. For digits with a point it multiplies all; undefined if the
 * result is not whole.
 */
function multiplyValue(value: Value, multiplier: bigint): bigint | undefined {
  if (value === undefined) return multiplier
  if (typeof value === 'bigint') return value - (value % 1000n) + (value % 1000n) * multiplier
  const parts = /^(?=\.?\d)(\d*)(?:\.(\d*))?$/.exec(withAsciiDigits(value))
  if (parts === null) return undefined
  const decimals = parts[2] ?? ''
  const scale = 10n ** BigInt(decimals.length)
  const product = BigInt(`${parts[1] ?? ''}${decimals}`) * multiplier
  return product % scale === 0n ? product / scale : undefined
}

/** The value of a numeral without a fraction, or with only zeros after the point. */
function wholeNumber(numeral: string): bigint | undefined {
  const integer = /^(\d+)(?:\.0+)?$/.exec(withAsciiDigits(numeral))?.[1]
  return integer === undefined ? undefined : BigInt(integer)
}
