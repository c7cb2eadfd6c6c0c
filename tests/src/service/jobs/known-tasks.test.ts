import { expect, test } from 'vitest'
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
