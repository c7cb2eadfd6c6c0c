import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { pluginOptions, pythonOptions, taskFolderOptions } from '../../../../src/config/options/subject-options.js'
import { jobPolicyOptions, modelArgsFlag, workOptions } from '../../../../src/config/service-options.js'
import { makeSlurmScript } from '../../../../src/service/launch/slurm-script.js'
import { planWorkers } from '../../../../src/service/launch/worker-plan.js'
import { temporaryFolder } from '../../../support/store.js'

const store = 'postgres://ada:s3cret@db.example/evals?media=/shared/evals'

/** Runs a script with a program of bash lines in the place of pipeline. `calls` has a line for each of its starts. */
async function startScript(script: string, program: string) {
  const folder = await temporaryFolder()
  const [file, fake, calls] = [join(folder, 'job.sh'), join(folder, 'pipeline'), join(folder, 'calls')]
  await writeFile(file, script)
  await writeFile(fake, `#!/bin/bash\necho "$@" >> ${calls}\n${program}\n`)
  await chmod(fake, 0o755)
  await writeFile(calls, '')
  const child = spawn('bash', [file], {
    cwd: folder,
    env: { ...process.env, PIPELINE: fake },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const readCalls = async (): Promise<readonly string[]> =>
    (await readFile(calls, 'utf8')).split('\n').filter(line => line !== '')
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return { child, readCalls, ended, folder }
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await sleep(20)
}

test('passes each flag of a worker', () => {
  const { words } = planWorkers(store, {
    includePath: ['/shared/tasks'],
    plugin: ['/shared/plugin.js'],
    python: '/shared/python',
    allowNetwork: true,
    pythonSeconds: 30,
    pythonMemoryMb: 500,
    allowDir: ['/shared/tasks'],
    allowUrl: ['http://node1:8000'],
    secret: ['MY_KEY'],
    allowCommands: true,
    maxJobsPerModel: 2,
    modelArgs: ['timeout=60'],
    idle: 60,
  })
  const passed = words.filter(word => word.startsWith('--'))
  const known = { ...taskFolderOptions, ...pluginOptions, ...pythonOptions, ...jobPolicyOptions, ...modelArgsFlag }
  const flags = [...Object.values(known), workOptions.maxJobsPerModel].map(({ flag }) => flag.split(' ')[0])
  expect(passed.toSorted()).toEqual(['--store', '--idle', ...flags].toSorted())
})

test('contains the resources, the signal and the flags of a worker, but no password', () => {
  const script = makeSlurmScript(
    planWorkers(store, { workers: 16, gpus: 2, cpus: 8, memoryGb: 32, grace: 90, allowDir: ["/shared/ada's tasks"] }),
    { partition: 'gpu', time: '04:00:00', sbatch: ['--qos=high'] },
  )
  expect(script.match(/^#SBATCH .*$/gm)).toEqual([
    '#SBATCH --job-name=pipeline-workers',
    '#SBATCH --array=1-16',
    '#SBATCH --nodes=1',
    '#SBATCH --ntasks=1',
    '#SBATCH --cpus-per-task=8',
    '#SBATCH --mem=32G',
    '#SBATCH --gpus-per-node=2',
    '#SBATCH --signal=B:USR1@90',
    '#SBATCH --requeue',
    '#SBATCH --open-mode=append',
    '#SBATCH --output=pipeline-workers-%A_%a.log',
    '#SBATCH --partition=gpu',
    '#SBATCH --time=04:00:00',
    '#SBATCH --qos=high',
  ])
  expect(script).toContain(
    `worker --store 'postgres://ada@db.example/evals?media=/shared/evals' --allow-dir '/shared/ada'\\''s tasks' --idle 300 &`,
  )
  expect(script).not.toContain('s3cret')
})

test('restarts a killed worker, and ends with one that found no more jobs', async () => {
  const script = makeSlurmScript(planWorkers(store, {}), {}).replace('sleep 5', 'sleep 0')
  const { readCalls, ended } = await startScript(script, '(( $(wc -l < "${0%/*}/calls") > 1 )) || kill -KILL $$')
  expect(await ended).toBe(0)
  expect(await readCalls()).toHaveLength(2)
})

test('signals the worker once to finish requests in flight, and ends with it', async () => {
  const script = makeSlurmScript(planWorkers(store, {}), {})
  const program = `trap 'echo told >> "\${0%/*}/calls"; exit 0' TERM\nwhile :; do sleep 0.05; done`
  const { child, readCalls, ended } = await startScript(script, program)
  await until(async () => (await readCalls()).length === 1)
  // The program sets its trap after it has written its line.
  await sleep(200)
  child.kill('SIGUSR1')
  expect(await ended).toBe(0)
  expect(await readCalls()).toEqual([expect.stringContaining('worker --store'), 'told'])
})

test('starts the worker when its engine responds, and ends the engine afterwards', async () => {
  const folder = await temporaryFolder()
  const engine = join(folder, 'engine.mjs')
  await writeFile(
    engine,
    `import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
const server = createServer((request, response) => response.end(request.url)).listen(0, '127.0.0.1', () =>
  writeFileSync('${join(folder, 'port')}', String(server.address().port)))
process.on('SIGTERM', () => { writeFileSync('${join(folder, 'ended')}', ''); process.exit() })
`,
  )
  const plan = planWorkers(store, { engine: `${process.execPath} ${engine}`, engineUrl: 'http://127.0.0.1:8000/v1' })
  expect(plan.words.slice(-4)).toEqual(['--model-args', 'base_url=http://127.0.0.1:8000/v1', '--idle', '300'])
  // The engine takes a free port, which the script reads.
  const script = makeSlurmScript(plan, {}).replace(
    'http://127.0.0.1:8000/v1/models',
    `"http://127.0.0.1:$(cat ${folder}/port 2> /dev/null)/v1/models"`,
  )
  const { readCalls, ended } = await startScript(script, 'exit 0')
  expect(await ended).toBe(0)
  expect(await readCalls()).toHaveLength(1)
  expect(await readFile(join(folder, 'ended'), 'utf8')).toBe('')
})

test('rejects a store in a folder, secrets, and invalid options', () => {
  const refuse =
    (...[place, flags]: Parameters<typeof planWorkers>) =>
    (message: string): void => {
      expect(() => planWorkers(place, flags)).toThrow(message)
    }
  refuse('/runs', {})('workers of several machines need a store on PostgreSQL')
  refuse(store, { modelArgs: ['api_key=sk-1'] })('--model-args: a secret would stand in the script')
  refuse(store, { jobName: 'A b' })('--job-name: expected small letters')
  refuse(store, { engineUrl: 'http://127.0.0.1:1' })('--engine-url needs --engine')
  refuse(store, { engine: 'x', engineUrl: 'localhost' })('--engine-url: expected an address')
  expect(() => makeSlurmScript(planWorkers(store, {}), { sbatch: ['--qos=a\nrm -r /'] })).toThrow(
    'is no option of sbatch',
  )
  expect(() => makeSlurmScript(planWorkers(store, {}), { partition: 'a b' })).toThrow('is no option of sbatch')
})
