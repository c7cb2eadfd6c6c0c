import { describe, expect, test } from 'vitest'
import type { JudgePrompt, KnownQuestion } from '../../../../stages/judge/define/judge-model.js'
import { modelGraded } from '../../../../stages/judge/metrics/model-graded.js'
import { recordOf } from '../../../support/judged.js'
import { promptText, verdictMark } from '../../../support/graded.js'

/** Returns the canary questions that an entry makes from one doc. */
async function canariesOf(entry: object, target: string | null = 'Paris'): Promise<readonly KnownQuestion[]> {
  const asked: JudgePrompt[] = []
  const record = recordOf(target, { doc: { question: 'What is the capital of France?' } })
  const references = target === null ? [] : [target]
  await modelGraded.judge({ text: 'Lyon', references, record, bodies: [] }, modelGraded.args.parse(entry), {
    ask: prompt => {
      asked.push(prompt)
      return Promise.resolve({ type: 'failed', reason: 'no judge' })
    },
  })
  return asked[0]?.guard?.known?.() ?? []
}

const criteria = [{ name: 'city', text: 'It names the city.' }]
const schema = {
  type: 'object',
  properties: { score: { type: 'number', minimum: 0, maximum: 10 } },
  required: ['score'],
}

describe.each<[object, best: string, worst: string]>([
  [{ kind: 'binary' }, ' CORRECT', ' INCORRECT'],
  [{ kind: 'likert' }, ' 5', ' 1'],
  [{ kind: 'rubric', criteria }, '1 MET', '1 UNMET'],
  [{ kind: 'extract' }, ' Paris', ' NONE'],
  [{ kind: 'form', schema, field: 'score' }, ' {"score": 10}', ' {"score": 0}'],
  [{ kind: 'comparative' }, ' A', ' B'],
])('%j', (entry, best, worst) => {
  const reply = ({ prompt }: KnownQuestion, said: string): string => {
    const [label = '', word = ''] = said.split(/ (.*)/)
    return `${verdictMark(promptText(prompt), label === '' ? undefined : label)} ${word}`
  }

  test('the reference must not get the worst grade, nor an absurd answer the best', async () => {
    const [right, wrong] = await canariesOf(entry)
    expect(promptText(right!.prompt)).toContain('Paris')
    expect(promptText(wrong!.prompt)).toContain('Seventeen purple umbrellas')
    expect(await right!.misjudge(reply(right!, best))).toBeUndefined()
    expect(await right!.misjudge(reply(right!, worst))).toBe('the judge says that the reference itself is wrong')
    expect(await wrong!.misjudge(reply(wrong!, worst))).toBeUndefined()
    expect(await wrong!.misjudge(reply(wrong!, best))).toContain('the judge says that an absurd answer is right')
  })

  test('an unreadable reply does not count as misjudged', async () => {
    const [right, wrong] = await canariesOf(entry)
    expect([await right!.misjudge('perhaps'), await wrong!.misjudge('perhaps')]).toEqual([undefined, undefined])
  })

  test('canaries sets the number of canaries', async () => {
    expect(await canariesOf({ ...entry, canaries: 1 })).toHaveLength(1)
    expect(await canariesOf({ ...entry, canaries: 0 })).toHaveLength(0)
  })
})

test('without a reference, the only canary is the absurd answer', async () => {
  const known = await canariesOf({ kind: 'likert', reference: false })
  expect(known.map(({ prompt }) => promptText(prompt).includes('Seventeen purple umbrellas'))).toEqual([true])
})
