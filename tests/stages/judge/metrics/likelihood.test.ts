import { expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { MetricDefinition, Verdict } from '../../../../stages/judge/define/define-metric.js'
import { isCloseSymmetric, isCloseToTarget } from '../../../../stages/judge/metrics/numeric-match.js'
import { softmax } from '../../../../stages/judge/metrics/likelihood/forecast.js'
import { byteCount, wordCount } from '../../../../stages/judge/metrics/likelihood/perplexity.js'
import { passAtK } from '../../../../stages/judge/aggregations/pass-at-k.js'
import { aggregated } from '../../../support/aggregated.js'
import { describeGolden } from '../../../support/golden-functions.js'
import { answeredDoc, logprobBody, recordOf } from '../../../support/judged.js'
import { builtInJudges, makeScorer } from '../../../support/scorer.js'

interface Choices {
  readonly lls: readonly number[]
  readonly is_greedy: readonly boolean[]
  readonly choices: string[]
  readonly gold: Json
  readonly lls_unconditional?: readonly number[]
}

/** What a metric returns for choices. It must report a target that is not among them. */
function valueOf(metric: MetricDefinition, { lls, is_greedy, choices, gold, lls_unconditional = [] }: Choices): Json {
  const record = recordOf(gold, { choices })
  const bodies = [...lls, ...lls_unconditional].map((logprob, i) => logprobBody(logprob, is_greedy[i]))
  const verdict = metric.judge({ text: '', references: [], record, bodies }, metric.args.parse({})) as Verdict
  if (gold === 'not there') expect(verdict.type).toBe('unparsed')
  return verdict.type === 'judge_failed' ? null : verdict.value
}

/** This program rejects what the reference rejects with an error. */
function valueOrError(metric: MetricDefinition, input: Choices): unknown {
  try {
    return valueOf(metric, input)
  } catch {
    return { error: 'IndexError' }
  }
}

function choiceValues(input: Choices) {
  const names = ['acc', 'acc_norm', 'acc_bytes', 'exact_match']
  const single = !Array.isArray(input.gold)
  if (input.lls_unconditional !== undefined) names.push('acc_mutual_info')
  if (single) names.push('brier_score')
  return {
    ...Object.fromEntries(names.map(name => [name, valueOrError(builtInJudges.metrics.get(name)!, input)])),
    ...(single && { prob_norm: softmax(input.lls) }),
  }
}

interface Texts {
  readonly texts: readonly string[]
  readonly loglikelihoods: readonly number[]
}

function rolling({ texts, loglikelihoods }: Texts) {
  const value = (name: string): number | null => {
    const metric = builtInJudges.metrics.get(name)!
    const values = texts.map((text, i) => {
      const input = { text: '', references: [text], record: recordOf(text), bodies: [logprobBody(loglikelihoods[i]!)] }
      return (metric.judge(input, {}) as Extract<Verdict, { value: Json }>).value
    })
    return aggregated(metric.aggregation!, values)
  }
  return {
    words: texts.map(wordCount),
    bytes: texts.map(byteCount),
    word_perplexity: value('word_perplexity'),
    byte_perplexity: value('byte_perplexity'),
    bits_per_byte: value('bits_per_byte'),
  }
}

interface Weighted {
  readonly loglikelihoods: readonly number[]
  readonly weights: readonly number[]
}

function weighted({ loglikelihoods, weights }: Weighted) {
  const pairs = loglikelihoods.map((logprob, i) => [logprob, weights[i]!])
  const names = ['weighted_perplexity', 'bits_per_byte']
  return Object.fromEntries(names.map(name => [name, aggregated(name, pairs)]))
}

describeGolden('loglikelihood_passk_tolerance', {
  'lm_eval.multiple_choice': choiceValues,
  'lm_eval.loglikelihood_rolling': rolling,
  'lm_eval.perplexity': ({ loglikelihoods }: { readonly loglikelihoods: readonly number[] }) => ({
    perplexity: aggregated('perplexity', loglikelihoods),
  }),
  'lm_eval.weighted': weighted,
  // The reference gives its product where there is more than one factor; both are the same number.
  pass_at_k: ({ n, c }: { readonly n: number; readonly c: number }, { k }: { readonly k: number }) => {
    const value = passAtK({ n, c, k })
    return n - c < k ? { value } : { value, product_form: value }
  },
  'pass_at_k.mean': ({ samples }: { readonly samples: readonly Json[] }, params: { readonly k: number }) => ({
    value: aggregated('pass_at_k', samples, params),
  }),
  isclose: (
    { a, b }: { readonly a: number; readonly b: number },
    { rel_tol, abs_tol }: { readonly rel_tol: number; readonly abs_tol: number },
  ) => ({ math: isCloseSymmetric(a, b, rel_tol, abs_tol), numpy: isCloseToTarget(a, b, rel_tol, abs_tol) }),
})

interface Framework extends Pick<Choices, 'choices' | 'gold'> {
  readonly values: readonly number[]
  readonly unconditional?: readonly number[]
}

function frameworkValues(
  { values, unconditional, ...rest }: Framework,
  { values_are }: { readonly values_are: 'losses' | 'summed log-likelihoods' },
) {
  const sign = values_are === 'losses' ? -1 : 1
  const input: Choices = {
    ...rest,
    lls: values.map(value => sign * value),
    is_greedy: [],
    ...(unconditional !== undefined && { lls_unconditional: unconditional }),
  }
  const names = ['acc', 'acc_norm', 'exact_match', ...(unconditional === undefined ? [] : ['acc_mutual_info'])]
  return Object.fromEntries(names.map(name => [name, valueOf(builtInJudges.metrics.get(name)!, input)]))
}

const registered: Readonly<Record<string, string>> = { f1_score: 'f1' }

describeGolden('lmms_framework', {
  'task.multiple_choice': frameworkValues,
  aggregation: ({ items }: { readonly items: readonly Json[] }, { name }: { readonly name: string }) => ({
    value: aggregated(registered[name] ?? name, items),
  }),
})

const scoringOf = (config: object) =>
  makeScorer({ task: 't', outputType: 'multiple_choice', config: { ...config }, scorerCode: { files: {} } })

test('metrics of choices (classes, forecasts, calibration) score the same answers', async () => {
  const metrics = ['f1', 'mcc', 'balanced_accuracy', 'cohen_kappa', 'brier_score', 'log_loss', 'ece', 'mce']
  const scorer = scoringOf({
    metric_list: metrics.map(metric => ({ metric, ...(metric === 'f1' && { average: 'macro' }) })),
  })
  const golds = [0, 1, 1, 0]
  const likelihoods = [
    [-0.1, -3],
    [-2, -0.2],
    [-0.5, -1],
    [-0.3, -4],
  ] as const
  const scores = await Promise.all(
    golds.map((gold, i) =>
      scorer.score(
        answeredDoc(
          recordOf(gold, { choices: ['no', 'yes'] }),
          likelihoods[i]!.map(one => logprobBody(one)),
          { index: i },
        ),
      ),
    ),
  )
  const values = scorer.aggregate(scores, { docs: 4 }).map(({ metric, value }) => [metric, value])
  expect(Object.fromEntries(values)).toEqual({
    f1: expect.closeTo((4 / 5 + 2 / 3) / 2, 12) as number,
    mcc: expect.closeTo(Math.sqrt(1 / 3), 12) as number,
    balanced_accuracy: 0.75,
    cohen_kappa: 0.5,
    brier_score: expect.closeTo(0.2054, 3) as number,
    log_loss: expect.closeTo(0.3009, 2) as number,
    ece: expect.any(Number) as number,
    mce: expect.any(Number) as number,
  })
})

test('a text that is not a label counts as a miss, not as another class', async () => {
  const scorer = makeScorer({
    task: 't',
    outputType: 'generate_until',
    config: {
      metric_list: [
        { metric: 'f1', average: 'macro', labels: ['cat', 'dog'] },
        { metric: 'recall', pos_label: 'cat', labels: ['cat', 'dog'] },
      ],
    },
    scorerCode: { files: {} },
  })
  const answers = ['cat', 'a dog', 'dog', ' dog']
  const golds = ['cat', 'dog', 'dog', 'cat']
  const scores = await Promise.all(answers.map((answer, i) => scorer.score(answeredDoc(recordOf(golds[i]!), [answer]))))
  expect(scores.map(({ outcome }) => outcome)).toEqual(['scored', 'unparsed', 'scored', 'scored'])
  const [f1, recall] = scorer.aggregate(scores, { docs: 4 })
  expect(f1).toMatchObject({ value: expect.closeTo((2 / 3 + 1 / 2) / 2, 12) as number, unparsed: 1 })
  expect(recall!.value).toBe(0.5)
})

test('suggests the nearest name for an unknown aggregation', () => {
  expect(() => scoringOf({ metric_list: [{ metric: 'acc', aggregation: 'weighted_perplexty' }] })).toThrow(
    'no aggregation "weighted_perplexty". Did you mean "weighted_perplexity"?',
  )
})
