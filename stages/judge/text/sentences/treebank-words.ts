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

/** Then closing quotes, what is written together with an apostrophe, and contractions. */
const apartWithin = rulesOf([
  ['([»”’])', ' $1 '],
  ["''", " '' "],
  ['"', " '' "],
  ['\\s+', ' '],
  ...contractions({ more: "(?i)\\b(more)('n)\\b", wanna: '(?i)\\b(wan)(na)(?=\\s)' }),
])

/**
 * The words and marks of an English text, sentence by sentence, as NLTK's `word_tokenize` gives them.
 *
 * Source: NLTK 3.9.1, `tokenize/destructive.py`, after Robert MacIntyre's tokenizer for the Penn Treebank.
 */
export const treebankWords = (text: string): readonly string[] =>
  sentences(text).flatMap(sentence => splitWhiteSpace(applied(` ${applied(sentence, apart)} `, apartWithin)))
