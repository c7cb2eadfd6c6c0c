import { simplifiedChinese } from './chinese/simplified.js'
import { normaliseChinese } from './chinese/spoken-form.js'
import { mainlandChinese, type ZhconvTable } from './chinese/zhconv.js'
import { cleanTranscript, plainEnglish, withoutAsciiPunctuation, withoutPunctuationWords } from './transcript.js'
import { normaliseBasic } from './whisper/basic.js'
import { normaliseEnglish } from './whisper/english.js'
import { normaliseNumbers } from './whisper/numbers.js'
import { normaliseSpelling } from './whisper/english.js'

/** The normalisers by the names that a task's YAML uses. */
const normalizers = {
  none: text => text,
  lowercase: text => text.toLowerCase(),
  /** English: contractions, numbers, spelling, fillers, punctuation. */
  whisper_english: normaliseEnglish,
  /** Only the numbers of `whisper_english`. The text must be in lower case. */
  whisper_english_numbers: normaliseNumbers,
  /** Only the spelling of `whisper_english`. The text must be in lower case. */
  whisper_english_spelling: normaliseSpelling,
  /** Any language: lower case, without brackets and punctuation. */
  whisper_basic: text => normaliseBasic(text),
  /** The same without accents. */
  whisper_basic_plain: text => normaliseBasic(text, { removeDiacritics: true }),
  /** The same with a space between all characters, for languages without spaces. */
  whisper_basic_letters: text => normaliseBasic(text, { splitLetters: true }),
  /** Mandarin: numbers as spoken, no punctuation. */
  chinese: normaliseChinese,
  /** Converts traditional characters to simplified ones, for Cantonese. */
  simplified_chinese: simplifiedChinese,
  /** Removes the tags and stray spaces of speech models. */
  clean_transcript: text => cleanTranscript(text),
  /** Removes words that consist of punctuation. */
  no_punctuation_words: withoutPunctuationWords,
  /** Removes ASCII punctuation except the apostrophe. */
  no_ascii_punctuation: withoutAsciiPunctuation,
  /** Keeps only lower-case English letters, digits and apostrophes. */
  plain_english: plainEnglish,
} as const satisfies Readonly<Record<string, (text: string) => string>>

type NormalizerName = keyof typeof normalizers

export const normalizerNames = Object.keys(normalizers) as readonly NormalizerName[]

/** A normaliser's name, or `simplified_chinese` with the user's table of zhconv. */
export type Normalizer = NormalizerName | ZhconvTable

/** Applies the normalisers in order. */
export const normalise = (text: string, names: readonly Normalizer[]): string =>
  names.reduce<string>(
    (changed, name) => (typeof name === 'string' ? normalizers[name](changed) : mainlandChinese(changed, name)),
    text,
  )
