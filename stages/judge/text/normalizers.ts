import { simplifiedChinese } from './chinese/simplified.js'
import { normaliseChinese } from './chinese/spoken-form.js'
import { mainlandChinese, type ZhconvTable } from './chinese/zhconv.js'
import { cleanTranscript, plainEnglish, withoutAsciiPunctuation, withoutPunctuationWords } from './transcript.js'
import { normaliseBasic } from './whisper/basic.js'
import { normaliseEnglish } from './whisper/english.js'
import { normaliseNumbers } from './whisper/numbers.js'
import { normaliseSpelling } from './whisper/english.js'

/** What text can be changed by before it is compared, by the names that a task's YAML uses. */
const normalizers = {
  none: text => text,
  lowercase: text => text.toLowerCase(),
  /** English: contractions, numbers, spelling, fillers, punctuation. */
  whisper_english: normaliseEnglish,
  /** Only its numbers. The text must be in small letters. */
  whisper_english_numbers: normaliseNumbers,
  /** Only its spelling. The text must be in small letters. */
  whisper_english_spelling: normaliseSpelling,
  /** Any language: small letters, no brackets, no punctuation. */
  whisper_basic: text => normaliseBasic(text),
  /** And no accents. */
  whisper_basic_plain: text => normaliseBasic(text, { removeDiacritics: true }),
  /** And a space between any two characters, for languages without spaces. */
  whisper_basic_letters: text => normaliseBasic(text, { splitLetters: true }),
  /** Mandarin: numbers as spoken, no punctuation. */
  chinese: normaliseChinese,
  /** Traditional characters as simplified ones, for Cantonese. */
  simplified_chinese: simplifiedChinese,
  /** Speech models' tags and stray spaces. */
  clean_transcript: text => cleanTranscript(text),
  /** Words that are punctuation alone. */
  no_punctuation_words: withoutPunctuationWords,
  /** ASCII punctuation but the apostrophe. */
  no_ascii_punctuation: withoutAsciiPunctuation,
  /** Small letters of English, digits, apostrophes. */
  plain_english: plainEnglish,
} as const satisfies Readonly<Record<string, (text: string) => string>>

type NormalizerName = keyof typeof normalizers

export const normalizerNames = Object.keys(normalizers) as readonly NormalizerName[]

/** One by its name, or `simplified_chinese` by a table of zhconv that the user has. */
export type Normalizer = NormalizerName | ZhconvTable

/** `text` after all of `names`, one after the other. */
export const normalise = (text: string, names: readonly Normalizer[]): string =>
  names.reduce<string>(
    (changed, name) => (typeof name === 'string' ? normalizers[name](changed) : mainlandChinese(changed, name)),
    text,
  )
