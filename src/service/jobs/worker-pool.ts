/** Starts a server's worker processes: one for each job, up to a limit. Evaluations never run in the server's process. */
import { fork, type ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import { messageOf } from '../../../base/errors/errors.js'
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
  /** Receives lines that workers write to standard error. */
  readonly tell: (line: string) => void
  /** Called with the milliseconds that a worker held a job. */
  readonly onJobEnd?: (ms: number) => void
  /** Called with a run's usage when a job of the run has ended. */
  readonly onUsage?: (usage: RunUsage) => void
  /** A worker without a sign of life for this long is killed, in milliseconds. Its lease has expired by then. @default 60 s, as for leases */
  readonly hungMs?: number
}

/** The state of a server's workers. */
export interface WorkersState {
  /** Maximum number of workers. */
  readonly size: number
  readonly busy: number
  /** The number of workers that exited with an error, were killed, or hung. */
  readonly deaths: number
  /** The time for which jobs have been waiting without a free worker, in milliseconds. */
  readonly noneFreeMs?: number
  /** The last output line of the last worker, if workers repeatedly exit without finishing a job. */
  readonly failure?: string
}

/** The scheduling priority of workers. The server must stay responsive while workers compute. */
const niceness = 5
/** The minimum time before a failed worker is replaced, in milliseconds. */
const restartMs = 1000
/** The time doubles with each further worker that fails without finishing a job, up to this maximum. */
const longestRestartMs = 30_000
/** The number of consecutive failed workers before the server reports the problem. */
const mostFailures = 3
/** A process that is silent for this long loses its jobs, in milliseconds. */
const silenceMs = 60_000
/** A longer gap between two checks means that the server itself was stopped, in milliseconds. */
const deafMs = 10_000
/** The time for workers to put their jobs back into the queue, in milliseconds. After that, they are killed. */
const shutdownMs = 35_000

interface Worker {
  readonly process: ChildProcess
  readonly startedAt: number
  isBusy: boolean
  /** The time of the job's start, by `performance.now()`. */
  busySince: number
  seenAt: number
  isHung: boolean
  /** The last output line. */
  lastLine: string
}

/** Runs the jobs of a store in worker processes, and replaces workers that die. */
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
  /** True from an error of the store until the queue could be read again. */
  #isQueueUnread = false
  /** Reports that were already written, about damaged jobs and jobs left to others. Each new worker would repeat them. */
  readonly #told = new Set<string>()

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** Starts to look for jobs, including jobs of dead processes. */
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

  /** The process ids of the workers, for tests. */
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
    const { queued, running } = await this.#countJobs()
    const idle = this.#workers.size - this.busy
    // A running job that no worker of this server holds may be an orphan. A worker can check that.
    const wanted = queued + (running > this.busy ? 1 : 0) - idle
    const free = this.#settings.size - this.#workers.size
    this.#noneFreeSince = queued > 0 && idle <= 0 && free <= 0 ? (this.#noneFreeSince ?? performance.now()) : undefined
    if (this.#isClosing || performance.now() < this.#notBefore) return
    for (let count = Math.min(wanted, free); count > 0; count -= 1) this.#spawn()
  }

  /** Counts the jobs of the store. After an error there are none, until the next look asks again. */
  async #countJobs(): Promise<{ readonly queued: number; readonly running: number }> {
    try {
      const counts = await this.#settings.jobs.counts()
      this.#isQueueUnread = false
      return counts
    } catch (error) {
      // Jobs would wait with no reason if no client asks. Each look of an outage fails, so only the first is told.
      if (!this.#isQueueUnread && !this.#isClosing)
        this.#settings.tell(
          `the queue of jobs can't be read, so that no worker is started for them; it is tried again every second: ${messageOf(error)}`,
        )
      this.#isQueueUnread = true
      return { queued: 0, running: 0 }
    }
  }

  /** Kills workers without signs of life. They are stopped or hang, and have lost their jobs. */
  #endHung(): void {
    const now = performance.now()
    const { hungMs = silenceMs, tell } = this.#settings
    // After a stop of the server itself, the signs of workers were not received.
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
      // The worker finished a job, so its successors may as well.
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
      // If no process could be started, there is no `exit` event.
      if (child.pid === undefined && this.#workers.delete(worker)) this.#countFailure(error.message)
    })
    child.on('exit', (code, signal) => {
      this.#workers.delete(worker)
      if (this.#isClosing) return
      if (code !== 0) {
        const how = signal ?? `exit code ${code ?? '?'}`
        tell(`worker ${child.pid ?? '?'} ended (${how}); its job is taken up again`)
        this.#deaths += 1
        // A killed worker is no sign that the next one fails. An exit with an error is.
        if (signal === null) this.#countFailure(worker.lastLine === '' ? how : worker.lastLine)
        else if (performance.now() - worker.startedAt < restartMs) this.#notBefore = performance.now() + restartMs
      }
      this.look()
    })
  }

  /** Counts a failed worker. The delay before the next one grows with the count. */
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
    // If the system forbids a lower priority, workers compete with the server.
  }
}

async function endWorker(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  // `close` is not emitted for a child that its parent disconnected from.
  const closed = new Promise<void>(resolve => child.once('exit', () => resolve()))
  // A worker shuts down when the channel to its server closes.
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), shutdownMs)
  await closed
  clearTimeout(timer)
}
