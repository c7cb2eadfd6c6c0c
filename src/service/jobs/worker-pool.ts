/** The worker processes of a server: as many as there are jobs, up to a limit. Evaluations never run in the server's own process. */
import { fork, type ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import type { JobStore } from '../../../cache/store.js'
import type { RunUsage } from './model-usage.js'
import { damagedJobText, leftJobText, type WorkerSign, type WorkerState, type WorkerUsage } from './worker.js'

/** Settings of a server's pool of workers. */
export interface PoolSettings {
  /** The file of the program, and the arguments that make it a worker. */
  readonly program: string
  readonly args: readonly string[]
  readonly size: number
  readonly jobs: Pick<JobStore, 'counts'>
  /** Lines that workers write to standard error. */
  readonly tell: (line: string) => void
  /** Is told how long a worker had a job, in milliseconds. */
  readonly onJobEnd?: (ms: number) => void
  /** Is called with the sums of a run when a job with it has ended. */
  readonly onUsage?: (usage: RunUsage) => void
  /** A worker that gives no sign for so long is ended, in milliseconds. Its job is lost by then. @default 60 s, as for leases */
  readonly hungMs?: number
}

/** A server's knowledge of its workers. */
export interface WorkersState {
  /** Maximum number of workers. */
  readonly size: number
  readonly busy: number
  /** Workers that ended by themselves with an error, were killed, or hung. */
  readonly deaths: number
  /** Milliseconds since when jobs wait and no worker is free. */
  readonly noneFreeMs?: number
  /** The last words of the last worker, if workers end again and again without any job done. */
  readonly failure?: string
}

/** Workers get less of the processor than the server, which answers while they compute. */
const niceness = 5
/** A worker that ends at once, again and again, is started again after this time at the earliest, in milliseconds. */
const restartMs = 1000
/** The time doubles with each worker that ends with an error before any did a job, up to this one. */
const longestRestartMs = 30_000
/** Workers that fail in a row before the server says so. */
const mostFailures = 3
/** The store takes the job of a process that is silent for so long, in milliseconds. */
const silenceMs = 60_000
/** A server that did not look for so long was stopped itself, in milliseconds. */
const deafMs = 10_000
/** Time for workers to put their jobs back into the queue, in milliseconds; then they are killed. */
const shutdownMs = 35_000

interface Worker {
  readonly process: ChildProcess
  readonly startedAt: number
  isBusy: boolean
  /** The time when it took its job, by the clock of `performance.now()`. */
  busySince: number
  seenAt: number
  isHung: boolean
  /** The last line that it wrote. */
  lastLine: string
}

/** Runs jobs of a store in workers, and starts a new one where one died. */
export class WorkerPool {
  readonly #settings: PoolSettings
  readonly #workers = new Set<Worker>()
  #isClosing = false
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #notBefore = 0
  #deaths = 0
  #failures = 0
  #lastFailure = ''
  #noneFreeSince: number | undefined
  #lookedAt = performance.now()
  /** Damaged jobs, and reasons for which jobs are left to others, that were reported. Each new worker finds them again. */
  readonly #told = new Set<string>()

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** Starts looking for work. Jobs that a process left behind count as work, too. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#endHung()
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

  get state(): WorkersState {
    const since = this.#noneFreeSince
    return {
      size: this.#settings.size,
      busy: this.busy,
      deaths: this.#deaths,
      ...(since !== undefined && { noneFreeMs: performance.now() - since }),
      ...(this.#failures >= mostFailures && { failure: this.#lastFailure }),
    }
  }

  /** The process ids of the workers, by which tests end them. */
  get pids(): readonly number[] {
    return [...this.#workers].flatMap(({ process }) => process.pid ?? [])
  }

  /** Ends all workers. Their jobs go back into the queue. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#timer)
    await this.#looking
    await Promise.all([...this.#workers].map(({ process }) => endWorker(process)))
  }

  async #spawnMissing(): Promise<void> {
    // The next look asks a store again that fails now. Requests of clients report its error.
    const { queued, running } = await this.#settings.jobs.counts().catch(() => ({ queued: 0, running: 0 }))
    const idle = this.#workers.size - this.busy
    // A job that runs and that no worker of this server has may be an orphan, which a worker can tell.
    const wanted = queued + (running > this.busy ? 1 : 0) - idle
    const free = this.#settings.size - this.#workers.size
    this.#noneFreeSince = queued > 0 && idle <= 0 && free <= 0 ? (this.#noneFreeSince ?? performance.now()) : undefined
    if (this.#isClosing || performance.now() < this.#notBefore) return
    for (let count = Math.min(wanted, free); count > 0; count -= 1) this.#spawn()
  }

  /** Ends workers that give no sign: they are stopped or hang, and have lost their jobs. */
  #endHung(): void {
    const now = performance.now()
    const { hungMs = silenceMs, tell } = this.#settings
    // Workers of a server that was stopped could not be heard.
    const wasDeaf = now - this.#lookedAt > deafMs
    this.#lookedAt = now
    for (const worker of this.#workers) {
      if (wasDeaf) worker.seenAt = now
      if (worker.isHung || now - worker.seenAt < hungMs) continue
      worker.isHung = true
      tell(`worker ${worker.process.pid ?? '?'} gave no sign for ${Math.round(hungMs / 1000)} s, so it is ended`)
      worker.process.kill('SIGKILL')
    }
  }

  #tellOnce(about: string, text: string): void {
    if (!this.#told.has(about)) this.#settings.tell(text)
    this.#told.add(about)
  }

  #spawn(): void {
    const { program, args, tell } = this.#settings
    const child = fork(program, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] })
    const now = performance.now()
    const worker: Worker = {
      ...{ process: child, startedAt: now, seenAt: now },
      ...{ isBusy: false, busySince: now, isHung: false, lastLine: '' },
    }
    this.#workers.add(worker)
    lower(child.pid)
    child.on('message', message => {
      const state = message as WorkerState | WorkerSign | WorkerUsage
      worker.seenAt = performance.now()
      if (state.state === 'alive') return
      if (state.state === 'usage') {
        this.#settings.onUsage?.(state.usage)
        return
      }
      if (state.state === 'damaged') {
        this.#tellOnce(state.job, damagedJobText(state.job))
        return
      }
      if (state.state === 'left') {
        this.#tellOnce(state.why, leftJobText(state.job, state.why))
        return
      }
      // It did a job, so its successors may, too.
      if (worker.isBusy && state.state === 'idle') {
        this.#failures = 0
        this.#settings.onJobEnd?.(performance.now() - worker.busySince)
      }
      if (state.state === 'busy') worker.busySince = performance.now()
      worker.isBusy = state.state === 'busy'
      if (!worker.isBusy) this.look()
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) {
        if (line.trim() === '') continue
        worker.lastLine = line.trim()
        tell(line)
      }
    })
    child.on('error', error => {
      tell(`a worker could not be started: ${error.message}`)
      // Without a process there is no `exit`.
      if (child.pid === undefined && this.#workers.delete(worker)) this.#countFailure(error.message)
    })
    child.on('exit', (code, signal) => {
      this.#workers.delete(worker)
      if (this.#isClosing) return
      if (code !== 0) {
        const how = signal ?? `exit code ${code ?? '?'}`
        tell(`worker ${child.pid ?? '?'} ended (${how}); its job is taken up again`)
        this.#deaths += 1
        // A worker that is killed says nothing of the next one. One that gave up does.
        if (signal === null) this.#countFailure(worker.lastLine === '' ? how : worker.lastLine)
        else if (performance.now() - worker.startedAt < restartMs) this.#notBefore = performance.now() + restartMs
      }
      this.look()
    })
  }

  /** The next worker waits the longer, the more of them have failed. */
  #countFailure(why: string): void {
    this.#failures += 1
    this.#lastFailure = why
    this.#notBefore = performance.now() + Math.min(restartMs * 2 ** (this.#failures - 1), longestRestartMs)
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

async function endWorker(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  // `close` is not emitted for a child that its parent disconnected from.
  const closed = new Promise<void>(resolve => child.once('exit', () => resolve()))
  // A worker shuts down when its server is gone, whatever ended it.
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), shutdownMs)
  await closed
  clearTimeout(timer)
}
