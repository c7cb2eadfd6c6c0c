import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli, type Ended } from '../support/cli.js'
import { ownTask, results, type OwnTask } from '../support/own-task.js'

/** Removes task, dataset, store and server, and returns another home folder to continue in. */
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

test('a bundle can be judged and imported in an empty folder, with byte-equal scores', async () => {
  const task = await ownTask()
  await task.run(...task.line)
  // The latest rules and targets differ from those of the run.
  await task.edit('mytask.yaml', 'ignore_case: true', 'ignore_case: false')
  await task.edit('questions.jsonl', 'Red', 'blue')
  expect((await task.run('judge', 'last')).stdout).toContain('6 docs rescored')
  await task.run('export', 'last', '-o', 'x.pipeline')
  const dump = (await task.run('report', 'last', '--dump')).stdout
  expect(dump.match(/"score":\{/g)).toHaveLength(6)
  const run = await otherMachine(task)
  expect(await run('judge', '../x.pipeline', '--store', 'judged')).toMatchObject({ code: 0 })
  expect(await run('import', '../x.pipeline', '--store', 'imported')).toMatchObject({ code: 0 })
  for (const store of ['judged', 'imported'])
    expect((await run('report', 'last', '--dump', '--store', store)).stdout).toBe(dump)
})

test('answers without scores get the same scores on another machine', async () => {
  const task = await ownTask()
  const [, ...flags] = task.line
  await task.run('infer', ...flags, '-o', 'x.pipeline')
  await task.run('judge', 'last')
  const dump = (await task.run('report', 'last', '--dump')).stdout
  expect(dump.match(/"score":\{/g)).toHaveLength(6)
  const run = await otherMachine(task)
  expect(await run('judge', '../x.pipeline')).toMatchObject({ code: 0 })
  expect((await run('report', 'last', '--dump')).stdout).toBe(dump)
})

test('imports in any order, even repeated, give the same store', async () => {
  const task = await ownTask()
  await task.run(...task.line)
  await task.run('export', 'last', '-o', 'x.pipeline')
  await task.run('export', 'last', '-o', 'media.pipeline', '--media')
  const run = await otherMachine(task)
  await run('import', '../x.pipeline', '--store', 'a')
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

test('exports an unfinished run as partial, and it stays partial after import', async () => {
  const task = await ownTask()
  const [, ...flags] = task.line
  await task.run('infer', ...flags, '--input-only')
  const told = await task.run('export', 'last', '-o', 'x.pipeline')
  expect(told).toMatchObject({ code: 0 })
  expect(told.stderr).toMatch(/note: .* is partial: 6 of its items are pending/)
  const json = await task.run('export', 'last', '-o', 'x.pipeline', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ partial: true, pending: 6 })
  const run = await otherMachine(task)
  expect(await run('judge', '../x.pipeline')).toMatchObject({ code: 2 })
  await run('export', 'last', '-o', 'again.pipeline')
  expect(JSON.parse((await run('export', 'last', '-o', 'again.pipeline', '--json')).stdout)).toMatchObject({
    partial: true,
  })
})

test('a bundle contains the user’s code, which runs only with --trust-bundle', async () => {
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

test('names the scoring code that was not exported with a run', async () => {
  const task = await ownTask()
  await withCode(task)
  await task.run(...task.line)
  const first = (await task.run('report', 'last', '--dump')).stdout
  await task.edit('utils.ts', '? 1 : 0', '? 1 : 0.5')
  await task.run('judge', 'last')
  expect((await task.run('report', 'last', '--dump')).stdout).not.toBe(first)
  await task.run('export', 'last', '-o', 'x.pipeline')
  const run = await otherMachine(task)
  const judged = await run('judge', '../x.pipeline', '--trust-bundle')
  expect(judged).toMatchObject({ code: 0 })
  expect(judged.stderr).toContain('coded was scored since by newer code, which did not come with the run')
  expect((await run('report', 'last', '--dump')).stdout).toBe(first)
})

test('rejects a flipped byte and names the part', async () => {
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
