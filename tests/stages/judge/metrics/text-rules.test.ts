import { expect, test } from 'vitest'
import { nanmean } from '../../../../stages/judge/aggregations/means.js'
import { acc } from '../../../../stages/judge/metrics/likelihood/choice-accuracy.js'
import { f1 } from '../../../../stages/judge/metrics/classification/f1.js'
import { plainText, textRulesSchema } from '../../../../stages/judge/metrics/text-rules.js'
import { aggregated } from '../../../support/aggregated.js'

const given = { ignore_case: true, ignore_punctuation: true, regexes_to_ignore: ['^the '] }

test('applies patterns first, then letter case and punctuation', () => {
  const rules = textRulesSchema.parse(given)
  expect(plainText('the Answer, B2.', rules)).toBe('answer b2')
  expect(plainText('The Answer', rules)).toBe('the answer')
})

test('compares classes without ignored text, and names them as the task does', () => {
  const input = (text: string) => ({ text, references: ['Yes.'], bodies: [], record: { doc: {}, target: 'Yes.' } })
  expect(f1.judge(input('the YES!'), f1.args.parse(given))).toEqual({ type: 'scored', value: ['yes', 'yes'] })
  const named = f1.args.parse({ ...given, labels: ['Yes', 'No'] })
  expect(f1.judge(input('yes'), named)).toEqual({ type: 'scored', value: ['Yes', 'Yes'] })
  expect(f1.judge(input('NO'), named)).toEqual({ type: 'scored', value: ['Yes', 'No'] })
  expect(f1.judge(input('maybe'), named)).toMatchObject({ type: 'unparsed', value: ['Yes', null] })
  expect(f1.judge(input('yes'), f1.args.parse({}))).toEqual({ type: 'scored', value: ['Yes.', 'yes'] })
})

test('accuracy of log-likelihoods accepts the same arguments and compares no texts', () => {
  expect(acc.args.safeParse(given).success).toBe(true)
  expect(acc.args.safeParse({ ignore_cas: true }).success).toBe(false)
})

test('nanmean leaves out docs without a number', () => {
  expect(aggregated(nanmean, [1, null, 0.5, 'NaN'])).toBe(0.75)
  expect(aggregated(nanmean, [null])).toBeNull()
  expect(() => aggregated(nanmean, ['1'])).toThrow('it takes numbers, not "1"')
})
