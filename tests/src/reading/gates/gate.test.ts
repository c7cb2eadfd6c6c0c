import { expect, test } from 'vitest'
import { parseGate } from '../../../../src/reading/gates/gate.js'

test.each([
  ['mme.score >= 1500', 'mme.score', { kind: 'bound', operator: '>=', base: 'zero', offset: 1500 }],
  ['mme.score>-.5', 'mme.score', { kind: 'bound', operator: '>', base: 'zero', offset: -0.5 }],
  [
    'mmmu_val.acc >= baseline - 0.01',
    'mmmu_val.acc',
    { kind: 'bound', operator: '>=', base: 'baseline', offset: -0.01 },
  ],
  [
    'a.b.wer,strict <= baseline+1e-2',
    'a.b.wer,strict',
    { kind: 'bound', operator: '<=', base: 'baseline', offset: 0.01 },
  ],
  ['x.acc > baseline', 'x.acc', { kind: 'bound', operator: '>', base: 'baseline', offset: 0 }],
  ['*.acc not worse', '*.acc', { kind: 'not worse' }],
  ['* not worse than the baseline by 0.02', '*', { kind: 'not worse', margin: 0.02 }],
  ['x.acc better', 'x.acc', { kind: 'better' }],
])('reads %s', (text, subject, rule) => {
  expect(parseGate(text)).toEqual({ text, subject, rule })
})

test.each([
  '',
  'acc >= 1',
  'x.acc',
  'x.acc = 1',
  'x.acc >= much',
  'x.acc >= 1 %',
  'not worse',
  'x.acc worse',
  '.acc > 1',
  'x.acc > 0.3 and x.acc < 0.6',
  'x.acc > nan',
])('rejects %j with examples', text => {
  expect(() => parseGate(text)).toThrow(/is no gate[\s\S]*mmmu_val\.acc >= baseline - 0\.01/)
})
