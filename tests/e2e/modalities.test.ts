import { expect, test } from 'vitest'
import { ownTask } from '../support/own-task.js'

test('rejects a task with pictures for a text-only model, unless modalities allows them', async () => {
  const task = await ownTask()
  const line = task.line.map(word => (word === 'openai' ? 'deepseek' : word))
  const refused = await task.run(...line)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(
    /task mytask shows images \(doc \w+\), which model deepseek does not take: it takes text\./,
  )
  expect(refused.stderr).toMatch(/modalities=text\+image .*Models that do: .*openai/)
  expect(await task.requests()).toBe(0)
  expect((await task.run('runs', '--json')).stdout).not.toContain('mytask')
  expect(await task.run(...line, '--model-args', 'modalities=text+image')).toMatchObject({ code: 0 })
  expect(await task.requests()).toBe(6)
})
