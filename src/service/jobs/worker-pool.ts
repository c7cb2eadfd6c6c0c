/** The worker processes of a server: as many as there are jobs, up to a limit. Evaluations never run in the server's own process. */
import { fork, type ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import type { JobStore } from '../../../cache/store.js'
import { damagedJobText, type WorkerState } from './worker.js'

export interface PoolSettings {
  /** The file of the program, and the arguments that make it a worker. */
  readonly program: string
  readonly args: readonly string[]
  readonly size: number
  readonly jobs: Pick<JobStore, 'counts'>
  /** Lines that workers write to standard error. */
  readonly tell: (line: string) => void
}

/** Workers get less of the processor than the server, which answers while they compute. */
const niceness = 5
/** A worker that ends at once, again and again, is started again after this time at the earliest, in milliseconds. */
const restartMs = 1000
/** Time for workers to put their jobs back into the queue, in milliseconds; then they are killed. */
const shutdownMs = 35_000

interface Worker {
  readonly process: ChildProcess
  readonly startedAt: number
  isBusy: boolean
}

export class WorkerPool {
  readonly #settings: PoolSettings
  readonly #workers = new Set<Worker>()
  #isClosing = false
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #notBefore = 0
  /** Damaged jobs that were reported. Each new worker finds them again. */
  readonly #damaged = new Set<string>()

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** Starts looking for work. Jobs that a process left behind count as work, too. */
  start(): void {
    this.#timer = setInterval(() => {
      this.look()
    }, restartMs)
    this.look()
  }

  /** Starts workers where jobs wait. Called when a job was submitted. */
  look(): void {
    this.#looking ??= this.#spawnMissing().finally(() => (this.#looking = undefined))
  }

  get busy(): number {
    return [...this.#workers].filter(({ isBusy }) => isBusy).length
  }

  /** Process ids, for tests and logs. */
  get pids(): readonly number[] {
    return [...this.#workers].flatMap(({ process }) => process.pid ?? [])
  }

  /** Ends all workers. Their jobs go back into the queue. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#timer)
    await this.#looking
    await Promise.all([...this.#workers].map(({ process }) => ended(process)))
  }

  async #spawnMissing(): Promise<void> {
    const { queued, running } = await this.#settings.jobs.counts().catch(() => ({ queued: 0, running: 0 }))
    const idle = this.#workers.size - this.busy
    // A job that runs and that no worker of this server has may be an orphan, which a worker can tell.
    const wanted = queued + (running > this.busy ? 1 : 0) - idle
    const free = this.#settings.size - this.#workers.size
    if (this.#isClosing || performance.now() < this.#notBefore) return
    for (let count = Math.min(wanted, free); count > 0; count -= 1) this.#spawn()
  }

  #tellDamaged(job: string): void {
    if (!this.#damaged.has(job)) this.#settings.tell(damagedJobText(job))
    this.#damaged.add(job)
  }

  #spawn(): void {
    const { program, args, tell } = this.#settings
    const child = fork(program, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] })
    const worker: Worker = { process: child, startedAt: performance.now(), isBusy: false }
    this.#workers.add(worker)
    lower(child.pid)
    child.on('message', message => {
      const state = message as WorkerState
      if (state.state === 'damaged') {
        this.#tellDamaged(state.job)
        return
      }
      worker.isBusy = state.state === 'busy'
      if (!worker.isBusy) this.look()
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) if (line.trim() !== '') tell(line)
    })
    child.on('error', error => {
      tell(`a worker could not be started: ${error.message}`)
    })
    child.on('exit', (code, signal) => {
      this.#workers.delete(worker)
      if (this.#isClosing) return
      if (code !== 0) {
        tell(`worker ${child.pid ?? '?'} ended (${signal ?? `exit code ${code ?? '?'}`}); its job is taken up again`)
        if (performance.now() - worker.startedAt < restartMs) this.#notBefore = performance.now() + restartMs
      }
      this.look()
    })
  }
}

function lower(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, niceness)
  } catch {
    // Some systems forbid it; then workers compete with the server.
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  // `close` is not emitted for a child that its parent disconnected from.
  const closed = new Promise<void>(resolve => child.once('exit', () => resolve()))
  // A worker shuts down when its server is gone, whatever ended it.
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), shutdownMs)
  await closed
  clearTimeout(timer)
}
