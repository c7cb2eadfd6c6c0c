/** An error of Python code as plain data. */
export interface PythonErrorData {
  /**
   * The class of the exception, such as `KeyError`. `TimeLimit`: the call took too long. `WorkerDied`: the process ended during the call.
   * `JudgeError`: the judge model failed.
   */
  readonly type: string
  readonly message: string
  /** The innermost line of users' code: `utils.py:12`. */
  readonly place?: string
  /** Lines of users' code, outermost first: `utils.py:12 in doc_to_text`. */
  readonly trace?: readonly string[]
  /** The command that installs a missing module. */
  readonly missing?: string
  /** The last lines that a process printed before it ended. */
  readonly stderr?: readonly string[]
}

/** A failed call of Python code. */
export class PythonError extends Error {
  override readonly name = 'PythonError'
  readonly type: string
  readonly place: string | undefined
  readonly trace: readonly string[]
  readonly missing: string | undefined
  readonly stderr: readonly string[]
  /** The work of the call, such as a task's name and a doc's id. */
  readonly label: string
  readonly data: PythonErrorData

  constructor(data: PythonErrorData, label = '') {
    super(pythonErrorText(data, label))
    this.type = data.type
    this.place = data.place
    this.trace = data.trace ?? []
    this.missing = data.missing
    this.stderr = data.stderr ?? []
    this.label = label
    this.data = data
  }
}

/** One line for people: `mmmu/17: utils.py:12: KeyError: 'image'`. */
export function pythonErrorText({ type, message, place, missing }: PythonErrorData, label = ''): string {
  const what = message === '' ? type : `${type}: ${message}`
  const parts = [label, place ?? '', what].filter(part => part !== '')
  return missing === undefined ? parts.join(': ') : `${parts.join(': ')} (install it: ${missing})`
}
