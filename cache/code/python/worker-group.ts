import { option } from '../../../base/errors/option-words.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { PythonError, type PythonErrorData } from './python-error.js'
import type { PythonOptions } from './python-types.js'
import { importSeconds, type Job, mostWorkers, openMessage } from './worker-messages.js'
import { WorkerProcess } from './worker-process.js'

/** The number of messages that a process holds at a time: one that runs, and one that waits so that the process never does. */
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
  /** The code that is in use, by path: the digest of each file. */
  #files: Readonly<Record<string, string>> = {}
  readonly #waiting: Waiting[] = []
  #isClosed = false

  constructor(options: PythonOptions) {
    this.#options = options
  }

  /**
   * Gives a job to a process as soon as one is free.
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

  /** Remembers the code whose identity was told. A process that starts later must find the same. */
  use(files: Readonly<Record<string, string>>): void {
    this.#files = { ...this.#files, ...files }
  }

  /** Lets new processes do all further work, because code has changed. */
  renew(): void {
    this.#files = {}
    this.restart()
  }

  /** Lets new processes do all further work. Those that work finish what they have. */
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

  /** An idle process, or the one with the least work. Starts another one if all are busy. */
  #free(): WorkerProcess | undefined {
    const [least] = [...this.#workers].sort((a, b) => a.load - b.load)
    if (least?.load === 0) return least
    const isRoom = this.#workers.size + this.#starting < mostWorkers(this.#options)
    if (isRoom && this.#starting < this.#waiting.length) this.#start()
    return least !== undefined && least.load < mostInFlight ? least : undefined
  }

  /** Starts a process. It gets jobs when it is prepared. */
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

  /** No process can be prepared, so nothing that waits can ever run. */
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
