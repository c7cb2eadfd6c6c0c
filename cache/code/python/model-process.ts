import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectRoot } from '../project-root.js'

/** An exception in Python, as its process reports it. */
export interface RaisedData {
  readonly type: string
  readonly message: string
  /** The stack, innermost call last: `model.py:12 in generate_until`. */
  readonly trace: readonly string[]
  /** True if a further attempt would raise it again. */
  readonly isRejection: boolean
  /** True if the memory of the process is used up. */
  readonly isOutOfMemory?: boolean
  /** The command that installs a missing package. */
  readonly missing?: string
}

/** An operation raised an exception in Python. The process continues. */
export class RaisedError extends Error {
  override readonly name = 'RaisedError'
  readonly raised: RaisedData

  constructor(raised: RaisedData) {
    const location = raised.trace.at(-1)
    const advice = raised.missing === undefined ? '' : `. Install it: ${raised.missing}`
    super(`${raised.type}: ${raised.message}${location === undefined ? '' : ` (${location})`}${advice}`)
    this.raised = raised
  }
}

/** The process ended before it answered. */
export class EndedError extends Error {
  override readonly name = 'EndedError'
  /** The last lines that it wrote to standard error. */
  readonly lines: readonly string[]
  /** True if the program does not exist. */
  readonly isAbsent: boolean

  constructor(message: string, lines: readonly string[], isAbsent = false) {
    super(message)
    this.lines = lines
    this.isAbsent = isAbsent
  }
}

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** The number of lines of standard error that are kept. */
const keptLines = 200

/**
 * A Python process that holds one model (src/python/models_main.py). It leads a separate process group, so that Ctrl-C does not reach it before this
 * process has stored its answers. It ends when this process ends.
 */
export class ModelProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #pending = new Map<number, Pending>()
  readonly #lines: string[] = []
  /** Holds files of the process, such as links to media. */
  readonly #exchange = mkdtempSync(join(tmpdir(), 'pipeline-model-'))
  readonly #gone: Promise<void>
  #failed: NodeJS.ErrnoException | undefined
  #end: EndedError | undefined
  #reason: string | undefined
  #last = 0

  constructor(python: string, env: Readonly<Record<string, string | undefined>>) {
    this.#child = spawn(python, ['-u', join(projectRoot, 'src/python/models_main.py'), this.#exchange], {
      env: {
        ...env,
        PYTHONHASHSEED: '0',
        PYTHONUNBUFFERED: '1',
        PYTHONDONTWRITEBYTECODE: '1',
      },
      detached: true,
      stdio: 'pipe',
    })
    // A message to a process that has ended is reported by its end.
    this.#child.stdin.on('error', () => undefined)
    createInterface(this.#child.stdout).on('line', line => this.#read(line))
    createInterface(this.#child.stderr).on('line', line => {
      this.#lines.push(line)
      if (this.#lines.length > keptLines) this.#lines.shift()
    })
    this.#gone = new Promise(resolve => {
      this.#child.once('error', error => {
        this.#failed = error
        // If no process could be started, there is no 'close' event.
        if (this.#child.pid === undefined) this.#ended(resolve, python, null, null)
      })
      this.#child.once('close', (code, signal) => this.#ended(resolve, python, code, signal))
    })
  }

  /** True if it can answer nothing any more. */
  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /**
   * Carries out an operation. If it takes more seconds than the limit, the process is ended.
   *
   * @throws RaisedError, or EndedError if the process ends before its answer
   */
  async call(op: string, message: object, limit?: number): Promise<unknown> {
    if (this.#end !== undefined) throw this.#end
    const id = ++this.#last
    const answered = new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#child.stdin.write(`${JSON.stringify({ id, op, ...message })}\n`)
    })
    if (limit === undefined) return answered
    const timer = setTimeout(() => {
      this.#reason = `was ended, because it did not answer within ${limit} s (timeout=${limit})`
      void this.stop()
    }, 1000 * limit)
    return answered.finally(() => clearTimeout(timer))
  }

  /** Ends the process group. */
  async stop(): Promise<void> {
    this.#child.stdin.end()
    const { pid } = this.#child
    if (pid !== undefined && this.#end === undefined) endGroup(pid)
    await this.#gone
  }

  #read(line: string): void {
    const message = JSON.parse(line) as { id?: number; ok?: unknown; error?: RaisedData }
    const pending = message.id === undefined ? undefined : this.#pending.get(message.id)
    if (message.id === undefined || pending === undefined) return
    this.#pending.delete(message.id)
    if (message.error === undefined) pending.resolve(message.ok)
    else pending.reject(new RaisedError(message.error))
  }

  #ended(resolve: () => void, python: string, code: number | null, signal: string | null): void {
    if (this.#end !== undefined) return
    const memory = signal === 'SIGKILL' ? ', as when memory runs out' : ''
    const how = signal === null ? `status ${code ?? 'unknown'}` : `signal ${signal}${memory}`
    const { pid } = this.#child
    this.#end =
      this.#failed === undefined
        ? new EndedError(this.#reason ?? `ended with ${how}`, this.#lines.slice(-keptLines))
        : new EndedError(`cannot run ${python}: ${this.#failed.message}`, [], this.#failed.code === 'ENOENT')
    if (pid !== undefined) endGroup(pid)
    rmSync(this.#exchange, { recursive: true, force: true })
    for (const { reject } of this.#pending.values()) reject(this.#end)
    this.#pending.clear()
    resolve()
  }
}

/** Ends a process group. It is not an error if nothing of it is left. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}
