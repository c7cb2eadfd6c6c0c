/** Half of a pair of UTF-16 code units: JSON can write one (`"\\ud83d"`), UTF-8 can not. */
const half = /\p{Surrogate}/u

/** Whether a text can be written as UTF-8 and read again as it was. */
export const isWellFormed = (text: string): boolean => !half.test(text)

/** The text with U+FFFD in place of each half of a pair. */
export const wellFormed = (text: string): string =>
  isWellFormed(text) ? text : text.replace(new RegExp(half, 'gu'), '\ufffd')
