/** What words, numbers, addresses and the rest look like, as patterns of the lexer. */
import { longAcronym } from './abbreviations.js'
import {
  apostrophe,
  digit,
  hyphen,
  letter,
  letterOrDigit,
  letters,
  looseApostrophe,
  newline,
  space,
} from './characters.js'

const wordRest = `(${letter}|${digit})*`

export const word = String.raw`${letter}${wordRest}([.!?]${letter}${wordRest})*`

/** A form of be or have, or will, drawn to the word before it. */
export const contraction = `${apostrophe}([msdMSD]|re|ve|ll)`
/** What stands before the `n't` of a negation. */
export const negated = String.raw`[A-Za-z\u00ad]*[A-MO-Za-mo-z]\u00ad*`
export const negation = `n${looseApostrophe}t`

/** Words with an apostrophe that stays in them. */
export const apostropheWord = `(${[
  `${apostrophe}n${apostrophe}?`,
  `([lLdDjJ]|Dunkin|somethin|ol)${apostrophe}`,
  `${apostrophe}(em|[2-9]0s|till?|cause)`,
  `[A-HJ-XZn]${looseApostrophe}[${letters}]{2}[${letters}]*`,
  `[${letters}][${letters}]*[aeiouyAEIOUY]${looseApostrophe}[aeiouA-Z][${letters}]*`,
  String.raw`cont'd\.?|'twas|nor'easter|c'mon|e'er|s'mores|ev'ry|li'l|nat'l`,
  `O${looseApostrophe}o`,
].join('|')})`

const elided = `([dDoOlL]${looseApostrophe}${letterOrDigit})?${letterOrDigit}+`
/** Words joined by hyphens. */
export const compound = `${elided}(${hyphen}${elided})*`
export const hyphenated = String.raw`[A-Za-z0-9][A-Za-z0-9.,\u00ad]*(-([A-Za-z0-9\u00ad]+|${longAcronym}\.))+`
export const withAmpersands = '[A-Z]+(([+&]|&amp;)[A-Z]+)+'
export const withSlashes = String.raw`[A-Za-z0-9]+(-[A-Za-z]+){0,2}(\\?/[A-Za-z0-9]+(-[A-Za-z]+){0,2}){1,2}`
export const treebankWord = `(-(RRB|LRB|RCB|LCB|RSB|LSB)-|C\\.D\\.s|pro-|anti-|S(&|&amp;)P-500|S(&|&amp;)Ls|Cap${apostrophe}n|c${apostrophe}est)`

export const number = String.raw`[-+]?(${digit}+|${digit}*([.:,\u00ad\u066b\u066c]${digit}+)+)`
export const date = `${digit}{1,2}[-/]${digit}{1,2}[-/]${digit}{2,4}`
export const fraction = String.raw`(${digit}{1,4}[- \u00a0])?${digit}{1,4}(\\?/|\u2044)${digit}{1,4}`
export const raisedNumber = String.raw`[\u207a\u207b\u208a\u208b]?([\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+|[\u2080-\u2089]+)`
export const currency = String.raw`[\u00a2-\u00a5\u0080\u20a0\u20ac\u060b\u0e3f\u20a4\uffe0\uffe1\uffe5\uffe6]`

const gap = String.raw`[- \u00a0]`
export const phone = String.raw`((\([0-9]{2,3}\)[ \u00a0]?|(\+\+?)?([0-9]{2,4}${gap})?[0-9]{2,4}${gap})[0-9]{3,4}${gap}?[0-9]{3,5}|((\+\+?)?[0-9]{2,4}\.)?[0-9]{2,4}\.[0-9]{3,4}\.[0-9]{3,5})`

const addressEnd = String.raw`[^ \t\n\f\r"<>|.!?(){},-]`
export const fullUrl = String.raw`https?://[^ \t\n\f\r"<>|(){}]+${addressEnd}`
/** The reference's class for a domain's parts has a range from the comma to the underscore, so that digits and capitals are out. */
export const likelyUrl = String.raw`(www\.([^ \t\n\f\r"<>|.!?(){},]+\.)+[a-zA-Z]{2,4}|([^ \t\n\f\r"\x60'<>|.!?(){},-_$]+\.)+(com|net|org|edu))(/[^ \t\n\f\r"<>|()]+${addressEnd})?`
export const email = String.raw`(&lt;|<)?[a-zA-Z0-9][^ \t\n\f\r"<>|()\u00a0{}]*@([^ \t\n\f\r"<>|(){}.\u00a0]+\.)*([^ \t\n\f\r"<>|(){}.\u00a0]+)(&gt;|>)?`
export const twitterName = `(@[a-zA-Z_][a-zA-Z_0-9]*|#${letter}+)`
export const fileName = String.raw`(${letter}|${digit})+(\.(${letter}|${digit})+)*\.(${[
  'bat bmp c class cgi cpp dll doc docx exe gif gz h htm html jar java jpeg jpg mov mp3 pdf php',
  'pl png ppt ps py sql tar txt wav x xml zip',
]
  .join(' ')
  .replaceAll(' ', '|')})`

const attributeName = String.raw`[A-Za-z][A-Za-z0-9_:.\-]*`
export const markup = String.raw`<([!?][A-Za-z\-][^>\r\n]*|${attributeName}( +(${attributeName}|${attributeName} *= *('[^']*'|"[^"]*")))* */?|/${attributeName}) *>`

export const smiley = String.raw`[<>]?[:;=][\-o*']?[\(\)DPdpO\\\{@\|\[\]]`
export const asianSmiley = String.raw`([\^x=~<>]\.\[\^x=[^<]*<>\]|[\-\^x=~<>']_[\-\^x=~<>']|\([\-\^x=~<>'][_.]?[\-\^x=~<>']\)|\([\^x=~<>']-[\^x=~<>'\x60]\))`

export const ellipsis = String.raw`(\.{3,5}|(\.[ \u00a0]){2,4}\.|[\u0085\u2026])`
export const quotes = String.raw`(${apostrophe}|''|[\x60\u2018-\u201f\u0091-\u0094\u2039\u203a\u00ab\u00bb]{1,2})`

const spaceOrNewline = `(${space}|${newline})`
export const gapAfter = spaceOrNewline
export const gaps = `${spaceOrNewline}+`
export const sentenceEnd = String.raw`${spaceOrNewline}(${spaceOrNewline}|[\p{Uppercase}]|${markup})`
