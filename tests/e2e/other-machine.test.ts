import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli, type Ended } from '../support/cli.js'
import { ownTask, results, type OwnTask } from '../support/own-task.js'

/** Takes task, dataset, store and server away, and gives a home of its own to go on from. */
async function otherMachine(task: OwnTask): Promise<(...args: string[]) => Promise<Ended>> {
  const home = join(task.folder, 'elsewhere')
  await mkdir(home)
  await rename(join(task.folder, 'mytask'), join(task.folder, 'gone'))
  await task.server.stop()
  return (...args) => runCli(args, { cwd: home, env: { HOME: home } })
}

const withCode = async (task: OwnTask): Promise<void> => {
  await task.write(
    'utils.ts',
    'export const score = (doc: { answer: string }, [text]: string[]) => ({ right: text === doc.answer ? 1 : 0 })\n',
  )
  await task.write(
    'coded.yaml',
    `include: mytask.yaml\ntask: coded\nprocess_results: !function utils.score\nmetric_list: [{metric: right}]\n`,
  )
}

test('a bundle is judged and imported where there is nothing else, with the same scores to the byte', async () => {
  const task = await ownTask()
  await task.run(...task.line)
  await task.edit('mytask.yaml', 'ignore_case: true', 'ignore_case: false')
  await task.run('judge', 'last')
  await task.run('export', 'last', '-o', 'x.pipeline')
  await task.run('export', 'last', '-o', 'media.pipeline', '--media')
  const scores = results(await task.run('report', 'last', '--json')).tasks
  const run = await otherMachine(task)

  const judged = await run('judge', '../x.pipeline', '--json')
  expect(judged).toMatchObject({ code: 0 })
  expect(JSON.stringify(results(judged).tasks['mytask'])).not.toBe('')
  expect((await run('import', '../x.pipeline', '--store', 'a')).code).toBe(0)
  expect(JSON.stringify(results(await run('report', 'last', '--json', '--store', 'a')).tasks)).toBe(
    JSON.stringify(scores),
  )
  expect((await run('import', '../x.pipeline', '--store', 'a')).stdout).toContain(
    '(known): 0 answers and 0 scores added',
  )

  await run('import', '../media.pipeline', '--store', 'a')
  await run('import', '../media.pipeline', '--store', 'b')
  await run('import', '../x.pipeline', '--store', 'b')
  for (const store of ['a', 'b']) await run('export', 'last', '-o', `${store}.pipeline`, '--store', store, '--media')
  const [a, b] = await Promise.all(['a', 'b'].map(name => readFile(join(task.folder, 'elsewhere', `${name}.pipeline`))))
  expect(a!.equals(b!)).toBe(true)
  expect(await run('cache', 'verify', '--store', 'b')).toMatchObject({ code: 0 })
})

test('a user’s code comes along and runs only with --trust-bundle', async () => {
  const task = await ownTask()
  await withCode(task)
  await task.run(...task.line)
  const scores = results(await task.run('report', 'last', '--json')).tasks
  await task.run('export', 'last', '-o', 'x.pipeline')
  const run = await otherMachine(task)
  const refused = await run('judge', '../x.pipeline')
  expect(refused).toMatchObject({ code: 1 })
  expect(refused.stderr).toMatch(/task coded is scored by code of its own.*--trust-bundle/)
  const trusted = await run('judge', '../x.pipeline', '--trust-bundle', '--json')
  expect(trusted).toMatchObject({ code: 0 })
  expect(JSON.stringify(results(trusted).tasks)).toBe(JSON.stringify(scores))
})

test('a flipped byte is refused with the name of the part, and a run that is not finished says so', async () => {
  const task = await ownTask(['--text', 'blue', '--fail', '400:0.5'])
  expect(await task.run(...task.line)).toMatchObject({ code: 2 })
  await task.run('export', 'last', '-o', 'x.pipeline')
  const whole = await readFile(join(task.folder, 'x.pipeline'))
  for (const part of [0.3, 0.6, 0.8, 0.95]) {
    const flipped = Buffer.from(whole)
    const at = Math.floor(part * whole.length)
    flipped[at] = (flipped[at] ?? 0) ^ 1
    await writeFile(join(task.folder, 'f.pipeline'), flipped)
    const ended = await task.run('import', 'f.pipeline', '--store', 'other')
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.stderr).toMatch(/^error: f\.pipeline: part [\w.-]+ is damaged: .* Copy or export it again\.$/m)
  }
  expect((await task.run('runs', '--store', 'other')).stdout).toContain('no runs yet')
})
