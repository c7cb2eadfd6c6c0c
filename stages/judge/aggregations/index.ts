/** The aggregations that are there by name. A new one is a file here and a line below; it is loaded when a task names it. */
import type { Catalogue } from '../catalogue.js'
import type { AggregationDefinition } from '../define-aggregation.js'

export const aggregations: Catalogue<AggregationDefinition> = {
  mean: async () => (await import('./mean.js')).mean,
  mean_percent: async () => (await import('./mean-percent.js')).meanPercent,
  median: async () => (await import('./median.js')).median,
  sum: async () => (await import('./sum.js')).sum,
  perplexity: async () => (await import('./perplexity.js')).perplexity,
  bypass: async () => (await import('./bypass.js')).bypass,
  bleu: async () => (await import('./bleu.js')).bleu,
  chrf: async () => (await import('./chrf.js')).chrf,
  ter: async () => (await import('./ter.js')).ter,
  cider: async () => (await import('./cider.js')).cider,
  coco_bleu: async () => (await import('./coco-bleu.js')).cocoBleu,
  meteor: async () => (await import('./meteor.js')).meteor,
  mme: async () => (await import('./mme.js')).mme,
  mme_acc_plus: async () => (await import('./mme-acc-plus.js')).mmeAccPlus,
  yes_no_precision: async () => (await import('./yes-no-precision.js')).yesNoPrecision,
  yes_no_recall: async () => (await import('./yes-no-recall.js')).yesNoRecall,
  yes_no_f1: async () => (await import('./yes-no-f1.js')).yesNoF1,
  yes_no_ratio: async () => (await import('./yes-no-ratio.js')).yesNoRatio,
  wer: async () => (await import('./wer.js')).wer,
  mer: async () => (await import('./mer.js')).mer,
  wil: async () => (await import('./wil.js')).wil,
  wip: async () => (await import('./wip.js')).wip,
}
