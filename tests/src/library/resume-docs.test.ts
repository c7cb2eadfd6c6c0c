import { join } from 'node:path'
import { expect, test } from 'vitest'
import { infer, metrics, mockModel, defineTask, resume, rows } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

test('resuming some docs calls the judge model only for these', async () => {
  const store = join(await temporaryFolder(), 'store')
  const model = mockModel({ reply: ({ text }) => text, version: '1' })
  const judge = mockModel({ reply: () => 'GRADE: C', version: '1' })
  const task = defineTask({
    ...{ name: 'judged', module: import.meta.url, dataset: rows(['a', 'b', 'c'].map(id => ({ id }))) },
    prompt: ({ id }: { id: string }) => id,
    target: ({ id }) => id,
    metrics: { graded: metrics.modelGraded({ kind: 'binary', canaries: 0, question: false }) },
  })
  const { run } = await infer({ store, model, judge, tasks: [task] })
  expect([model.calls.length, judge.calls.length]).toEqual([3, 0])
  await resume(run.name, { store, tasks: [task], model, judge, docs: ['b'] })
  expect([model.calls.length, judge.calls.length]).toEqual([3, 1])
  await resume(run.name, { store, tasks: [task], model, judge })
  expect([model.calls.length, judge.calls.length]).toEqual([3, 3])
})
