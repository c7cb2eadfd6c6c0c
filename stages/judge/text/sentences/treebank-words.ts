import { pythonRegex } from '../../../../base/python/python-regex.js'
import { splitWhiteSpace } from '../../../../base/python/white-space.js'
import { sentences } from './sentences.js'

/** Replacement rules in order: Python patterns and their replacements. */
type Rules = readonly (readonly [pattern: RegExp, replacement: string])[]

export const compileRules = (rules: readonly (readonly [pattern: string, replacement: string])[]): Rules =>
  rules.map(([pattern, replacement]) => [pythonRegex(pattern, 'g'), replacement])

export const applyRules = (text: string, rules: Rules): string =>
  rules.reduce((changed, [pattern, replacement]) => changed.replace(pattern, replacement), text)

/**
 * Rules that split words with an apostrophe, and words written together such as `cannot` and `gonna`.
 *
 * @param patterns.more the pattern of `more'n`, and `wanna` that of `wanna`; they differ between NLTK's versions
 *
 * Source: NLTK, `tokenize/destructive.py`, after Robert MacIntyre's tokenizer for the Penn Treebank.
 */
export const contractions = ({ more, wanna }: { readonly more: string; readonly wanna: string }) =>
  [
    ["([^' ])('[sS]|'[mM]|'[dD]|') ", '$1 $2 '],
    ["([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", '$1 $2 '],
    ['(?i)\\b(can)(not)\\b', ' $1 $2 '],
    ["(?i)\\b(d)('ye)\\b", ' $1 $2 '],
    ['(?i)\\b(gim)(me)\\b', ' $1 $2 '],
    ['(?i)\\b(gon)(na)\\b', ' $1 $2 '],
    ['(?i)\\b(got)(ta)\\b', ' $1 $2 '],
    ['(?i)\\b(lem)(me)\\b', ' $1 $2 '],
    [more, ' $1 $2 '],
    [wanna, ' $1 $2 '],
    ["(?i) ('t)(is)\\b", ' $1 $2 '],
    ["(?i) ('t)(was)\\b", ' $1 $2 '],
  ] as const

/** Rules that separate opening quotes, punctuation, brackets and dashes, in this order. */
const apart = compileRules([
  ['([«“‘„]|`+)', ' $1 '],
  ['^"', '``'],
  ['(``)', ' $1 '],
  ['([ (\\[{<])("|\'{2})', '$1 `` '],
  ["(?i)(')(?!re|ve|ll|m|t|s|d|n)(\\w)\\b", '$1 $2'],
  ['([^.])(\\.)([\\])}>"\'»”’ ]*)\\s*$', '$1 $2 $3 '],
  ['([:,])([^\\d])', ' $1 $2'],
  ['([:,])$', ' $1 '],
  ['(\\.{2,})', ' $1 '],
  ['([;@#$%&])', ' $1 '],
  ['([^.])(\\.)([\\])}>"\']*)\\s*$', '$1 $2$3 '],
  ['([?!])', ' $1 '],
  ["([^'])' ", "$1 ' "],
  ['([*])', ' $1 '],
  ['([\\]\\[(){}<>])', ' $1 '],
  ['--', ' -- '],
])

/** Rules that then separate closing quotes, endings with an apostrophe, and contractions. */
const apartWithin = compileRules([
  ['([»”’])', ' $1 '],
  ["''", " '' "],
  ['"', " '' "],
  ['\\s+', ' '],
  ...contractions({ more: "(?i)\\b(more)('n)\\b", wanna: '(?i)\\b(wan)(na)(?=\\s)' }),
])

/**
 * The words and marks of an English text, sentence by sentence, like NLTK's `word_tokenize`.
 *
 * Source: NLTK 3.9.1, `tokenize/destructive.py`, after Robert MacIntyre's tokenizer for the Penn Treebank.
 */
export const treebankWords = (text: string): readonly string[] =>
  sentences(text).flatMap(sentence => splitWhiteSpace(applyRules(` ${applyRules(sentence, apart)} `, apartWithin)))
