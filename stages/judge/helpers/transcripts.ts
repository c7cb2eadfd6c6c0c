import { splitWhiteSpace } from '../../../base/python/white-space.js'
import { countErrors, type ErrorCounts } from '../metrics/error-rate/error-counts.js'
import { normalizerArgument } from '../metrics/error-rate/wer.js'
import type { Normalizers } from '../compile/scoring-spec.js'
import { normalise, type Normalizer } from '../text/normalizers.js'
import { cleanTranscript, withoutPunctuationWords } from '../text/transcript.js'

/** The rules by which transcripts of a language are compared. */
type TranscriptLanguage = 'english' | 'mandarin' | 'cantonese' | 'other'

/**
 * The rules for a language, named by its code (`en`, `zh-CN`, `cmn_hans`, `yue_hant`) or its name in FLEURS
 * (`Mandarin Chinese`).
 */
export function transcriptLanguage(code: string): TranscriptLanguage {
  if (/^(?:en|english)$/i.test(code)) return 'english'
  if (/^(?:zh|zh-CN|cmn_hans|mandarin chinese)$/i.test(code)) return 'mandarin'
  if (/^(?:yue|yue_hant|cantonese chinese)$/i.test(code)) return 'cantonese'
  return 'other'
}

const defaultNormalizers: Readonly<Record<TranscriptLanguage, readonly Normalizer[]>> = {
  english: ['whisper_english', 'whisper_basic'],
  mandarin: ['chinese'],
  cantonese: ['simplified_chinese', 'whisper_basic'],
  other: ['whisper_basic'],
}

/**
 * The items that speech benchmarks compare: words, or characters for Chinese. The text is normalised, in lower case
 * and without punctuation. `using` replaces the language's normalisers if a benchmark has its own.
 *
 * Source: lmms-eval 0.7.2, `tasks/asr_wer_utils.py`, for LibriSpeech, FLEURS, Common Voice and others; GigaSpeech
 * uses the English normaliser only. lmms-eval simplifies Cantonese with zhconv, whose table is under the GPL. This
 * program uses OpenCC's table, unless `using` names that of zhconv.
 */
function transcriptItems(
  text: string,
  language: TranscriptLanguage,
  using: readonly Normalizer[] = defaultNormalizers[language],
): readonly string[] {
  const clean = cleanTranscript(text, { withoutSpaces: language === 'mandarin' })
  const words = splitWhiteSpace(withoutPunctuationWords(normalise(clean, using)).toLowerCase())
  return language === 'mandarin' || language === 'cantonese' ? Array.from(words.join('')) : words
}

/** A language's normalisers in a task's `normalizers`; undefined if it has none. @throws Error if one is unknown. */
export const parseNormalizers = (
  normalizers: Normalizers | undefined,
  language: TranscriptLanguage,
): readonly Normalizer[] | undefined =>
  normalizers?.[language] === undefined ? undefined : normalizerArgument.parse(normalizers[language])

/** Counts the errors of one transcript by {@link transcriptItems}. The aggregation `wer` computes their rate. */
export const transcriptErrors = (
  { reference, answer }: { readonly reference: string; readonly answer: string },
  language: TranscriptLanguage,
  using?: readonly Normalizer[],
): ErrorCounts => countErrors(transcriptItems(reference, language, using), transcriptItems(answer, language, using))
