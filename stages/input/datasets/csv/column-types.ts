/** The type of all values of a column. */
export type ColumnType = 'integer' | 'float' | 'boolean' | 'text'

/** Texts that pandas reads as a missing value. */
export const missingTexts: ReadonlySet<string> = new Set(
  ' #N/A #N/A_N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL NaN None n/a nan null'
    .split(' ')
    .map(text => text.replace('_', ' ')),
)

const integer = /^[ \t\v\f\r\n]*[+-]?\d+[ \t\v\f\r\n]*$/
const leadingInteger = /^[ \t\v\f\r\n]*([+-]?\d+)/
const truths: ReadonlyMap<string, boolean> = new Map([
  ['True', true],
  ['TRUE', true],
  ['true', true],
  ['False', false],
  ['FALSE', false],
  ['false', false],
])

/** The types that are still possible for a column. The first possible type wins. */
interface ColumnGuess {
  couldBeInteger: boolean
  couldBeFloat: boolean
  couldBeBoolean: boolean
  /** True if it contains integers that JavaScript would round. */
  hasLarge: boolean
  hasMissing: boolean
  isEmpty: boolean
}

export const newGuess = (): ColumnGuess => ({
  couldBeInteger: true,
  couldBeFloat: true,
  couldBeBoolean: true,
  hasLarge: false,
  hasMissing: false,
  isEmpty: true,
})

/**
 * Updates the guess with one more value.
 *
 *
 * Source: pandas' `parsers.pyx`, `_convert_tokens`: a column has the first of the types int64, float64 and bool
 * that fits all its values. A number beyond int64 before any fraction makes it text.
 */
export function look(guess: ColumnGuess, value: string, missing: ReadonlySet<string>): void {
  if (isText(guess)) return
  if (missing.has(value)) {
    guess.hasMissing = true
    return
  }
  guess.isEmpty = false
  if (guess.couldBeBoolean && !truths.has(value)) guess.couldBeBoolean = false
  if (!guess.couldBeFloat) return
  if (integer.test(value)) {
    if (!Number.isSafeInteger(Number(value))) guess.hasLarge = true
    return
  }
  if (guess.couldBeInteger && isBeyondInt64(value)) guess.couldBeFloat = false
  else if (!Number.isFinite(pandasFloat(value))) guess.couldBeFloat = false
  guess.couldBeInteger = false
}

const isText = ({ couldBeBoolean, couldBeFloat }: ColumnGuess): boolean => !couldBeBoolean && !couldBeFloat

/** The type of a column. A column of integers becomes text if a number would lose digits; the text prints the same. */
export function chooseColumnType({
  couldBeInteger,
  couldBeFloat,
  couldBeBoolean,
  hasLarge,
  isEmpty,
}: ColumnGuess): ColumnType {
  if (isEmpty) return 'text'
  if (couldBeFloat && couldBeInteger) return hasLarge ? 'text' : 'integer'
  if (couldBeFloat) return 'float'
  return couldBeBoolean ? 'boolean' : 'text'
}

/** Returns whether pandas reads the column as floating-point numbers. An integer column can't have missing values there. */
export const isFloat = (guess: ColumnGuess): boolean =>
  chooseColumnType(guess) === 'float' || (chooseColumnType(guess) === 'integer' && guess.hasMissing)

/** The value in the column's type; `null` if it is missing. */
export function convertCell(
  value: string,
  type: ColumnType,
  missing: ReadonlySet<string>,
): string | number | boolean | null {
  if (missing.has(value)) return null
  // Adding 0 turns -0 into 0.
  if (type === 'integer') return Number(value) + 0
  if (type === 'float') return pandasFloat(value)
  return type === 'boolean' ? (truths.get(value) ?? null) : value
}

const largest = 2n ** 63n

function isBeyondInt64(value: string): boolean {
  const digits = leadingInteger.exec(value)?.[1]
  if (digits === undefined || digits.length < 19) return false
  const number = BigInt(digits.replace('+', ''))
  return number >= largest || number < -largest
}

/**
 * The column names that pandas assigns. A column without a name is `Unnamed: 2`, and a repeated name becomes
 * `name.1`.
 *
 *
 * Source: pandas' `parsers.pyx`, `_get_header`.
 */
export function columnNames(record: readonly string[]): readonly string[] {
  const names = record.map((name, index) => (name === '' ? `Unnamed: ${index}` : name))
  const counts = new Map<string, number>()
  const countRepeats = (name: string): number => counts.get(name) ?? 0
  const indices = [...names.keys()]
  const isNamed = (index: number): boolean => record[index] !== ''
  for (const index of [...indices.filter(isNamed), ...indices.filter(index => !isNamed(index))]) {
    const header = names[index] ?? ''
    let name = header
    let count = countRepeats(header)
    while (count > 0) {
      counts.set(header, count + 1)
      name = `${header}.${count}`
      count = names.includes(name) ? count + 1 : countRepeats(name)
    }
    names[index] = name
    counts.set(name, count + 1)
  }
  return names
}

/** The maximum number of digits that are used, including leading zeros. Further digits are ignored. */
const mostDigits = 17
const mostExponent = 308

const pattern = /^[ \t\v\f\r\n]*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?[ \t\v\f\r\n]*$/

/** Powers of ten as exact literals, since `10 ** n` can differ from them. */
const powers = Array.from({ length: mostExponent + 1 }, (_, exponent) => Number(`1e${exponent}`))
const power = (exponent: number): number => powers[exponent] ?? Infinity

/**
 * Parses a number like pandas' `read_csv`. The result is not always the nearest double, because digits after the
 * seventeenth are ignored.
 *
 *
 * Source: `precise_xstrtod` of pandas' `tokenizer.c`.
 *
 *
 * @returns NaN if the text is not a number, Infinity if it is too large
 */
function pandasFloat(text: string): number {
  const [, sign, whole = '', fraction = '', exponentText = '0'] = pattern.exec(text) ?? []
  if (sign === undefined || whole.length + fraction.length === 0) return NaN
  const decimals = fraction.slice(0, Math.max(0, mostDigits - whole.length))
  const number = ofDigits(whole.slice(0, mostDigits) + decimals)
  const exponent = Math.max(0, whole.length - mostDigits) - decimals.length + Number(exponentText)
  return (sign === '-' ? -1 : 1) * scaleNumber(number, exponent)
}

/** Accumulates digit by digit like pandas, since there may be too many digits for an exact number. */
function ofDigits(digits: string): number {
  if (digits.length <= 15) return Number(digits)
  let number = 0
  for (const digit of digits) number = number * 10 + Number(digit)
  return number
}

function scaleNumber(number: number, exponent: number): number {
  if (exponent > mostExponent) return Infinity
  if (exponent >= 0) return number * power(exponent)
  if (exponent >= -mostExponent) return number / power(-exponent)
  return number / power(-mostExponent - exponent) / power(mostExponent)
}
