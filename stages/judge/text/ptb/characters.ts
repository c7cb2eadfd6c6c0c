/**
 * Kinds of characters, as patterns of the lexer. The reference was made with the tables of Unicode 6.3 and reads UTF-16 units: a
 * character beyond U+FFFF is in no kind.
 */

/** Letters and digits; for use inside `[…]`. U+1885 and U+1886 were letters then. */
export const letters = String.raw`\p{L}\u1885\u1886`
export const digits = String.raw`\p{Nd}`

/** Letters and digits that came after Unicode 6.3, up to 17. */
const later = new RegExp(
  `[${[
    '37f 528-52f 560 588 5ef 860-86a 870-887 889-88f 8a1 8ad-8c9 978 980 9fc af9 c34 c5a c5c-c5d c80 cdc-cdd d04 d54-d56 d5f de6-def',
    'e86 e89 e8c e8e-e93 e98 ea0 ea8-ea9 eac 13f5 13f8-13fd 16f1-16f8 170d 171f 1878 191d-191e 1b4c 1c80-1c8a 1c90-1cba',
    '1cbd-1cbf 1cf2-1cf3 1cfa 2c2f 2c5f 312e-312f 31bb-31bf 4db6-4dbf 9fcd-9fff a698-a69d a78f a794-a79f a7ab-a7dc a7f1-a7f7 a8fd-a8fe',
    'a9e0-a9e4 a9e6-a9fe aa7e-aa7f ab30-ab5a ab5c-ab69 ab70-abbf',
  ]
    .join(' ')
    .split(' ')
    .map(range => range.replace(/[0-9a-f]+/g, '\\u{$&}'))
    .join('')}]`,
  'u',
)

/** Whether the reference knew nothing of a UTF-16 unit. */
export const isLater = (unit: number): boolean => later.test(String.fromCharCode(unit))

/** What a word is made of: letters, marks and signs of many scripts, and three kinds of accented vowels in HTML. */
export const letter = String.raw`([${letters}\u00ad\u0237-\u024f\u02c2-\u02c5\u02d2-\u02df\u02e5-\u037d\u0384\u0385\u03cf\u03f6\u03fc-\u03ff\u0483-\u0487\u04cf\u04f6-\u0525\u055a-\u055f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0615-\u061a\u063b-\u063f\u064b-\u065e\u0670\u06d6-\u06ef\u06fa-\u06ff\u070f\u0711\u0730-\u077f\u07a6-\u07b1\u07ca-\u07f5\u07fa\u0900-\u0903\u093c\u093e-\u094e\u0951-\u0955\u0962\u0963\u0981-\u0983\u09bc-\u09c4\u09c7\u09c8\u09cb-\u09cd\u09d7\u09e2\u09e3\u0a01-\u0a03\u0a3c\u0a3e-\u0a4f\u0a81-\u0a83\u0abc-\u0acf\u0b82\u0bbe-\u0bc2\u0bc6-\u0bc8\u0bca-\u0bcd\u0c01-\u0c03\u0c3e-\u0c56\u0d3e-\u0d44\u0d46-\u0d48\u0e30-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd]|&[aeiouAEIOU](acute|grave|uml);)`

export const digit = `[${digits}]`

export const letterOrDigit = `[${letters}${digits}]`

/** White space within a line. */
export const space = String.raw`[ \t\u00a0\u2000-\u200a\u3000]`

export const newline = String.raw`(\r|\r?\n|[\u2028\u2029\u000b\u000c\u0085])`

export const apostrophe = String.raw`(['\u0092\u2019]|&apos;)`

/** An apostrophe, or what is typed for one inside a word. */
export const looseApostrophe = String.raw`(${apostrophe}|[\x60\u0091\u2018\u201b])`

export const hyphen = String.raw`[-_\u058a\u2010\u2011]`

/** Symbols that stand alone. */
export const symbol = String.raw`[+%&~\^|\\\u00a6\u00a7\u00a8\u00a9\u00ac\u00ae\u00af\u00b0-\u00ba\u00d7\u00f7\u0387\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u0603\u0606-\u060a\u060c\u0614\u061b\u061e\u066a\u066d\u0703-\u070d\u07f6-\u07f8\u0964\u0965\u0e4f\u1fbd\u2016\u2017\u2020-\u2023\u2030-\u2038\u203b\u203e-\u2042\u2044\u207a-\u207f\u208a-\u208e\u2100-\u214f\u2190-\u2bff\u3012\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]`
