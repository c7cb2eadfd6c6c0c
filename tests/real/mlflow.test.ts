/** Checks what an MLflow server stores of a run. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { yesTask } from '../support/service.js'
import { temporaryFolder } from '../support/store.js'

const real = inject('mlflow')
const missing = 'missing' in real ? real.missing : undefined

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Starts the server with a database and artifacts in a folder. @returns its address */
async function startServer(program: string, folder: string): Promise<string> {
  const port = await findPort()
  const child = spawn(
    program,
    [
      ...['server', '--host', '127.0.0.1', '--port', String(port), '--workers', '1', '--serve-artifacts'],
      ...['--backend-store-uri', `sqlite:///${join(folder, 'mlflow.db')}`],
      ...['--artifacts-destination', join(folder, 'artifacts')],
    ],
    // Its background jobs need further packages.
    { env: { ...process.env, MLFLOW_SERVER_ENABLE_JOB_EXECUTION: 'false' }, stdio: 'ignore', detached: true },
  )
  onTestFinished(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  })
  const address = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const answer = await fetch(`${address}/health`).catch(() => undefined)
    if (answer?.ok === true) return address
    await pause(200)
  }
}

interface FoundRun {
  readonly info: { readonly run_id: string; readonly run_name: string; readonly status: string }
  readonly data: {
    readonly metrics: readonly { readonly key: string; readonly value: number; readonly step: number }[]
    readonly params: readonly { readonly key: string; readonly value: string }[]
  }
}

async function ask(address: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${address}/api/2.0/mlflow/${path}`, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  expect(answer.status).toBe(200)
  return answer.json()
}

test.skipIf(missing !== undefined)(
  `an MLflow server stores the run once, with its numbers, parameters and files${missing === undefined ? '' : ` (skipped: there is no ${missing})`}`,
  async () => {
    const folder = await temporaryFolder()
    const tasks = await yesTask(folder, 5)
    const address = await startServer('missing' in real ? '' : real.program, folder)
    const [store, to] = [join(folder, 'store'), `mlflow=${address},experiment=trials,step=7`]
    const evaluated = await runCli([
      ...['eval', '--model', 'dummy', '--model-args', 'mode=fixed,text=yes', '--tasks', 'yes_task'],
      ...['--include-path', tasks, '--store', store, '--track', to],
    ])
    expect({ code: evaluated.code, stderr: evaluated.stderr }).toEqual({
      code: 0,
      stderr: expect.any(String) as string,
    })
    const again = await runCli(['track', 'last', '--store', store, '--to', to])
    expect(again.stdout + again.stderr).toContain('is there already')
    expect((await runCli(['track', 'last', '--store', store, '--to', to, '--again'])).code).toBe(0)

    const { experiment } = (await ask(address, 'experiments/get-by-name?experiment_name=trials')) as {
      readonly experiment: { readonly experiment_id: string }
    }
    const { runs } = (await ask(address, 'runs/search', { experiment_ids: [experiment.experiment_id] })) as {
      readonly runs: readonly FoundRun[]
    }
    expect(runs).toHaveLength(1)
    const [run] = runs
    expect(run?.info).toMatchObject({ status: 'FINISHED', run_name: expect.stringMatching(/@1$/) as string })
    const metrics = Object.fromEntries((run?.data.metrics ?? []).map(({ key, value, step }) => [key, [value, step]]))
    expect(metrics).toMatchObject({
      'yes_task/exact_match': [1, 7],
      'yes_task/exact_match/docs': [5, 7],
      'run/answered': [5, 7],
    })
    const parameters = Object.fromEntries((run?.data.params ?? []).map(({ key, value }) => [key, value]))
    expect(parameters).toMatchObject({ backend: 'dummy', tasks: 'yes_task', 'model_args.text': 'yes' })
    const id = run?.info.run_id ?? ''
    const { files } = (await ask(address, `artifacts/list?run_id=${id}`)) as {
      readonly files: readonly { readonly path: string }[]
    }
    const paths = files.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['report.html', 'results.json', 'samples_yes_task.jsonl']))
    const samples = await (await fetch(`${address}/get-artifact?run_id=${id}&path=samples_yes_task.jsonl`)).text()
    expect(samples.trim().split('\n')).toHaveLength(5)
  },
)
