import type { MetricDefinition } from '../../define-metric.js'
import { rouge } from '../rouge.js'

/** ROUGE under the names of its variants, which are what the package `evaluate` calls its numbers. Source: as {@link rouge}. */
export function rougeByVariant(variant: 'rouge1' | 'rouge2' | 'rougeL' | 'rougeLsum'): MetricDefinition {
  const args = rouge.args.omit({ variant: true })
  return {
    ...rouge,
    id: variant,
    args,
    judge: (input, given) => rouge.judge(input, { ...args.parse(given), variant }),
  }
}
