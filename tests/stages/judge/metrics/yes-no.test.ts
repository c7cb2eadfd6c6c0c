import { expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import { mmeAccPlusAggregation as mmeAccPlus } from '../../../../stages/judge/metrics/mme.js'
import { mmeAggregation as mmeAggregation } from '../../../../stages/judge/metrics/mme.js'
import { yesNoF1Aggregation as f1 } from '../../../../stages/judge/metrics/yes-no.js'
import { yesNoPrecisionAggregation as yesNoPrecision } from '../../../../stages/judge/metrics/yes-no.js'
import { yesNoRatioAggregation as yesNoRatio } from '../../../../stages/judge/metrics/yes-no.js'
import { yesNoRecallAggregation as yesNoRecall } from '../../../../stages/judge/metrics/yes-no.js'
import type { AggregationDefinition } from '../../../../stages/judge/define/define-aggregation.js'
import { mmeCognition, mmePerception } from '../../../../stages/judge/metrics/mme.js'
import { yesOrNo } from '../../../../stages/judge/helpers/benchmarks/yes-no.js'
import { mme } from '../../../../stages/judge/metrics/mme.js'
import { yesNoF1 } from '../../../../stages/judge/metrics/yes-no.js'
import { yesNo } from '../../../../stages/judge/metrics/yes-no.js'
import { makeScorer } from '../../../support/scorer.js'
import { answeredDoc, recordOf } from '../../../support/judged.js'
import { describeGolden } from '../../../support/golden-functions.js'
import { meanOf, valueOf, verdictOf } from '../../../support/judged-value.js'

interface Answers {
  readonly answers: readonly string[]
  readonly predictions: readonly string[]
}
interface Sample {
  readonly category: string
  readonly question_id: string
  readonly answer: string
  readonly prediction: string
}

function aggregate(aggregation: AggregationDefinition, values: readonly Json[]): number | null {
  if (aggregation.of === 'values') return aggregation.summarise(values).value
  if (aggregation.of === 'numbers') throw new Error('its values are no numbers')
  const fold = aggregation.start({})
  for (const value of values) fold.add(value)
  return fold.finish().value
}

function pope({ answers, predictions }: Answers) {
  const args = { read: 'exact' }
  const ask = (metric: typeof yesNo) =>
    predictions.map((one, i) => valueOf(metric, one, { target: answers[i] ?? null, args }))
  const pairs = ask(yesNoF1)
  return {
    accuracy: meanOf(ask(yesNo) as number[]),
    precision: aggregate(yesNoPrecision, pairs),
    recall: aggregate(yesNoRecall, pairs),
    f1_score: aggregate(f1, pairs),
    yes_ratio: aggregate(yesNoRatio, pairs),
  }
}

const mmeValue = ({ prediction, answer, ...doc }: Sample): Json => valueOf(mme, prediction, { target: answer, doc })

function mmeScores({ samples }: { readonly samples: readonly Sample[] }) {
  const scores = Object.entries({ mme_perception_score: mmePerception, mme_cognition_score: mmeCognition }).map(
    ([name, categories]) => {
      const own = samples.filter(sample => categories.includes(sample.category))
      return own.length === 0 ? [] : [[name, aggregate(mmeAggregation, own.map(mmeValue))]]
    },
  )
  return Object.fromEntries(scores.flat()) as object
}

describeGolden('lmms_pope_mme', {
  pope,
  'mme.parse_pred_ans': ({ text }: { text: string }, _params: object, flawed: boolean) => ({
    label: yesOrNo(text, flawed ? 'words' : 'prefix') ?? 'other',
  }),
  mme: mmeScores,
})

test.each([
  ['Yes', 'yes'],
  ['no.', 'no'],
  ['Yes, there is no doubt', 'yes'],
  ['**No**', 'no'],
  ['I would say yes', 'yes'],
  ['Nope', 'no'],
  ['Either yes or no', undefined],
  ['nothing', undefined],
  ['I know', undefined],
  ['', undefined],
])('as words, %j says %s', (text, said) => {
  expect(yesOrNo(text, 'words')).toBe(said)
})

test('an answer that says neither is unparsed and counts as a miss in the rates', () => {
  expect(verdictOf(yesNo, 'maybe', { target: 'yes' })).toMatchObject({ type: 'unparsed', value: 0 })
  expect(verdictOf(yesNoF1, 'maybe', { target: 'yes' })).toMatchObject({
    type: 'unparsed',
    value: { gold: 'yes', answer: null },
  })
})

test('accuracy+ is the share of pictures with both questions right, and half a pair is an error', () => {
  const value = (picture: string, score: number): Json => ({ category: 'count', picture, score })
  const values = [value('a', 1), value('b', 1), value('a', 1), value('b', 0)]
  expect(aggregate(mmeAccPlus, values)).toBe(0.5)
  expect(aggregate(mmeAggregation, values)).toBe(75 + 50)
  expect(() => aggregate(mmeAggregation, values.slice(1))).toThrow('has 1 question, and MME scores pairs')
})

test("pairs and rates, named in a task's YAML, score the same answers", async () => {
  const names = ['yes_no', 'yes_no_precision', 'yes_no_recall', 'yes_no_f1', 'yes_no_ratio', 'mme', 'mme_acc_plus']
  const metrics = names.map(metric => ({ metric, read: 'words' }))
  const config = { metric_list: metrics }
  const scorer = makeScorer({ task: 't', outputType: 'generate_until', config, scorerCode: { files: {} } })
  const answers = ['Yes', 'Yes, it is', 'maybe', 'No']
  const targets = ['Yes', 'No', 'Yes', 'No']
  const scores = await Promise.all(
    answers.map((answer, i) => {
      const doc = { category: 'count', question_id: `${Math.floor(i / 2)}.png` }
      return scorer.score(answeredDoc(recordOf(targets[i] ?? null, { doc }), [answer], { index: i }))
    }),
  )
  const totals = { docs: 4 }
  const values = scorer.aggregate(scores, totals).map(({ metric, value }) => [metric, value])
  expect(Object.fromEntries(values)).toEqual({
    yes_no: 0.5,
    yes_no_precision: 0.5,
    yes_no_recall: 0.5,
    yes_no_f1: 0.5,
    yes_no_ratio: 0.5,
    mme: 50,
    mme_acc_plus: 0,
  })
})

test.each([
  ...[
    'ＹＥＳ',
    '答案是yes',
    '答案：yes。',
    'yes입니다',
    '答案是是',
    '答案是是。',
    '是的，图中有一只猫。',
    '对',
    '回答：是',
    '正确',
    'はい',
    'はい、そうです。',
  ],
  ...[
    '答えははいです',
    '예',
    '네, 맞습니다',
    '정답은 예입니다',
    'Да',
    'Да, это кошка',
    'Ответ: да',
    'Oui',
    'Réponse : oui',
    'Sí, claro',
    'Ja',
    'Sim.',
  ],
  ...['نعم', 'الإجابة: نعم', 'हाँ', 'ใช่ครับ', '**Yes**', 'The answer is yes.', '是'],
])('%j says yes', text => {
  expect(yesOrNo(text, 'words')).toBe('yes')
})

test.each([
  ...[
    '答案是no。',
    'NO.',
    'No, it is not',
    '不是。',
    '不',
    '没有，图中没有猫',
    '答案是否',
    '答案是不是',
    '否',
    '错误',
    'いいえ',
    'いいえ、違います。',
  ],
  ...[
    '答えはいいえです',
    '아니오',
    '아니요, 없습니다',
    '정답은 아니오입니다',
    'Нет',
    'нет.',
    'Ответ: нет',
    'Non',
    'Nein, danke',
    'Não',
    'لا',
    'नहीं',
    'ไม่ใช่',
  ],
  ...['It is not yes but no', "I can't say yes, so no"],
])('%j says no', text => {
  expect(yesOrNo(text, 'words')).toBe('no')
})

test.each([
  '',
  'maybe',
  'The answer is not yes.',
  'yes or no',
  'Yes/No',
  'Yes and no.',
  'neither yes nor no',
  '不确定',
  '我不知道',
  'わかりません',
  'nothing',
  '不是吗',
])('%j says neither', text => {
  expect(verdictOf(yesNo, text, { target: 'yes' })).toMatchObject({ type: 'unparsed', value: 0 })
})

test('targets may be in other languages, and any other target is an error of the doc', () => {
  expect(valueOf(yesNo, '答案是是', { target: '是' })).toBe(1)
  expect(valueOf(yesNo, 'Нет', { target: 'да' })).toBe(0)
  expect(() => valueOf(yesNo, 'yes', { target: 'maybe' })).toThrow('the target "maybe" is neither yes nor no')
})

test.each([
  [true, 'Yes', 1],
  [true, 'No', 0],
  [false, 'No.', 1],
  ['False', 'yes', 0],
])('a Boolean target means yes or no: %j', async (target, answer, value) => {
  const config = { metric_list: [{ metric: 'yes_no' }] }
  const scorer = makeScorer({ task: 't', outputType: 'generate_until', config, scorerCode: { files: {} } })
  expect(await scorer.score(answeredDoc(recordOf(target), [answer]))).toMatchObject({ values: { yes_no: value } })
})
