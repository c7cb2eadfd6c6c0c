/** A server of the built program that can be killed and started again at the same address. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../stages/model/backends/engines/launch-engine.js'
import type { EvaluateRequest } from '../../src/service/client/index.js'
import { startCli, type Started } from './cli.js'
import { writeTextTask } from './text-task.js'

export interface RestartedService {
  readonly url: string
  /** The task has 12 docs, the model echoes the answers of two thirds of them. */
  readonly request: EvaluateRequest
  /** Ends the server without a warning. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** @param docs the docs of the task `echoes` */
export async function restartedService(docs = 12, flags: readonly string[] = []): Promise<RestartedService> {
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-test-'))
  await writeTextTask(join(folder, 'tasks'), docs)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const args = ['--store', join(folder, 'store'), '--port', String(port), '--include-path', join(folder, 'tasks')]
  let started: Started | undefined
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    started?.child.kill(signal)
    await started?.ended
    started = undefined
  }
  const service: RestartedService = {
    url,
    request: { model: 'dummy', model_args: { mode: 'echo', latency_ms: 5 }, tasks: ['echoes'] },
    kill: () => end('SIGKILL'),
    async start() {
      started = startCli(['serve', ...args, ...flags])
      await listening(started, url)
    },
    async stop() {
      await end('SIGTERM')
      // Workers of a killed server may still write their last lines.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
  await service.start()
  return service
}

async function listening(started: Started, url: string): Promise<void> {
  let said: string | undefined
  void started.ended.then(({ stderr }) => (said = stderr))
  while (said === undefined) {
    const answer = await fetch(`${url}/health`).catch(() => undefined)
    if (answer?.ok === true) return
    await sleep(20)
  }
  throw new Error(`the service did not start: ${said}`)
}
