/** One decimal digit of any script, as Python's `\d`. */
export const decimalDigit = /\p{Nd}/gu

/** The value of a decimal digit of any script: 3 for `3`, `３`, `٣`. */
export function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  if (code < 0x80) return code - 0x30
  // Unicode keeps the digits of a script together and begins each run with its zero.
  let zero = code
  while (isDigit(zero - 1)) zero -= 1
  return (code - zero) % 10
}

/** `text` with the digits of all scripts as those of ASCII. */
export const withAsciiDigits = (text: string): string => text.replace(decimalDigit, digit => String(digitValue(digit)))

const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code))
