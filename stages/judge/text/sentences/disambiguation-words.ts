import { splitWhiteSpace } from '../../../../base/white-space.js'
import { contractions } from './contractions.js'
import { applied, rulesOf } from './rewriting-rules.js'
import { sentences } from './sentences.js'

/** What is put apart by spaces, in this order: opening quotes, punctuation, brackets and dashes. */
const apart = rulesOf([
  ['([«“‘„]|`+)', ' $1 '],
  ['^"', '``'],
  ['(``)', ' $1 '],
  ['([ (\\[{<])("|\'{2})', '$1 `` '],
  ['([^.])(\\.)([\\])}>"\'»”’ ]*)\\s*$', '$1 $2 $3 '],
  ['([:,])([^\\d])', ' $1 $2'],
  ['([:,])$', ' $1 '],
  ['\\.\\.\\.', ' ... '],
  ['([;@#$%&])', ' $1 '],
  ['([^.])(\\.)([\\])}>"\']*)\\s*$', '$1 $2$3 '],
  ['([?!])', ' $1 '],
  ["([^'])' ", "$1 ' "],
  ['([\\]\\[(){}<>])', ' $1 '],
  ['--', ' -- '],
])

/** Then closing quotes, what is written together with an apostrophe, and contractions. */
const apartWithin = rulesOf([
  ['([»”’]+)', ' $1 '],
  ['"', " '' "],
  ["(\\S)('')", '$1 $2 '],
  ...contractions({ more: "(?i)\\b(mor)('n)\\b", wanna: '(?i)\\b(wan)(na)\\s' }),
])

/**
 * The words and marks of an English text as pywsd 1.2.5 parts them (`pywsd.tokenize.word_tokenize`): NLTK's way of 2018, in its sentences.
 */
export const disambiguationWords = (text: string): readonly string[] =>
  sentences(text).flatMap(sentence => splitWhiteSpace(applied(` ${applied(sentence, apart)} `, apartWithin)))
