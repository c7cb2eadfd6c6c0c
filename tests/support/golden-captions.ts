import type { GoldenTaskOptions } from './golden-task.js'

/**
 * For benchmarks of captions: a doc's values are what the measures of all docs are made of, in a form of our own. METEOR is a program in
 * Java that is not part of this one: its numbers are compared where `METEOR_JAR` says where it is.
 */
export function captionOptions(prefix: string): GoldenTaskOptions {
  const measured = ['Bleu_4', 'Bleu_3', 'Bleu_2', 'Bleu_1', 'METEOR', 'ROUGE_L', 'CIDEr'].map(
    name => `${prefix}_${name}`,
  )
  return {
    values: Object.fromEntries(measured.map(name => [name, () => undefined])),
    ...((process.env['METEOR_JAR'] ?? '') === '' ? { uncounted: [`${prefix}_METEOR`] } : {}),
  }
}
