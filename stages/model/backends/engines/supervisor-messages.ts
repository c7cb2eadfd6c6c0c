/** What is to be run, and where its words go. */
export interface SupervisedProgram {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  /** `NAME=value` for the environment of the program and all that it starts, by which they are found. */
  readonly mark: string
  readonly logFile: string
  /** Never written to the log. */
  readonly secrets: readonly string[]
  /** Milliseconds that the program may take to end after it was asked to. */
  readonly graceMs: number
}

/** What the supervising process is told. That nobody is there any more to tell it anything means `stop`. */
export type ToSupervisor = { readonly type: 'start'; readonly program: SupervisedProgram } | { readonly type: 'stop' }

/** What it tells. Its own end means that nothing of the program is left. */
export type FromSupervisor =
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'refused'; readonly code?: string; readonly message: string }
  /** The program ended, asked to or not; what it had started itself may take longer. */
  | { readonly type: 'ended'; readonly code: number | null; readonly signal: string | null }
