import { expect, test } from 'vitest'
import {
  normaliseVqaAnswer,
  normaliseVqaWords,
  stripVqaPunctuation,
} from '../../../../stages/judge/metrics/vqa-accuracy.js'
import { vqaAccuracy } from '../../../../stages/judge/metrics/vqa-accuracy.js'
import { describeGolden } from '../../../support/golden-functions.js'
import { valueOf } from '../../../support/judged-value.js'

interface Text {
  readonly text: string
}
interface Answers {
  readonly answers: readonly string[]
  readonly prediction: string
}

const vqav2 = ({ answers, prediction }: Answers) => ({
  exact_match: valueOf(vqaAccuracy, prediction, { target: answers, args: { normaliser: 'vqav2' } }),
})

describeGolden('lmms_vqa', {
  'EvalAIAnswerProcessor.__call__': ({ text }: Text) => ({ text: normaliseVqaAnswer(text) }),
  'EvalAIAnswerProcessor.process_punctuation': ({ text }: Text) => ({ text: stripVqaPunctuation(text) }),
  'EvalAIAnswerProcessor.process_digit_article': ({ text }: Text) => ({ text: normaliseVqaWords(text) }),
  'vqav2.process_results': vqav2,
  'vqav2.process_results(no answer_id)': vqav2,
  'textvqa.process_results': ({ answers, prediction }: Answers) => ({
    exact_match: valueOf(vqaAccuracy, prediction, { target: answers }),
  }),
})

test('a doc without human answers is an error, not a 0', () => {
  expect(() => valueOf(vqaAccuracy, 'yes', { target: [] })).toThrow('no human answer')
})
