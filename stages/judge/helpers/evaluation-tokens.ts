import { bleuTokenizers, type BleuTokenizerName } from '../text/translation-tokenizers.js'
import { cleanTranscript, withoutPunctuationWords } from '../text/transcript.js'
import { normaliseChinese } from '../text/chinese/spoken-form.js'
import { normaliseEnglish } from '../text/whisper/english.js'

interface EvaluationOptions {
  readonly tokenizer: BleuTokenizerName
  readonly lowercase?: boolean
  /** True to remove tokens that consist of punctuation. */
  readonly withoutPunctuation?: boolean
  /** True if each character is a token. Spaces become U+2581. */
  readonly byCharacter?: boolean
}

/**
 * A text with spaces between its tokens.
 *
 * Source: lmms-eval 0.7.2, `tasks/asr_wer_utils.py`, EvaluationTokenizer.
 */
export function evaluationTokens(
  text: string,
  { tokenizer, lowercase = false, withoutPunctuation = false, byCharacter = false }: EvaluationOptions,
): string {
  let tokens = bleuTokenizers[tokenizer](text)
  if (withoutPunctuation) tokens = withoutPunctuationWords(tokens)
  if (byCharacter) tokens = Array.from(tokens.replaceAll(' ', '\u2581')).join(' ')
  return lowercase ? tokens.toLowerCase() : tokens
}

/**
 * The form of a spoken translation that CoVoST 2's BLEU compares. The BLEU uses the tokenizer `zh` or `13a`.
 * No shipped task uses it yet; see `docs/decisions/helpers-before-tasks.md`.
 *
 * Source: lmms-eval 0.7.2, `tasks/covost2/utils.py`.
 */
export function spokenTranslation(text: string, language: 'zh' | 'en'): string {
  const clean = cleanTranscript(text)
  return language === 'zh'
    ? evaluationTokens(normaliseChinese(clean), { tokenizer: 'zh', lowercase: true, withoutPunctuation: true })
    : evaluationTokens(normaliseEnglish(clean), { tokenizer: 'none', lowercase: true, withoutPunctuation: true })
}
