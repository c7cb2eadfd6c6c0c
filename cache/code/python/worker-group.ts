import { option } from '../../../base/errors/option-words.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { PythonError, type PythonErrorData } from './python-error.js'
import type { PythonOptions } from './python-types.js'
import { importSeconds, type Job, mostWorkers, openMessage } from './worker-messages.js'
import { WorkerProcess } from './worker-process.js'

/** The maximum number of messages that a process holds: the running one, and a second one so that the process is never idle. */
const mostInFlight = 2

interface Waiting {
  readonly job: Job
  readonly reject: (error: Error) => void
}

/** The processes of a pool and the jobs that wait for one. */
export class WorkerGroup {
  readonly #options: PythonOptions
  readonly #all = new Set<WorkerProcess>()
  /** The processes that are ready for work. */
  readonly #workers = new Set<WorkerProcess>()
  readonly #retired = new Set<WorkerProcess>()
  #starting = 0
  /** The digest of each code file in use, by path. */
  #files: Readonly<Record<string, string>> = {}
  readonly #waiting: Waiting[] = []
  #isClosed = false

  constructor(options: PythonOptions) {
    this.#options = options
  }

  /**
   * Queues a job for the next free process.
   *
   * @param reject called instead of the job's functions if no process can be started
   */
  add(job: Job, reject: (error: Error) => void, isFirst = false): void {
    if (this.#isClosed) {
      reject(makeClosedError())
      return
    }
    if (isFirst) this.#waiting.unshift({ job, reject })
    else this.#waiting.push({ job, reject })
    this.#assign()
  }

  /** Records the digests of the code in use. A process that starts later must import the same code. */
  use(files: Readonly<Record<string, string>>): void {
    this.#files = { ...this.#files, ...files }
  }

  /** Replaces the processes because code has changed. */
  renew(): void {
    this.#files = {}
    this.restart()
  }

  /** Replaces the processes. The old ones finish their jobs. */
  restart(): void {
    const old = [...this.#workers]
    this.#workers.clear()
    for (const worker of old) {
      this.#retired.add(worker)
      worker.endWhenFree()
    }
  }

  #assign(): void {
    while (!this.#isClosed) {
      const [next] = this.#waiting
      if (next === undefined) return
      const worker = this.#free()
      if (worker === undefined) return
      this.#waiting.shift()
      worker.send(next.job)
    }
  }

  /** Returns the process with the fewest jobs. Starts another process if all are busy. */
  #free(): WorkerProcess | undefined {
    const [least] = [...this.#workers].sort((a, b) => a.load - b.load)
    if (least?.load === 0) return least
    const isRoom = this.#workers.size + this.#starting < mostWorkers(this.#options)
    if (isRoom && this.#starting < this.#waiting.length) this.#start()
    return least !== undefined && least.load < mostInFlight ? least : undefined
  }

  /** Starts a process. The process gets jobs after its preparation. */
  #start(): void {
    this.#starting += 1
    let failure: Error | undefined
    const addReadyWorker = (): void => {
      this.#starting -= 1
      this.#workers.add(worker)
    }
    const removeEndedWorker = (started: boolean, error: PythonErrorData): void => {
      this.#all.delete(worker)
      if (!this.#workers.delete(worker) && !this.#retired.delete(worker)) {
        this.#starting -= 1
        failure ??= started ? new PythonError(error) : cannotStart(this.#options, error, worker.startCode)
        this.#fail(failure)
      }
      this.#assign()
    }
    const worker: WorkerProcess = new WorkerProcess(this.#options, () => this.#assign(), removeEndedWorker)
    this.#all.add(worker)
    const messages = [
      { op: 'open', message: { ...openMessage(this.#options), files: this.#files } },
      ...(this.#options.setup ?? []),
    ]
    messages.forEach((message, index) =>
      worker.send({
        ...message,
        seconds: importSeconds(this.#options),
        label: () => '',
        onPart: () => undefined,
        onDone: () => {
          if (index === messages.length - 1 && failure === undefined) addReadyWorker()
        },
        onError: error => {
          failure ??= new PythonError(error)
          void worker.close()
        },
        onLost: () => undefined,
      }),
    )
  }

  /** Fails all queued jobs, because no process can be prepared. */
  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#fail(makeClosedError())
    await Promise.all([...this.#all].map(worker => worker.close()))
  }
}

const makeClosedError = (): Error =>
  new PythonError({ type: 'WorkerDied', message: 'the pool of Python processes is closed' })

function cannotStart(
  { python, cwd }: PythonOptions,
  { message, stderr }: PythonErrorData,
  code: string | undefined,
): PipelineError {
  const noProgram = cwd === undefined ? 'there is no such program' : `there is no such program, or no folder ${cwd}`
  const why = code === 'ENOENT' ? noProgram : [message, ...(stderr ?? []).slice(-3)].join('\n')
  return new PipelineError(
    'config',
    `Python cannot be started as "${python}": ${why}. Name an interpreter of version 3.9 or later with ${option('python', 'PATH')} or the environment variable PIPELINE_PYTHON`,
    { reason: 'lacking-here', data: { python } },
  )
}
