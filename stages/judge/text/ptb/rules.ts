import {
  acronym,
  apostrophe,
  beforeNumber,
  digit,
  letters,
  newline,
  sentenceBeginning,
  sentenceEnding,
  space,
  symbol,
  withinSentence,
} from './shapes.js'
import * as shape from './shapes.js'

/** The result of a lexer rule for the text that it matched. */
interface Emission {
  /** The token; absent if the text is dropped. */
  readonly token?: string
  /** The length of the text that is consumed; the rest is read again. @default the whole match */
  readonly length?: number
  readonly isNewline?: boolean
}

type Emit = (matched: string) => Emission

const asIs: Emit = token => ({ token })
const drop: Emit = () => ({})
const endLine: Emit = () => ({ isNewline: true })
const as = (token: string) => (): Emission => ({ token })

/** Leaves the last `count` units for the next token. */
const allBut =
  (count: number): Emit =>
  matched => ({ token: matched.slice(0, -count), length: matched.length - count })

/** Emits the abbreviation with its period. The period is read again, as the end of the sentence. */
const abbreviationAtEnd: Emit = matched => ({ token: matched, length: matched.length - 1 })

/** Emits only the letter of a letter with a period; other acronyms are like {@link abbreviationAtEnd}. */
const acronymAtEnd: Emit = matched => (matched.length === 2 ? allBut(1)(matched) : abbreviationAtEnd(matched))

/** Removes soft hyphens, which mark possible line breaks and are not part of a word. */
const withoutSoftHyphens: Emit = matched => ({ token: matched.replaceAll('\u00ad', '') || '-' })

/** Replaces spaces by no-break spaces, since a token can't contain spaces. */
const withoutSpaces: Emit = matched => ({ token: matched.replaceAll(' ', '\u00a0') })

const withoutBrackets: Emit = matched => ({
  token: matched.replaceAll('(', '-LRB-').replaceAll(')', '-RRB-').replaceAll(' ', '\u00a0'),
})

const withAmpersand: Emit = matched => ({ token: matched.replace(/&amp;/gi, '&') })

const asQuotes =
  (side: 'left' | 'right'): Emit =>
  matched => ({
    token: matched
      .replace(/&apos;|'/g, side === 'left' ? '`' : "'")
      .replace(/"|&quot;/g, side === 'left' ? '``' : "''")
      .replace(/[\u0091\u2018\u201b\u2039]/g, '`')
      .replace(/[\u0092\u2019\u203a]/g, "'")
      .replace(/[\u0093\u201c\u00ab]/g, '``')
      .replace(/[\u0094\u201d\u00bb]/g, "''"),
  })

/** Writes currencies as in the Treebank, which has `$` for dollars and `#` for pounds. */
const asCurrency: Emit = matched => ({
  token: matched
    .replaceAll('\u00a2', 'cents')
    .replaceAll('\u00a3', '#')
    .replace(/[\u0080\u00a4\u20a0\u20ac]/g, '$'),
})

const fractions = new Map([
  ['\u00bc', '1/4'],
  ['\u00bd', '1/2'],
  ['\u00be', '3/4'],
  ['\u2153', '1/3'],
  ['\u2154', '2/3'],
])

const asFraction: Emit = matched => ({ token: fractions.get(matched) ?? matched })

const asDashes: Emit = matched => ({ token: matched.length === 3 || matched.length === 4 ? '--' : matched })

export interface Rule {
  readonly match: string
  /** The text that must follow. It counts for the length of the match and is read again. */
  readonly before?: string
  readonly emit: Emit
}

const insideSentence = String.raw`[,;:\u3001]`

/**
 * The rules of the lexer. The longest match, including the text that must follow, is taken; the first rule wins if
 * several are equally long.
 *
 * Source: the behaviour of Stanford's PTB tokenizer, version 3.4.1, with its standard options; after the Penn
 * Treebank's conventions (MacIntyre, 1995).
 */
export const rules: readonly Rule[] = [
  { match: String.raw`c[+][+]|(c|f)#`, emit: asIs },
  { match: `cannot|'twas`, emit: allBut(3) },
  { match: `'tis|gonna|gotta|lemme|gimme|wanna`, emit: allBut(2) },
  { match: shape.markup, emit: withoutSpaces },
  { match: String.raw`&(MD|mdash|ndash);|[\u0096\u0097\u2013-\u2015]`, emit: as('--') },
  { match: '&amp;', emit: withAmpersand },
  { match: '&(HT|TL|UR|LR|QC|QL|QR|odq|cdq|#[0-9]+);', emit: asIs },
  { match: shape.word, before: shape.contraction, emit: withoutSoftHyphens },
  { match: shape.negated, before: shape.negation, emit: withoutSoftHyphens },
  { match: shape.word, emit: withoutSoftHyphens },
  { match: shape.apostropheWord, emit: asIs },
  { match: `y${apostrophe}`, before: `[${letters}]`, emit: asIs },
  { match: `${shape.fullUrl}|${shape.likelyUrl}|${shape.email}|${shape.twitterName}`, emit: asIs },
  { match: `${shape.contraction}|${shape.negation}`, before: '[^A-Za-z]', emit: asQuotes('right') },
  { match: shape.date, emit: asIs },
  { match: shape.number, emit: withoutSoftHyphens },
  { match: shape.raisedNumber, emit: asIs },
  { match: shape.fraction, emit: withoutSpaces },
  { match: String.raw`[\u00bc-\u00be\u2153-\u215e]`, emit: asFraction },
  { match: shape.treebankWord, emit: withAmpersand },
  { match: shape.withSlashes, emit: asIs },
  { match: String.raw`[A-Z]*\$|#`, emit: asIs },
  { match: shape.currency, emit: asCurrency },
  {
    match: String.raw`${acronym}\.`,
    before: `${shape.gaps}(${sentenceBeginning}|${shape.markup})${shape.gapAfter}`,
    emit: acronymAtEnd,
  },
  { match: beforeNumber, before: `${shape.gapAfter}?${digit}`, emit: asIs },
  { match: String.raw`(pt[eyEY]|co)\.`, before: `${space}(ltd|lim)`, emit: asIs },
  { match: sentenceEnding, before: shape.sentenceEnd, emit: abbreviationAtEnd },
  { match: sentenceEnding, before: String.raw`[\s\S][\s\S]`, emit: asIs },
  { match: sentenceEnding, emit: abbreviationAtEnd },
  { match: String.raw`${withinSentence}\.`, emit: asIs },
  { match: withinSentence, before: space, emit: asIs },
  { match: `${acronym}|${apostrophe}[0-9][0-9]`, before: shape.gapAfter, emit: asIs },
  { match: shape.fileName, before: `(${shape.gapAfter}|[.?!,])`, emit: asIs },
  { match: String.raw`${shape.word}\.`, before: insideSentence, emit: withoutSoftHyphens },
  { match: shape.phone, emit: withoutBrackets },
  { match: '"|&quot;', before: '[A-Za-z0-9$]', emit: asQuotes('left') },
  { match: '"|&quot;', emit: asQuotes('right') },
  { match: String.raw`[\x7f]`, emit: drop },
  { match: '<|&lt;', emit: as('<') },
  { match: '>|&gt;', emit: as('>') },
  { match: shape.smiley, before: '[^A-Za-z0-9]', emit: withoutBrackets },
  { match: shape.asianSmiley, emit: withoutBrackets },
  { match: String.raw`\{`, emit: as('-LCB-') },
  { match: String.raw`\}`, emit: as('-RCB-') },
  { match: String.raw`\[`, emit: as('-LSB-') },
  { match: String.raw`\]`, emit: as('-RSB-') },
  { match: String.raw`\(`, emit: as('-LRB-') },
  { match: String.raw`\)`, emit: as('-RRB-') },
  { match: '-+', emit: asDashes },
  { match: shape.ellipsis, emit: as('...') },
  { match: String.raw`@+|#+|_+|\*+|(\\\*){1,3}`, emit: asIs },
  { match: String.raw`${insideSentence}|[?!]+`, emit: asIs },
  { match: String.raw`[.\u00a1\u00bf\u037e\u0589\u061f\u06d4\u0700-\u0702\u07fa\u3002]|=|/`, emit: asIs },
  { match: String.raw`${shape.hyphenated}\.`, before: insideSentence, emit: withoutSoftHyphens },
  { match: shape.hyphenated, emit: withoutSoftHyphens },
  { match: String.raw`${shape.compound}\.`, before: insideSentence, emit: asIs },
  { match: shape.compound, emit: asIs },
  { match: String.raw`${shape.withAmpersands}\.`, before: insideSentence, emit: withAmpersand },
  { match: shape.withAmpersands, emit: withAmpersand },
  { match: `'`, before: String.raw`[A-Za-z][^ \t\n\r\u00a0]`, emit: asQuotes('left') },
  { match: `${shape.contraction}|${shape.negation}|${shape.quotes}`, emit: asQuotes('right') },
  { match: '<<|>>', emit: asIs },
  { match: symbol, emit: asIs },
  { match: String.raw`[\x00\u200b\u200e\u200f\ufeff]|${space}+|&nbsp;`, emit: drop },
  { match: newline, emit: endLine },
  { match: String.raw`[\s\S]`, emit: drop },
]
