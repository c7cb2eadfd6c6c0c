import { z } from 'zod'
import { tercomWords } from '../../text/tercom-tokenizer.js'
import { signature, yesNo, type ReferenceCount } from './signature.js'
import { translationEdits } from './translation-edits.js'

/** sacrebleu's arguments under its names. */
export const terShape = {
  normalized: z.boolean().default(false),
  no_punct: z.boolean().default(false),
  asian_support: z.boolean().default(false),
  case_sensitive: z.boolean().default(false),
} as const

export type TerOptions = z.output<z.ZodObject<typeof terShape>>

export interface TerStatistics {
  /** To the reference that is nearest. */
  readonly num_edits: number
  /** In words, the mean over the references. */
  readonly ref_length: number
}

/** @throws Error where there is no reference. */
export function terStatistics(answer: string, references: readonly string[], options: TerOptions): TerStatistics {
  if (references.length === 0) throw new Error('TER compares with references, and this doc has none')
  const words = tercomWords(answer, options)
  // The reference implementation tokenizes references twice, which shows where the first pass leaves something to the second (`&amp;lt;`).
  const others = references.map(reference => tercomWords(tercomWords(reference, options).join(' '), options))
  return {
    num_edits: Math.min(...others.map(other => translationEdits(words, other))),
    ref_length: others.reduce((total, other) => total + other.length, 0) / others.length,
  }
}

/**
 * Edits in per cent of the reference's words, of summed statistics. Without any word in the references it is 0 where there is no
 * word in the answers either, else 100.
 *
 * Source: Snover et al. (2006), as in sacrebleu 2.6.0, `metrics/ter.py`.
 */
export function terScore({ num_edits, ref_length }: TerStatistics): number {
  if (ref_length > 0) return 100 * (num_edits / ref_length)
  return num_edits > 0 ? 100 : 0
}

/** `nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0` */
export const terSignature = (references: ReferenceCount, options: TerOptions): string =>
  signature(references, {
    case: options.case_sensitive ? 'mixed' : 'lc',
    tok: 'tercom',
    norm: yesNo(options.normalized),
    punct: yesNo(!options.no_punct),
    asian: yesNo(options.asian_support),
  })
