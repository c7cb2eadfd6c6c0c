import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { systemCode } from '../../../base/errors/errors.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { LineReader } from './line-reader.js'
import type { PythonErrorData } from './python-error.js'
import type { PythonOptions } from './python-types.js'
import { answerTo, makeWorkerEnvironment, type FromWorker, type Job } from './worker-messages.js'

/** A process that exceeds its time limit is killed after these further seconds. */
const graceSeconds = 5
/** The time between SIGTERM and SIGKILL, in milliseconds. */
const endMs = 2_000
/** The number of output lines that are kept for the error message if the process dies. */
const keptLines = 200

/** One Python process. It runs its jobs in order. The jobs behind the first wait in the process's input. */
export class WorkerProcess {
  readonly #options: PythonOptions
  readonly #child: ChildProcessWithoutNullStreams
  readonly #onFree: () => void
  readonly #jobs = new Map<number, Job>()
  readonly #stderr: string[] = []
  readonly #ended: Promise<void>
  #lastId = 0
  #openAsks = 0
  #clock: NodeJS.Timeout | undefined
  #killedFor: PythonErrorData | undefined
  #startError: Error | undefined
  #isReady = false
  #endsWhenFree = false
  #isOver = false

  /**
   * @param onFree called when a job has ended
   * @param onEnd called once when the process is gone, before its jobs' onLost. `started` is false if it never answered.
   */
  constructor(options: PythonOptions, onFree: () => void, onEnd: (started: boolean, error: PythonErrorData) => void) {
    this.#options = options
    this.#onFree = onFree
    this.#child = spawn(options.python, ['-u', options.worker], {
      cwd: options.cwd,
      env: makeWorkerEnvironment(options),
      // The process leads its own process group, so that programs started by users' code are killed with it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#ended = new Promise(resolve => {
      const over = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (this.#isOver) return
        this.#isOver = true
        clearTimeout(this.#clock)
        this.#signal('SIGKILL')
        const error = this.#killedFor ?? this.#deathOf(code, signal)
        const jobs = [...this.#jobs.values()]
        this.#jobs.clear()
        onEnd(this.#isReady, error)
        jobs.forEach((job, index) => job.onLost(error, this.#isReady && index === 0))
        resolve()
      }
      this.#child.once('error', error => {
        this.#startError = error
        over(null, null)
      })
      this.#child.once('close', over)
    })
    this.#follow()
  }

  get load(): number {
    return this.#jobs.size
  }

  /** The system's error code if the process could not be started. */
  get startCode(): string | undefined {
    return systemCode(this.#startError)
  }

  #follow(): void {
    const { stdin, stdout, stderr } = this.#child
    const lines = new LineReader(line => this.#take(line))
    stdout.on('data', (chunk: Buffer) => lines.push(chunk))
    const printed = new LineReader(line => {
      this.#stderr.push(line)
      if (this.#stderr.length > keptLines) this.#stderr.shift()
      this.#options.onStderr?.(line)
    })
    stderr.on('data', (chunk: Buffer) => printed.push(chunk)).once('end', () => printed.end())
    // A process that died does not read its input. Its end is reported by `close`.
    stdin.on('error', () => undefined)
    this.#holdProgram(false)
  }

  /** Keeps the program running while the process has jobs. */
  #holdProgram(isHeld: boolean): void {
    const { stdin, stdout, stderr } = this.#child
    const streams = [stdin, stdout, stderr] as unknown as readonly Socket[]
    for (const handle of [this.#child, ...streams]) {
      if (isHeld) handle.ref()
      else handle.unref()
    }
  }

  send(job: Job): void {
    const id = ++this.#lastId
    this.#jobs.set(id, job)
    if (this.#jobs.size === 1) this.#begin(job)
    this.#write({ id, op: job.op, ...job.message })
  }

  #begin(job: Job): void {
    this.#holdProgram(true)
    this.#setClock(job, job.firstSeconds)
  }

  #setClock(job: Job, seconds = job.seconds): void {
    clearTimeout(this.#clock)
    if (this.#openAsks > 0) return
    this.#clock = setTimeout(
      () => {
        const message = `the call took longer than ${seconds} s and did not stop, so its process was killed`
        this.#killedFor = { type: 'TimeLimit', message }
        this.#signal('SIGKILL')
      },
      (seconds + graceSeconds) * 1000,
    )
  }

  #write(message: Readonly<Record<string, Json | undefined>>): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  #take(line: string): void {
    const message = JSON.parse(line) as FromWorker
    if ('ready' in message) {
      this.#isReady = true
      return
    }
    const job = this.#jobs.get(message.id)
    if ('ask' in message) {
      void this.#answer(message, job)
      return
    }
    if (job === undefined) return
    if ('part' in message || 'at' in message) {
      this.#setClock(job)
      if ('part' in message) job.onPart(message.part, message.ok)
      return
    }
    this.#jobs.delete(message.id)
    clearTimeout(this.#clock)
    const [next] = this.#jobs.values()
    if (next === undefined) this.#holdProgram(false)
    else this.#begin(next)
    if ('error' in message) job.onError(message.error)
    else job.onDone(message.ok)
    if (this.#endsWhenFree && this.load === 0) void this.close()
    this.#onFree()
  }

  /** Answers a judge request of the running job. The waiting time does not count towards the call's time limit. */
  async #answer(ask: Extract<FromWorker, { readonly ask: number }>, job: Job | undefined): Promise<void> {
    this.#openAsks += 1
    clearTimeout(this.#clock)
    const answer = await answerTo(ask, job?.label(ask.call) ?? '', this.#options.onAsk)
    this.#openAsks -= 1
    if (this.#isOver) return
    const [running] = this.#jobs.values()
    if (running !== undefined) this.#setClock(running)
    this.#write({ answer: ask.ask, ...answer } as Readonly<Record<string, Json | undefined>>)
  }

  #deathOf(code: number | null, signal: NodeJS.Signals | null): PythonErrorData {
    const message =
      this.#startError?.message ??
      (signal === null
        ? `the Python process exited with code ${code ?? 'unknown'}`
        : `the Python process died of ${signal}`)
    return { type: 'WorkerDied', message, stderr: [...this.#stderr] }
  }

  /** Signals the process group. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch (error) {
      if (systemCode(error) !== 'ESRCH') throw error
    }
  }

  /** Ends the process after its last job. */
  endWhenFree(): void {
    this.#endsWhenFree = true
    if (this.load === 0) void this.close()
  }

  /** Ends the process. Its jobs are lost. */
  async close(): Promise<void> {
    if (this.#isOver) return
    this.#child.ref()
    this.#killedFor = { type: 'WorkerDied', message: 'the Python process was ended with its pool' }
    this.#signal('SIGTERM')
    const kill = setTimeout(() => this.#signal('SIGKILL'), endMs)
    await this.#ended
    clearTimeout(kill)
  }
}
