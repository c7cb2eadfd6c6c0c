import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { projectRoot } from '../cache/code/project-root.js'

/** A running `pipeline serve`. */
export interface ServedProcess {
  readonly origin: string
  readonly child: ChildProcess
  stop(): Promise<void>
}

/** Starts the built server as a user would, on a free port. */
export const startServer = (args: readonly string[]): Promise<ServedProcess> =>
  started([join(projectRoot, 'dist/src/cli/bin.js'), 'serve', '--port', '0', ...args])

/** The least that an HTTP server of Node.js does: it answers each request with a short object. Latencies are compared with its. */
export const startBareServer = (): Promise<ServedProcess> =>
  started([
    '--eval',
    `const server = require('node:http').createServer((request, response) => response.end('{"status":"queued"}'))
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))`,
  ])

async function started(args: readonly string[]): Promise<ServedProcess> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  const said = text(child.stderr)
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(async () => Promise.reject(new Error(`node ${args.join(' ')} did not listen:\n${await said}`))),
  ])) as [string]
  const [origin = ''] = /http:\/\/[\w.]+:\d+/.exec(line) ?? []
  return {
    origin,
    child,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Latencies in milliseconds. */
export interface Polled {
  readonly median: number
  readonly p99: number
  readonly requests: number
}

/** Polls addresses at a rate from another process while `work` runs. @throws Error if an answer was not 200 */
export async function polledWhile(rate: number, urls: readonly string[], work: () => Promise<void>): Promise<Polled> {
  const main = fileURLToPath(new URL('./service-load.js', import.meta.url))
  const child = spawn(process.execPath, [main, String(rate), ...urls], { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = text(child.stdout)
  await work()
  child.stdin.end()
  const { latencies, failed } = JSON.parse(await said) as { latencies: number[]; failed: number }
  if (failed > 0) throw new Error(`${failed} of ${latencies.length + failed} requests failed`)
  const sorted = latencies.sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
  return { median: at(0.5), p99: at(0.99), requests: sorted.length }
}

/** The memory of a process and of those that it started, in megabytes; 0 where there is no /proc. */
export function residentMemory(pid: number): { readonly own: number; readonly workers: number } {
  const workers = processes().filter(({ parent }) => parent === pid)
  return {
    own: rss(pid),
    // The largest, since the number of workers changes.
    workers: Math.max(0, ...workers.map(worker => rss(worker.pid))),
  }
}

function processes(): readonly { readonly pid: number; readonly parent: number }[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      const stat = readText(`/proc/${name}/stat`)
      const parent = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      return Number.isNaN(parent) ? [] : [{ pid: Number(name), parent }]
    })
}

const rss = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1] ?? 0) / 1024

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
