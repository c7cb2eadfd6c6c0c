import type { GoldenTaskOptions } from './golden-task.js'

/**
 * Options for caption benchmarks, whose values per doc have another form here than in the reference. METEOR needs a Java program that is not part
 * of this one: its numbers are compared only if `METEOR_JAR` names it.
 */
export function captionOptions(prefix: string): GoldenTaskOptions {
  const measured = ['Bleu_4', 'Bleu_3', 'Bleu_2', 'Bleu_1', 'METEOR', 'ROUGE_L', 'CIDEr'].map(
    name => `${prefix}_${name}`,
  )
  return {
    onlyAggregates: measured,
    ...((process.env['METEOR_JAR'] ?? '') === '' ? { uncounted: [`${prefix}_METEOR`] } : {}),
  }
}
