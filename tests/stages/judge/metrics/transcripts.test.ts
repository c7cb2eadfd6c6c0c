import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  amiWrapping,
  extractTranscription,
  mixedErrorRate,
  mixedTokens,
  plainErrorRate,
  voxpopuliWrapping,
  wrappedErrorRate,
} from '../../../../stages/judge/helpers/transcript-rates.js'
import { transcriptErrors, transcriptLanguage } from '../../../../stages/judge/helpers/transcripts.js'
import { editDistance } from '../../../../stages/judge/metrics/error-rate/edit-distance.js'
import {
  addCounts,
  noErrors,
  referenceLength,
  type ErrorCounts,
} from '../../../../stages/judge/metrics/error-rate/error-counts.js'
import { measures } from '../../../../stages/judge/metrics/error-rate/error-counts.js'
import {
  splitCharacters,
  compareTranscripts,
  splitWords,
} from '../../../../stages/judge/metrics/error-rate/error-counts.js'
import { bleuScore, bleuShape, bleuStatistics } from '../../../../stages/judge/metrics/sacrebleu/bleu.js'
import { plusEach } from '../../../support/plus-each.js'
import type { BleuTokenizerName } from '../../../../stages/judge/text/translation-tokenizers.js'
import { evaluationTokens, spokenTranslation } from '../../../../stages/judge/helpers/evaluation-tokens.js'
import { normalise, type Normalizer } from '../../../../stages/judge/text/normalizers.js'
import { cleanTranscript } from '../../../../stages/judge/text/transcript.js'
import { normaliseBasic } from '../../../../stages/judge/text/whisper/basic.js'
import { goldenRows } from '../../../support/golden.js'

type Expected = Readonly<Record<string, unknown>>

interface Pair {
  readonly gt: string
  readonly pred: string
  readonly language?: string
  readonly task?: string
}

interface Row {
  readonly id: string
  readonly fn: string
  readonly input: {
    readonly reference: string | readonly string[]
    readonly hypothesis: string | readonly string[]
    readonly text: string
    readonly a: string | readonly string[]
    readonly b: string | readonly string[]
    readonly results: readonly Pair[]
    readonly doc: { readonly text: string; readonly normalized_text: string; readonly language: number }
    readonly responses: readonly [string]
  }
  readonly params: {
    readonly remove_diacritics?: boolean
    readonly split_letters?: boolean
    readonly language: string
    readonly tokenizer_type: BleuTokenizerName
    readonly lowercase: boolean
    readonly punctuation_removal: boolean
    readonly character_tokenization: boolean
  }
  readonly expected: Expected
  readonly lmms_eval_flaw?: boolean
  readonly right?: Expected
}

const listOf = (texts: string | readonly string[]): readonly string[] => (typeof texts === 'string' ? [texts] : texts)
const itemsOf = (items: string | readonly string[]): readonly string[] =>
  typeof items === 'string' ? Array.from(items) : items

const jiwer = ({ input }: Row, items: (text: string) => readonly string[]) => {
  const { counts, alignments } = compareTranscripts(listOf(input.reference), listOf(input.hypothesis), items)
  return {
    counts,
    alignments,
    wer: measures.wer(counts),
    mer: measures.mer(counts),
    wil: measures.wil(counts),
    wip: measures.wip(counts),
  }
}

const after =
  (...names: readonly Normalizer[]) =>
  ({ input }: Row): Expected => ({ text: normalise(input.text, names) })

const table = process.env['ZHCONV_TABLE'] ?? ''
/** The user's table if there is one, or OpenCC's. */
const simplified: Normalizer = table === '' ? 'simplified_chinese' : { simplified_chinese: table }

const corpusRate =
  (using?: readonly Normalizer[]) =>
  ({ input }: Row): Expected => {
    const counts = input.results.map(({ gt, pred, language, task }): ErrorCounts => {
      const code = transcriptLanguage(language ?? task?.replace(/^asr_/, '') ?? 'en')
      const cantonese = code === 'cantonese' ? [simplified, 'whisper_basic' as const] : undefined
      return transcriptErrors({ reference: gt, answer: pred }, code, using ?? cantonese)
    })
    const total = counts.reduce(addCounts, noErrors)
    if (referenceLength(total) === 0) return { wer: 'undefined (no reference words): must not crash' }
    return { wer: 100 * measures.wer(total) }
  }

const translationBleu =
  (language: 'zh' | 'en') =>
  ({ input }: Row): Expected => {
    const options = z.strictObject(bleuShape).parse({ tokenize: language === 'zh' ? 'zh' : '13a' })
    const total = input.results
      .map(({ gt, pred }) =>
        bleuStatistics(spokenTranslation(pred, language), [spokenTranslation(gt, language)], options),
      )
      .reduce((a, b) => ({
        counts: plusEach(a.counts, b.counts),
        totals: plusEach(a.totals, b.totals),
        sys_len: a.sys_len + b.sys_len,
        ref_len: a.ref_len + b.ref_len,
      }))
    return { bleu: Number(bleuScore(total, options).score.toFixed(5)) }
  }

const ours: Readonly<Record<string, (row: Row) => Expected>> = {
  'jiwer.process_words': row => {
    const { counts, ...rest } = jiwer(row, splitWords)
    return { ...counts, ...rest }
  },
  'jiwer.process_characters': row => {
    const { counts, alignments, wer } = jiwer(row, splitCharacters)
    return { ...counts, alignments, cer: wer }
  },
  'editdistance.eval': ({ input }) => ({ distance: editDistance(itemsOf(input.a), itemsOf(input.b)) }),
  levenshtein: ({ input }) => {
    const [a, b] = [itemsOf(input.a), itemsOf(input.b)]
    const longer = Math.max(a.length, b.length)
    return { distance: editDistance(a, b), similarity_normalized: longer === 0 ? 1 : 1 - editDistance(a, b) / longer }
  },
  'whisper.EnglishTextNormalizer': after('whisper_english'),
  'whisper.EnglishNumberNormalizer': after('whisper_english_numbers'),
  'whisper.EnglishSpellingNormalizer': after('whisper_english_spelling'),
  'whisper.BasicTextNormalizer': ({ input, params }) => ({
    text: normaliseBasic(input.text, {
      removeDiacritics: params.remove_diacritics ?? false,
      splitLetters: params.split_letters ?? false,
    }),
  }),
  'lmms_eval.asr.cn_tn': after('chinese'),
  'lmms_eval.asr.zhconv': after(simplified),
  'lmms_eval.wenet_speech.tokenize': ({ input }) => ({ tokens: mixedTokens(input.text) }),
  'lmms_eval.asr.remove_sp': ({ input, params }) => ({
    text: cleanTranscript(input.text, { withoutSpaces: params.language === 'zh' }),
  }),
  'lmms_eval.asr.EvaluationTokenizer': ({ input, params }) => ({
    text: evaluationTokens(input.text, {
      tokenizer: params.tokenizer_type,
      lowercase: params.lowercase,
      withoutPunctuation: params.punctuation_removal,
      byCharacter: params.character_tokenization,
    }),
  }),
  'lmms_eval.voxpopuli.extract_transcription': ({ input }) => ({
    text: extractTranscription(input.text, voxpopuliWrapping),
  }),
  'lmms_eval.ami.extract_transcription': ({ input }) => ({ text: extractTranscription(input.text, amiWrapping) }),
  'lmms_eval.librispeech.wer': corpusRate(),
  'lmms_eval.fleurs.wer': corpusRate(),
  'lmms_eval.common_voice_15.wer': corpusRate(),
  'lmms_eval.open_asr.wer': corpusRate(),
  'lmms_eval.people_speech.wer': corpusRate(),
  'lmms_eval.tedlium.wer': corpusRate(),
  'lmms_eval.gigaspeech.wer': corpusRate(['whisper_english']),
  'lmms_eval.av_asr.wer': ({ input: { results } }) => {
    const rates = results.map(({ gt, pred }) => plainErrorRate(gt, pred))
    return { wer: rates.length === 0 ? 0 : (100 * rates.reduce((a, b) => a + b, 0)) / rates.length }
  },
  'lmms_eval.ami.process_results': ({ input: { doc, responses } }) => ({
    wer: wrappedErrorRate({ reference: doc.text, answer: responses[0] }, amiWrapping, ['no_ascii_punctuation']),
  }),
  'lmms_eval.voxpopuli.process_results': ({ input: { doc, responses } }) => {
    const wer = wrappedErrorRate({ reference: doc.normalized_text, answer: responses[0] }, voxpopuliWrapping)
    if (doc.normalized_text === '') return { wer, language: doc.language }
    return { wer, language: doc.language, wer_by_language: { [doc.language]: wer } }
  },
  'lmms_eval.wenet_speech.process_results': ({ input: { doc, responses } }) => {
    const rate = mixedErrorRate(doc.text, responses[0])
    const percent = { mer: 100 * rate, accuracy: Math.max(0, 100 * (1 - rate)) }
    return doc.text === '' ? percent : { ...percent, mer_raw: rate }
  },
  'lmms_eval.covost2.bleu_zh': translationBleu('zh'),
  'lmms_eval.covost2.bleu_en': translationBleu('en'),
}

/**
 * Cantonese that zhconv turns into other words (網路 into 网络, 硬碟 into 硬盘) or characters than OpenCC, and error rates of it: where one side
 * is heard wrong, its words are left as they are, and more characters count as wrong there.
 */
const ofOtherTable: ReadonlySet<string> = new Set([
  ...['98', '111', '112', '113', '244', '272'].map(id => `lmms_asr-${id}`),
  ...['294', '297', '300', '304', '309', '577', '626'].map(id => `random-${id}`),
])

describe('transcripts are scored as in the references', () => {
  test.each([
    ['jiwer.jsonl.gz', 270, 0, 1e-12],
    ['edit_distance.jsonl.gz', 82, 0, 0],
    ['whisper_normalizer.jsonl.gz', 789, 0, 0],
    ['lmms_asr.jsonl.gz', 267, 6, 1e-9],
    ['transcripts_random.jsonl.gz', 806, 7, 1e-9],
  ])('%s: %d rows, %d of which use another table', (file, count, others, tolerance) => {
    const rows = goldenRows<Row>(`metrics/${file}`)
    const isOther = (row: Row): boolean => table === '' && ofOtherTable.has(row.id)
    const differing = rows.filter(row => isDifferent(row, tolerance))
    expect(differing.filter(row => !isOther(row)).map(row => [row.id, row.right ?? row.expected])).toEqual([])
    expect([rows.length, differing.length]).toEqual([count, table === '' ? others : 0])
  })

  test.skipIf(table === '')(
    'all rows of Cantonese (needs ZHCONV_TABLE, the path of zhcdict.json of zhconv 1.4.3)',
    () => {
      const rows = ['lmms_asr', 'transcripts_random'].flatMap(name => goldenRows<Row>(`metrics/${name}.jsonl.gz`))
      const ofCantonese = rows.filter(row => row.fn === 'lmms_eval.asr.zhconv' || hasCantonese(row))
      expect(ofCantonese.filter(row => isDifferent(row, 1e-9)).map(({ id }) => id)).toEqual([])
      expect(ofCantonese).toHaveLength(62)
    },
  )
})

const hasCantonese = ({ input: { results = [] } }: { readonly input: Partial<Row['input']> }): boolean =>
  results.some(
    ({ language, task }) => transcriptLanguage(language ?? task?.replace(/^asr_/, '') ?? 'en') === 'cantonese',
  )

function isDifferent(row: Row, tolerance: number): boolean {
  const compute = ours[row.fn]
  if (compute === undefined) throw new Error(`${row.id}: nothing computes ${row.fn}`)
  const got = outcomeOf(() => compute(row))
  return !isSame(got, row.right ?? row.expected, tolerance)
}

function outcomeOf(compute: () => Expected): Expected {
  try {
    return compute()
  } catch {
    return { error: 'ValueError' }
  }
}

function isSame(a: unknown, b: unknown, tolerance: number): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b))
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const names = Object.keys(b)
  return (
    Object.keys(a).length === names.length &&
    names.every(name => isSame(Reflect.get(a, name), Reflect.get(b, name), tolerance))
  )
}
