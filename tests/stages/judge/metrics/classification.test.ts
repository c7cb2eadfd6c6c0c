import {
  computeAccuracy,
  computeBalancedAccuracy as balancedAccuracy,
  computeCohenKappa as cohenKappa,
  matthewsCorrelation,
} from '../../../../stages/judge/metrics/classification/agreement.js'
import {
  confusionMatrix,
  newConfusion,
  type Confusion,
  type Label,
  type Normalisation,
} from '../../../../stages/judge/metrics/classification/confusion.js'
import { averageRate, ratesByClass, type Average } from '../../../../stages/judge/metrics/classification/f-scores.js'
import { calibrationCounts } from '../../../../stages/judge/metrics/likelihood/calibration.js'
import { computeBrier, computeLogLoss } from '../../../../stages/judge/metrics/likelihood/proper-scores.js'
import {
  prepareArea,
  computePrecision,
  prepareAreas,
  prepareCuts,
  sortDocs,
} from '../../../../stages/judge/metrics/likelihood/ranking-cuts.js'
import { newDeviations, type Deviations } from '../../../../stages/judge/metrics/regression.js'
import { describeGolden, type Ours } from '../../../support/golden-functions.js'
import { meanOf } from '../../../support/judged-value.js'

interface Classes {
  readonly y_true: readonly Label[]
  readonly y_pred: readonly Label[]
  readonly sample_weight?: readonly number[]
}

interface Params {
  readonly average?: Average | null
  readonly beta?: number
  readonly pos_label?: Label
  readonly labels?: readonly Label[]
  readonly zero_division?: number | 'NaN'
  readonly normalize?: boolean | Normalisation
  readonly weights?: 'linear' | 'quadratic'
  readonly multi_class?: 'ovr' | 'ovo'
  readonly max_fpr?: number
}

function confusionOf({ y_true, y_pred, sample_weight }: Classes): Confusion {
  const confusion = newConfusion()
  y_true.forEach((gold, i) => confusion.add(gold, y_pred[i]!, sample_weight?.[i]))
  return confusion
}

const zero = ({ zero_division = 0 }: Params): number => Number(zero_division)
const table =
  (value: (confusion: Confusion, params: Params) => unknown): Ours =>
  (input: Classes, params: Params) => ({ value: value(confusionOf(input), params) })
const rate = (name: Parameters<typeof averageRate>[1]): Ours =>
  table((confusion, { average, beta = 1, pos_label = 1, labels, ...params }) =>
    averageRate(confusion, name, {
      average: average ?? 'binary',
      beta,
      pos_label,
      labels,
      zero_division: zero(params),
    }),
  )

interface Forecasts {
  readonly y_true: readonly number[]
  readonly y_proba: readonly (number | readonly number[])[]
}

/** With two classes, the reference gets only the probability of the second. */
const classesOf = (p: number | readonly number[]): readonly number[] => (typeof p === 'number' ? [1 - p, p] : p)
const forecasts =
  (loss: (probabilities: readonly number[], gold: number) => number): Ours =>
  ({ y_true, y_proba }: Forecasts) => ({ value: meanOf(y_true.map((gold, i) => loss(classesOf(y_proba[i]!), gold))) })

interface Scores {
  readonly y_true: readonly number[]
  readonly y_score: readonly (number | readonly number[])[]
}

const ranked = ({ y_true, y_score }: Scores) =>
  y_true.map((gold, i) => ({ isPositive: gold === 1, score: y_score[i] as number }))

function auc(input: Scores, { multi_class, average, max_fpr }: Params) {
  if (multi_class === undefined) return { value: prepareArea(sortDocs(ranked(input)), { maxRate: max_fpr })() }
  const docs = input.y_true.map((gold, i) => ({ gold, scores: input.y_score[i] as readonly number[] }))
  return { value: prepareAreas(docs, { multi_class, average: average as 'macro' })() }
}

const deviations =
  (value: (sums: Deviations) => number): Ours =>
  ({ y_true, y_pred }: { readonly y_true: readonly number[]; readonly y_pred: readonly number[] }) => {
    const sums = newDeviations()
    y_true.forEach((gold, i) => {
      sums.add(gold, y_pred[i]!)
    })
    return { value: value(sums) }
  }

describeGolden('sklearn', {
  'sklearn.metrics.accuracy_score': table((confusion, { normalize = true }) =>
    normalize === true ? computeAccuracy(confusion) : confusion.right,
  ),
  'sklearn.metrics.balanced_accuracy_score': table(balancedAccuracy),
  'sklearn.metrics.matthews_corrcoef': table(matthewsCorrelation),
  'sklearn.metrics.cohen_kappa_score': table((confusion, { weights }) => cohenKappa(confusion, weights)),
  'sklearn.metrics.confusion_matrix': table((confusion, { labels, normalize }) =>
    confusionMatrix(confusion, {
      ...(labels !== undefined && { labels }),
      ...(typeof normalize === 'string' && { normalize }),
    }),
  ),
  'sklearn.metrics.f1_score': rate('f'),
  'sklearn.metrics.fbeta_score': rate('f'),
  'sklearn.metrics.precision_score': rate('precision'),
  'sklearn.metrics.recall_score': rate('recall'),
  'sklearn.metrics.jaccard_score': rate('jaccard'),
  'sklearn.metrics.precision_recall_fscore_support': (input: Classes, params: Params) => {
    const rates = ratesByClass(confusionOf(input), { zero_division: zero(params) })
    return {
      precision: rates.map(one => one.precision),
      recall: rates.map(one => one.recall),
      f: rates.map(one => one.f),
      support: rates.map(one => one.support),
    }
  },
  'sklearn.metrics.brier_score_loss': (input: Forecasts) => {
    const { value } = forecasts(computeBrier)(input as never, {} as never, false) as { readonly value: number }
    return { value: typeof input.y_proba[0] === 'number' ? value / 2 : value }
  },
  'sklearn.metrics.log_loss': forecasts(computeLogLoss),
  'sklearn.metrics.roc_auc_score': auc,
  'sklearn.metrics.average_precision_score': (input: Scores) => ({
    value: computePrecision(prepareCuts(sortDocs(ranked(input)))()),
  }),
  'sklearn.metrics.mean_absolute_error': deviations(sums => sums.meanAbsolute()),
  'sklearn.metrics.mean_squared_error': deviations(sums => sums.meanSquared()),
  'sklearn.metrics.r2_score': deviations(sums => sums.r2()),
  ece: (
    { confidence, correct }: { readonly confidence: readonly number[]; readonly correct: readonly number[] },
    { n_bins }: { readonly n_bins: number },
  ) => {
    const counts = calibrationCounts(n_bins)
    confidence.forEach((one, i) => {
      counts.add(one, correct[i]!)
    })
    return counts.finish()
  },
})
