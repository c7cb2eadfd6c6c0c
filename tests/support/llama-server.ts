import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../stages/model/backends/engines/launch-engine.js'

export interface LlamaServer {
  /** Where the API begins. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Starts llama.cpp's server as somebody else would; it may not listen yet. */
export async function startLlamaServer({
  server,
  model,
  context = 512,
}: {
  readonly server: string
  readonly model: string
  /** Tokens of one request. */
  readonly context?: number
}): Promise<LlamaServer> {
  const port = await freePort()
  const flags = ['--model', model, '--alias', 'smol', '--port', String(port), '--ctx-size', String(context)]
  const child = spawn(server, [...flags, '--parallel', '1'], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Resolves when the server answers questions. */
export async function waitUntilHealthy({ url }: LlamaServer): Promise<void> {
  const health = url.replace('/v1', '/health')
  while ((await fetch(health).catch(() => undefined))?.status !== 200) await sleep(20)
}
