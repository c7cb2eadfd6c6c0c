/** The numbers in a text, in order: `-1,234.5`, `1e-3`, `3/4`, `.5`; a sign only where no letter or digit stands before it. */
export function numbersIn(text: string): readonly number[] {
  const plain = text.replace(/[−–]/g, '-')
  const pattern =
    /(?<![\p{L}\p{N}_.])([-+]?)(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)([eE][-+]?\d+)?(?:\s?\/\s?(\d+(?:\.\d+)?))?/gu
  return Array.from(plain.matchAll(pattern), ([, sign = '', digits = '', exponent = '', divisor]) => {
    const value = Number(`${sign}${digits.replaceAll(',', '')}${exponent}`)
    return divisor === undefined ? value : value / Number(divisor)
  }).filter(Number.isFinite)
}
