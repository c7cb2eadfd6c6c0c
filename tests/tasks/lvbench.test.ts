import { expect, test } from 'vitest'
import { docList } from '../../stages/input/datasets/dataset.js'
import { withShuffledOptions } from '../../tasks/lvbench/random-choice.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('lvbench')

test('shuffles options the same way in each run, and keeps a doc without a list of them', async () => {
  const given = { question: 'Who speaks?', options: ['a man', 'a child', 'a woman', 'nobody'], answer: 'b' }
  const whole = { question: 'Who? (A) a man (B) a child', answer: 'B' }
  async function* docs() {
    yield* await Promise.resolve([given, { ...given, question: 'Who speaks then?' }, given, whole])
  }
  const shuffled = []
  for await (const doc of withShuffledOptions(docList(docs()))) shuffled.push(doc)
  const [first, other, again, last] = shuffled
  expect([...(first!['options'] as string[])].sort()).toEqual([...given.options].sort())
  expect(first).toEqual(again)
  expect(other!['options']).not.toEqual(first!['options'])
  for (const doc of [first!, other!])
    expect((doc['options'] as string[])['ABCD'.indexOf(doc['answer'] as string)]).toBe('a child')
  expect(last).toEqual(whole)
})
