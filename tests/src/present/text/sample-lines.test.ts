import { expect, test } from 'vitest'
import { sha256, type MediaDigest, type ResponseKey } from '../../../../cache/digest.js'
import type { Sample } from '../../../../cache/store.js'
import type { SampleWithRounds } from '../../../../src/model/kept-conversations.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { factsReader } from '../../../../cache/facts/sample-facts.js'
import { kindTest, sampleKinds } from '../../../../src/reading/samples/sample-kinds.js'
import { sampleLines } from '../../../../src/present/text/sample-lines.js'
import { aggregate, someRun } from '../../../support/report-data.js'

const media = sha256<'media'>('picture')

const sample = (changes: Partial<Sample> = {}, text = 'three'): Sample => ({
  task: 0,
  index: 17,
  id: '17',
  record: { target: 'two', doc: {} },
  items: [
    {
      choice: 0,
      sample: 0,
      request: {
        key: sha256<'response'>('key') satisfies ResponseKey,
        inputKey: sha256<'input'>('input'),
        input: {
          type: 'generate_until',
          messages: [
            {
              role: 'user',
              content: [
                { type: 'image', media, derive: { longest: 64 } },
                { type: 'text', text: 'How many?\nOne word.' },
              ],
            },
          ],
        },
        generation: {},
      },
      response: {
        body: { text, finishReason: 'length' },
        meta: { durationMs: 1, attempts: 1, answeredAt: 0 },
      },
    },
  ],
  score: { outcome: 'scored', values: { exact_match: 0 }, extracted: { none: 'three' }, groups: { type: 'count' } },
  ...changes,
})

const view = (shown: SampleWithRounds) =>
  sampleLines({ run: someRun, sample: shown }, (digest: MediaDigest) => `media/${digest.slice(7, 10)}`, plain)

test('shows the reason of an assertion in words', () => {
  const extracted = { none: 'three', short: { reason: '9 words, and at most 5 are wanted' }, other: { reason: 1 } }
  const lines = view(sample({ score: { outcome: 'scored', values: { short: 0 }, extracted } }))
  expect(lines).toContain('  reason     9 words, and at most 5 are wanted   (short)')
  expect(lines).toContain('  read as    {"reason":1}   (other)')
})

test('shows a doc with its prompt, media, answer, target and extracted value', () => {
  expect(view(sample())).toEqual([
    'shapes_vqa/17   exact_match 0.000',
    `  image      media/${media.slice(7, 10)}   {"longest":64}`,
    '  user       How many?',
    '             One word.',
    '  answer     "three"   (cut off at the token limit)',
    '  target     "two"',
    '  read as    "three"',
    '  of         type: count',
    '',
  ])
})

test('shows a failure in place of the answer', () => {
  const [item] = sample().items
  const { choice, request } = item!
  const failed = sample({
    items: [{ choice, sample: 0, request: request!, failure: { class: 'timeout', message: 'too late', attempts: 6 } }],
  })
  expect(view(failed)).toContain('  failed     timeout: too late (6 attempts)')
  expect(view(failed)[0]).toBe('shapes_vqa/17   failed')
})

test("a model's text cannot act on the terminal", () => {
  expect(view(sample({}, 'a\u001b[2Jb')).join('')).not.toContain('\u001b')
})

const kindsOf = (one: Sample, isLowerBetter = false) => {
  const judgement = { aggregates: [aggregate({ metric: 'm', higherIsBetter: !isLowerBetter })] }
  const facts = factsReader({ run: someRun, judgement })(one)
  const kinds = sampleKinds.filter(kind => kindTest(kind).passes({ ...facts, isLabelled: false, change: null }))
  return kinds.filter(kind => kind !== 'unlabelled')
}

test('a doc is wrong if its first metric does not have the best value', () => {
  const scored = (value: number) => sample({ score: { outcome: 'scored', values: { m: value }, extracted: {} } })
  expect(kindsOf(scored(0.5))).toEqual(['all', 'wrong'])
  expect(kindsOf(scored(1))).toEqual(['all', 'right'])
  expect(kindsOf(scored(0), true)).toEqual(['all', 'right'])
  expect(kindsOf(scored(0.2), true)).toEqual(['all', 'wrong'])
})

test('unparsed, empty and failed are separate kinds', () => {
  const unparsed = sample({ score: { outcome: 'unparsed', values: { m: 0 }, extracted: {}, reason: 'no number' } })
  expect(kindsOf(unparsed)).toEqual(['all', 'unparsed'])
  expect(view(unparsed)[0]).toBe('shapes_vqa/17   unparsed   m 0.000')
  const { task, index, id, record, items } = sample({}, ' \n')
  const unscored = { task, index, id, record, items }
  expect(kindsOf(unscored)).toEqual(['all', 'empty', 'cut'])
  const broken = sample({ score: { outcome: 'judge_failed', values: {}, extracted: {}, reason: 'no reply' } })
  expect(kindsOf(broken)).toEqual(['all', 'failed'])
})

test('shows the calls before a failure, and shortens a long text', () => {
  const [item] = sample().items
  const { choice, request } = item!
  const lines = view({
    ...sample(),
    items: [
      {
        choice,
        sample: 0,
        request: request!,
        failure: { class: 'server', message: 'down', attempts: 1 },
        transcript: [
          { role: 'assistant', content: [], toolCalls: [{ id: 'c', name: 'add', arguments: '{"a":1}' }] },
          { role: 'tool', toolName: 'add', content: [{ type: 'text', text: 'x'.repeat(5_000_000) }] },
        ],
      },
    ],
  })
  expect(lines).toContain('  calls      add {"a":1}')
  expect(lines.find(line => line.startsWith('  tool'))).toMatch(
    /add: x+ … \(5,000,005 characters in all: --json has them\)$/,
  )
  expect(lines.join('').length).toBeLessThan(5_000)
})

test('likelihoods of one continuation after several beginnings are shown as contexts, others as choices', () => {
  const [item] = sample().items
  const likelihood = (choice: number, continuation: string) => ({
    choice,
    sample: 0,
    request: {
      ...item!.request!,
      key: sha256<'response'>(`${choice} ${continuation}`) satisfies ResponseKey,
      input: { ...item!.request!.input, type: 'loglikelihood' as const, continuation },
    },
    response: { ...item!.response!, body: { text: '', finishReason: 'stop' as const, logprob: -choice - 1 } },
  })
  const record = { target: 1, choices: ['Sarah', 'Maria'], doc: {} }
  const linesOf = (ends: readonly string[]) =>
    view(sample({ record, items: ends.map((end, choice) => likelihood(choice, end)) })).filter(line =>
      line.includes('logprob'),
    )
  expect(linesOf([' always', ' always']).map(line => line.trim().split(/\s+/)[0])).toEqual(['context', 'context'])
  expect(linesOf([' Sarah', ' Maria']).map(line => line.trim().split(/\s+/)[0])).toEqual(['choice', 'choice'])
})
