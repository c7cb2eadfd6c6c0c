import { expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import { sha256 } from '../../../../cache/digest.js'
import { inputKey } from '../../../../cache/keys.js'
import type { ComparedDoc } from '../../../../cache/store.js'
import type { Judgement, Run } from '../../../../cache/records.js'
import { AskedDifferences, taskDifferences } from '../../../../src/reading/comparing/asked-differences.js'

interface Asked {
  readonly text?: string
  readonly temperature?: number
  readonly target?: Json
}

function makeDoc({ text = 'q', temperature = 0, target = 'a' }: Asked): ComparedDoc {
  const input = { type: 'generate_until', messages: [{ role: 'user', content: [{ type: 'text', text }] }] } as const
  const own = { key: sha256<'response'>('key'), inputKey: inputKey(input).key, generation: { temperature } }
  const request = { ...own, isLikelihood: false }
  return { task: 0, index: 0, id: '0', record: { target, doc: {} }, requests: [request, request] }
}

function notes(pairs: readonly (readonly [Asked, Asked])[]): readonly string[] {
  const differences = new AskedDifferences()
  for (const [at, [first]] of pairs.entries()) differences.addFirst(String(at), makeDoc(first))
  for (const [at, [, second]] of pairs.entries()) differences.addSecond(String(at), makeDoc(second))
  differences.addSecond('only in the second run', makeDoc({ text: 'other' }))
  return differences.notes()
}

test('prints no note for runs with equal requests', () => {
  expect(notes([[{}, {}]])).toEqual([])
})

test('prompts, generation arguments and targets have one note each, with the number of docs', () => {
  expect(
    notes([
      [{ text: 'x' }, { text: 'y' }],
      [{ text: 'x' }, { text: 'z' }],
      [{ target: 1 }, { target: 2 }],
      [{ temperature: 0 }, { temperature: 1 }],
    ]),
  ).toEqual([
    'prompts differ in 2 of 4 docs',
    'generation arguments differ in 1 of 4 docs',
    'targets differ in 1 of 4 docs',
  ])
})

test('ignores the prompt of a doc without a request', () => {
  const differences = new AskedDifferences()
  differences.addFirst('d', { ...makeDoc({}), requests: [] })
  differences.addSecond('d', makeDoc({ text: 'other' }))
  expect(differences.notes()).toEqual([])
})

const asked = (digest: string, rules: string) =>
  ({
    run: { asked: { tasks: [{ name: 't', dataset: { path: 'p', files: { 'd.jsonl': digest } } }] } },
    judgement: { tasks: [{ config: rules, scorer: 's' }] },
  }) as unknown as { readonly run: Run; readonly judgement: Judgement }

test('lists different data and scoring rules by task', () => {
  expect(taskDifferences(asked('1', 'r'), asked('1', 'r'))).toEqual([])
  expect(taskDifferences(asked('1', 'r'), asked('2', 'other'))).toEqual([
    'data differ in 1 of 1 tasks: t',
    'the judge differs (rules of scoring, their code, or the judge model) in 1 of 1 tasks: t',
  ])
})
