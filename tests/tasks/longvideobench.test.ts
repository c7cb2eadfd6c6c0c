import { expect, test } from 'vitest'
import { docList } from '../../stages/input/datasets/doc-list.js'
import { withShuffledOptions } from '../../tasks/longvideobench/random-choice.js'
import { testGoldenTask } from '../support/golden-task.js'

interface Read {
  readonly parsed_pred: string
  readonly answer: string
}

testGoldenTask('longvideobench', {
  values: { lvb_acc: ({ parsed_pred: named, answer }: Read) => Number(named === answer) },
})

test('options stand in another order, and those that are not there stay behind', async () => {
  const words = ['a man', 'a child', 'a woman']
  const options = { option0: words[0], option1: words[1], option2: words[2], option3: 'N/A', option4: 'N/A' }
  async function* docs() {
    yield* await Promise.resolve(['a', 'b', 'c', 'd'].map(id => ({ id, ...options, correct_choice: 1 })))
  }
  const orders = new Set<string>()
  for await (const doc of withShuffledOptions(docList(docs()))) {
    const order = [0, 1, 2, 3, 4].map(index => doc[`option${index}`] as string)
    expect([order.slice(0, 3).sort(), order.slice(3)]).toEqual([[...words].sort(), ['N/A', 'N/A']])
    expect(doc[`option${String(doc['correct_choice'])}`]).toBe('a child')
    orders.add(order.join())
  }
  expect(orders.size).toBeGreaterThan(1)
})
