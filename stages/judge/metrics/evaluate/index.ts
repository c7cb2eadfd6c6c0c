/**
 * Metrics of the package `evaluate`, which `hf_evaluate: true` selects, with the arguments of their `compute`.
 *
 * Source: evaluate 0.4.6, `metrics/`.
 */
import type { Catalogue } from '../../define/catalogue.js'
import type { MetricDefinition } from '../../define/define-metric.js'

const byName: Catalogue<MetricDefinition> = {
  exact_match: async () => (await import('../exact-match.js')).exactMatch,
  accuracy: async () => (await import('../accuracy.js')).accuracy,
  f1: async () => (await import('../classification/f1.js')).f1,
  precision: async () => (await import('../classification/f1.js')).precision,
  recall: async () => (await import('../classification/f1.js')).recall,
  matthews_correlation: async () => (await import('../classification/agreement.js')).mcc,
  bleu: async () => (await import('./bleu.js')).bleu,
  sacrebleu: async () => (await import('../sacrebleu/bleu.js')).bleu,
  chrf: async () => (await import('../sacrebleu/chrf.js')).chrf,
  ter: async () => (await import('../sacrebleu/ter.js')).ter,
  rouge: async () => (await import('../rouge.js')).rouge,
  wer: async () => (await import('../error-rate/wer.js')).wer,
  cer: async () => (await import('../error-rate/wer.js')).cer,
  mae: async () => (await import('./deviation.js')).meanAbsoluteError,
  mse: async () => (await import('./deviation.js')).meanSquaredError,
}

export const evaluateNames: readonly string[] = Object.keys(byName)

/** The metrics by the keys of {@link metricKey}. */
export const evaluateMetrics: Catalogue<MetricDefinition> = Object.fromEntries(
  Object.entries(byName).map(([name, load]) => [metricKey({ metric: name, hf_evaluate: true }), load]),
)

/** The key in the registry of the metric that an entry of `metric_list` names. */
export function metricKey({
  metric,
  hf_evaluate: isOfEvaluate,
}: {
  readonly metric: string
  readonly hf_evaluate?: boolean | undefined
}): string {
  return isOfEvaluate === true ? `evaluate/${metric}` : metric
}
