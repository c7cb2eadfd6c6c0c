import { expect, test } from 'vitest'
import { rouge, rougeByVariant, rougeVariants } from '../../../../stages/judge/metrics/rouge.js'
import { valueOf, verdictOf } from '../../../support/judged-value.js'

const texts = [
  '北京市',
  'हिन्दी भाषा',
  'اللغة العربية',
  'Привет, мир',
  'สวัสดีครับ',
  '안녕하세요 세계',
  'naïve café',
  '東京タワーに行く',
]

test.each(texts)('%j equals itself with the unicode and character tokenizers', text => {
  for (const tokenizer of ['unicode', 'characters'])
    expect(valueOf(rouge, text, { target: text, args: { tokenizer } })).toBe(1)
})

test.each(['北京市', 'हिन्दी भाषा', 'اللغة العربية', 'Привет, мир'])(
  'with the ASCII tokenizer %j counts 0, and the reason is reported',
  text => {
    for (const metric of [
      ...rougeVariants.map(variant => ({ metric: rouge, args: { variant } })),
      { metric: rougeByVariant('rouge1'), args: {} },
    ])
      expect(verdictOf(metric.metric, text, { target: text, args: metric.args })).toEqual({
        type: 'unparsed',
        value: 0,
        reason:
          'ROUGE finds no word in the target: its words are ASCII letters and digits. Set `tokenizer: unicode` for other scripts',
      })
  },
)

test('one target with words is enough, and a target without letters counts 0', () => {
  expect(verdictOf(rouge, 'the cat', { target: ['猫', 'the cat'] })).toEqual({ type: 'scored', value: 1 })
  expect(verdictOf(rouge, '!', { target: '!' })).toEqual({ type: 'scored', value: 0 })
})

test('characters of scripts without spaces are words, and only English words are stemmed', () => {
  const args = { tokenizer: 'unicode', variant: 'rouge1' }
  expect(valueOf(rouge, '北京', { target: '北京市', args })).toBeCloseTo(0.8, 12)
  expect(valueOf(rouge, 'running кошками', { target: 'runs кошка', args: { ...args, use_stemmer: true } })).toBe(0.5)
})
