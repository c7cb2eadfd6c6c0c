/**
 * Lexer patterns of words, numbers, addresses and so on.
 *
 * The abbreviations are words to which a period belongs. `[A]z` is a state only with its capital; the rest of a
 * word matches in any case.
 *
 * Source: the lexer of Stanford's PTB tokenizer, version 3.4.1, which took them from the Wall Street Journal of
 * 1987.
 */
const joinAlternatives = (...lists: readonly string[]): string => `(${lists.join(' ').split(' ').join('|')})`

const months = 'Jan Feb Mar Apr Jun Jul Aug Sept? Oct Nov Dec'
const days = 'Mon Tues? Wed Thu Thurs Fri'
const states =
  'Ala Ariz [A]z [A]rk Calif Colo Conn Ct Dak [D]el Fla Ga [I]ll Ind Kans? Ky [L]a [M]ass Md Mich Minn [M]iss Mo Mont Neb Nev ' +
  'Okla [O]re [P]a Penn Tenn [T]ex Va Vt [W]ash Wisc? Wyo'
const companies = 'Inc Cos? Corp Pp?t[ye]s? Ltd Plc Rt Bancorp Bhd Assn Univ Intl Sys'
const others = String.raw`tel est ext sq Jr Sr Bros (Ed|Ph)\.D Blvd Rd Esq etc al seq Bldg`
const titles =
  'Mr Mrs Ms [M]iss Drs? Profs? Sens? Reps? Attys? Lt Col Gen Messrs Govs? Adm Rev Maj Sgt Cpl Pvt Capt Ste? Ave Pres Lieut Hon ' +
  'Brig Co?mdr Pfc Spc Supts? Det Mt Ft Adj Adv Asst Assoc Ens Insp Mlle Mme Msgr Sfc'
const named = String.raw`vs Alex Wm Jos Cie a\.k\.a cf TREAS Ph Invt Elec Natl M[ft]g Dept`

const joinedAcronyms = String.raw`(Canada|Sino|Korean|EU|Japan|non)-U\.S|U\.S\.-(U\.K|U\.S\.S\.R)`

/** Matches one or more letters with periods between them. */
export const acronym = String.raw`([A-Za-z](\.[A-Za-z])*|${joinedAcronyms})`

/** Matches two or more letters with periods between them. */
const longAcronym = String.raw`([A-Za-z](\.[A-Za-z])+|${joinedAcronyms})`

/** Matches abbreviations after which a capital starts a sentence. */
export const sentenceEnding = String.raw`${joinAlternatives(months, days, states, companies, others)}\.`

/** Matches abbreviations after which a capital mostly continues the sentence, without their period. */
export const withinSentence = `(${joinAlternatives(titles, named)}|${acronym})`

/** Matches abbreviations that precede a number. */
export const beforeNumber = String.raw`${joinAlternatives('ca figs? prop nos? art bldg pp op')}\.`

/** Matches capitalised words that show that an acronym before them ends a sentence. */
export const sentenceBeginning = String.raw`${joinAlternatives(
  '[A]bout [A]ccording [A]dditionally [A]fter [A]n [A] [A]s [A]t [B]ut [E]arlier [H]e [H]er [H]ere [H]owever [I]f [I]n [I]t [L]ast',
  String.raw`[M]any [M]ore [M]r\. [M]s\. [N]ow [O]nce [O]ne [O]ther [O]ur [S]he [S]ince [S]o [S]ome [S]uch [T]hat [T]he [T]heir [T]hen`,
  '[T]here [T]hese [T]hey [T]his [W]e [W]hen [W]hile [W]hat [Y]et [Y]ou',
)}`

/**
 * Lexer patterns of character kinds. The reference uses the tables of Unicode 6.3 and reads UTF-16 units, so a
 * character beyond U+FFFF is in no kind.
 */

/** Letters, for use inside `[…]`. U+1885 and U+1886 were letters in Unicode 6.3. */
export const letters = String.raw`\p{L}\u1885\u1886`
export const digits = String.raw`\p{Nd}`

/** Matches letters and digits that were added after Unicode 6.3, up to 17. */
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

/** Returns whether a UTF-16 unit was unassigned in Unicode 6.3. */
export const isLater = (unit: number): boolean => later.test(String.fromCharCode(unit))

/**
 * Matches a character of a word: letters, marks and signs of many scripts, and three kinds of accented vowels in
 * HTML.
 */
export const letter = String.raw`([${letters}\u00ad\u0237-\u024f\u02c2-\u02c5\u02d2-\u02df\u02e5-\u037d\u0384\u0385\u03cf\u03f6\u03fc-\u03ff\u0483-\u0487\u04cf\u04f6-\u0525\u055a-\u055f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0615-\u061a\u063b-\u063f\u064b-\u065e\u0670\u06d6-\u06ef\u06fa-\u06ff\u070f\u0711\u0730-\u077f\u07a6-\u07b1\u07ca-\u07f5\u07fa\u0900-\u0903\u093c\u093e-\u094e\u0951-\u0955\u0962\u0963\u0981-\u0983\u09bc-\u09c4\u09c7\u09c8\u09cb-\u09cd\u09d7\u09e2\u09e3\u0a01-\u0a03\u0a3c\u0a3e-\u0a4f\u0a81-\u0a83\u0abc-\u0acf\u0b82\u0bbe-\u0bc2\u0bc6-\u0bc8\u0bca-\u0bcd\u0c01-\u0c03\u0c3e-\u0c56\u0d3e-\u0d44\u0d46-\u0d48\u0e30-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd]|&[aeiouAEIOU](acute|grave|uml);)`

export const digit = `[${digits}]`

const letterOrDigit = `[${letters}${digits}]`

/** Matches white space within a line. */
export const space = String.raw`[ \t\u00a0\u2000-\u200a\u3000]`

export const newline = String.raw`(\r|\r?\n|[\u2028\u2029\u000b\u000c\u0085])`

export const apostrophe = String.raw`(['\u0092\u2019]|&apos;)`

/** Matches an apostrophe, or another character typed as one inside a word. */
const looseApostrophe = String.raw`(${apostrophe}|[\x60\u0091\u2018\u201b])`

const hyphen = String.raw`[-_\u058a\u2010\u2011]`

/** Matches symbols that are tokens by themselves. */
export const symbol = String.raw`[+%&~\^|\\\u00a6\u00a7\u00a8\u00a9\u00ac\u00ae\u00af\u00b0-\u00ba\u00d7\u00f7\u0387\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u0603\u0606-\u060a\u060c\u0614\u061b\u061e\u066a\u066d\u0703-\u070d\u07f6-\u07f8\u0964\u0965\u0e4f\u1fbd\u2016\u2017\u2020-\u2023\u2030-\u2038\u203b\u203e-\u2042\u2044\u207a-\u207f\u208a-\u208e\u2100-\u214f\u2190-\u2bff\u3012\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]`

const wordRest = `(${letter}|${digit})*`

export const word = String.raw`${letter}${wordRest}([.!?]${letter}${wordRest})*`

/** Matches a contracted form of be, have or will after an apostrophe. */
export const contraction = `${apostrophe}([msdMSD]|re|ve|ll)`
/** Matches the part of a negation before `n't`. */
export const negated = String.raw`[A-Za-z\u00ad]*[A-MO-Za-mo-z]\u00ad*`
export const negation = `n${looseApostrophe}t`

/** Matches words that contain an apostrophe and are one token. */
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
/** Matches words joined by hyphens. */
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
/**
 * Matches likely web addresses. In the reference, the class for a domain's parts has a range from the comma to the
 * underscore, which excludes digits and capitals.
 */
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
