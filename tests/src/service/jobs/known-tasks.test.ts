import { expect, test } from 'vitest'
import { parseJobRequest } from '../../../../src/service/jobs/job-request.js'
import { unknownTasks } from '../../../../src/service/jobs/known-tasks.js'

const catalogue = { taskNames: () => Promise.resolve(new Set(['mmlu_a', 'mmlu_b', 'mme'])) }

test('matches all kinds of patterns, and names a pattern that matches no task', async () => {
  expect(await unknownTasks(catalogue, { tasks: ['mm*', 'mmlu_?', 'mmlu_[ab]', 'mme'] })).toEqual([])
  expect(await unknownTasks(catalogue, { tasks: 'mmlu_[xy],mme_?,mmx' })).toEqual([
    expect.stringContaining('there is no task "mmx"'),
    expect.stringContaining('there is no task "mmlu_[xy]"'),
    expect.stringContaining('there is no task "mme_?"'),
  ])
})

test('no pattern is taken unchecked: one longer than any name matches nothing, and too many are refused', async () => {
  expect(await unknownTasks(catalogue, { tasks: `mm*${'x'.repeat(300)}` })).toHaveLength(1)
  const patterns = Array.from({ length: 21 }, (_, index) => `mm*${index}`)
  expect(await unknownTasks(catalogue, { tasks: patterns })).toEqual([
    'tasks: a job has at most 20 patterns, and 21 are given',
  ])
})

test.each(['', ' ', ',', [], [''], [' ', ',']])('a job without a name of a task is refused: %j', tasks => {
  expect(() => parseJobRequest({ model: 'dummy', tasks })).toThrow('tasks: expected a task, or a list of tasks')
})
