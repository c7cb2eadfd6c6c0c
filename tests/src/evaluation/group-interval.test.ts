/** The interval of a group of tasks, as a program gets it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate, mockModel, statistics } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

test('394 right answers of 400 in 20 tasks have about the interval of one task with all docs', async () => {
  const folder = await temporaryFolder()
  const names = Array.from({ length: 20 }, (_, task) => `part_${task}`)
  for (const [task, name] of names.entries()) {
    const rows = Array.from({ length: 20 }, (_, doc) => {
      const isWrong = task < 6 && doc === 0
      return `${JSON.stringify({ id: `${doc}`, question: `${name} ${doc} ${isWrong ? 'hard' : 'easy'}`, answer: 'yes' })}\n`
    })
    await writeFile(join(folder, `${name}.jsonl`), rows.join(''))
    await writeFile(
      join(folder, `${name}.yaml`),
      `task: ${name}\ndataset_path: ./${name}.jsonl\ndoc_to_text: "{{question}}"\ndoc_to_target: answer\nmetric_list: [{metric: exact_match}]\n`,
    )
  }
  await writeFile(
    join(folder, 'parts.yaml'),
    `group: parts\ntask: [${names.join(', ')}]\naggregate_metric_list: [{metric: exact_match, weight_by_size: true}]\n`,
  )
  const model = mockModel({ reply: ({ text }) => (text.includes('easy') ? 'yes' : 'no') })
  const store = join(folder, 'store')
  const { judgement } = await evaluate({ model, tasks: ['parts'], includePaths: [folder], store })
  const group = judgement?.aggregates?.find(({ of }) => of !== undefined)
  const [low, high] = statistics.computeWilson(394, 400)
  expect(group).toMatchObject({ value: 0.985, n: 400, intervalMethod: 'wilson' })
  expect(group?.interval).toEqual([expect.closeTo(low, 2.5), expect.closeTo(high, 2.5)])
})
