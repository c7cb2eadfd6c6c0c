import { expect, test } from 'vitest'
import { ownTask, picture, results } from '../support/own-task.js'

test('only the request of an edited picture is sent again, and restoring the picture restores the first run', async () => {
  // Each answer repeats its request.
  const task = await ownTask([])
  const dump = async (reference: string): Promise<readonly string[]> =>
    (await task.run('report', reference, '--dump')).stdout.split('\n').filter(line => line.includes('"doc":'))
  const runs = async (): Promise<number> =>
    (JSON.parse((await task.run('runs', '--json')).stdout) as readonly unknown[]).length
  const first = results(await task.run(...task.line, '--json')).run.name
  const before = await dump('last')
  expect(before).toHaveLength(6)

  await task.write('img/2.png', await picture(255))
  const edited = await task.run(...task.line)
  expect(edited).toMatchObject({ code: 0 })
  expect(edited.stdout).toMatch(/5 from store/)
  expect(await task.requests()).toBe(7)
  expect(await runs()).toBe(2)
  const after = await dump('last')
  expect(after.filter((line, index) => line !== before[index]).map(line => /"doc":"(\w+)"/.exec(line)?.[1])).toEqual([
    'q2',
  ])
  expect((await task.run(...task.line)).stdout).toContain('0 asked · 6 from store')

  await task.write('img/2.png', await picture(80))
  const back = await task.run(...task.line, '--json')
  expect(results(back).run.name).toBe(first)
  expect(await task.requests()).toBe(7)
  expect(await runs()).toBe(2)
})
