/** HTML's names of U+00A0 to U+00FF. */
import { ownValue } from '../../../../base/named-values.js'
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot ' +
  'cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml ' +
  'Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ' +
  'ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'

/** Those that are also known without a semicolon. */
const plain: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  AMP: '&',
  LT: '<',
  GT: '>',
  QUOT: '"',
  COPY: '©',
  REG: '®',
  ...Object.fromEntries(latin.split(' ').map((name, at) => [name, String.fromCharCode(0xa0 + at)])),
}

const closed: Readonly<Record<string, string>> = {
  apos: "'",
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  hellip: '…',
  bull: '•',
  euro: '€',
  trade: '™',
  minus: '−',
  le: '≤',
  ge: '≥',
  ne: '≠',
  larr: '←',
  rarr: '→',
  infin: '∞',
  thinsp: '\u2009',
  ensp: '\u2002',
  emsp: '\u2003',
  zwj: '\u200d',
  zwnj: '\u200c',
}

/** Windows' characters, which numbers from 128 to 159 stand for. */
const windows = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * A text of HTML with what its entities stand for, as Python's `html.unescape` gives it.
 *
 * @throws Error for an entity that may be one of the two thousand which are not known here
 */
export function unescaped(text: string): string {
  return text.replace(/&(#\d+;?|#[xX][\da-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)/g, (whole, name: string) =>
    name.startsWith('#') ? characterOf(name) : named(whole, name),
  )
}

function characterOf(name: string): string {
  const number = Number.parseInt(name.replace(/^#[xX]?/, ''), /^#[xX]/.test(name) ? 16 : 10)
  if (number >= 0x80 && number <= 0x9f) return windows.charAt(number - 0x80)
  if (number === 0 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff)) return '\ufffd'
  const isNothing =
    (number < 0x20 && !(number >= 9 && number <= 13 && number !== 11)) ||
    number === 0x7f ||
    number === 0x0b ||
    (number >= 0xfdd0 && number <= 0xfdef) ||
    (number & 0xfffe) === 0xfffe
  return isNothing ? '' : String.fromCodePoint(number)
}

function named(whole: string, name: string): string {
  if (name.endsWith(';')) {
    const own = name.slice(0, -1)
    const found = ownValue(plain, own) ?? ownValue(closed, own)
    if (found !== undefined) return found
  }
  for (let length = name.length; length > 1; length--) {
    const found = ownValue(plain, name.slice(0, length))
    if (found !== undefined) return found + name.slice(length)
  }
  if (/^[A-Za-z][A-Za-z0-9]*;$/.test(name))
    throw new Error(`striptags: ${whole} is not known here. Write the character itself`)
  return whole
}
