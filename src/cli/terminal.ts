/** The one place that writes to the screen. */
import { messageOf } from '../../base/errors.js'
import { withoutSecrets } from '../../base/secrets.js'
import { paintFor, type Paint } from '../report/paint.js'
import { exitCode } from './exit-code.js'

export interface Terminal {
  /** Results: to standard output. */
  print(lines: readonly string[] | string): void
  /** Everything else (progress, notes, errors): to standard error. */
  tell(lines: readonly string[] | string): void
  /** Replaces what the last `repaint` showed, below what was told; nothing where there is no screen. */
  repaint(lines: readonly string[]): void
  /** Whether `repaint` shows anything. */
  readonly isLive: boolean
  /** Columns of the screen. */
  readonly columns: number
  readonly paint: { readonly out: Paint; readonly err: Paint }
  /** Texts that are printed as `***` from now on. */
  mask(secrets: readonly string[]): void
}

/** What stands in for a key where none is needed (`EMPTY`, `x`) is no secret, and masking it would spoil every line. */
const shortestSecret = 6

type Environment = Readonly<Record<string, string | undefined>>

/** The process's own terminal. What is done goes on without a reader (`| head`): its end is told by the exit code alone. */
export function processTerminal(env: Environment): Terminal {
  const { stdout, stderr } = process
  // Progress that can't be shown is no reason to stop what is shown.
  stderr.on('error', () => undefined)
  const terminal = terminalOn({
    out: text => void stdout.write(text),
    err: text => void stderr.write(text),
    isLive: stderr.isTTY && env['TERM'] !== 'dumb' && !isSet(env['CI']),
    columns: () => (stderr.isTTY ? stderr.columns : 100),
    paint: { out: paintFor(isColoured(stdout.isTTY, env)), err: paintFor(isColoured(stderr.isTTY, env)) },
  })
  tellLostResults(stdout, terminal)
  return terminal
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

function isColoured(isTty: boolean, env: Environment): boolean {
  if (isSet(env['NO_COLOR']) || env['TERM'] === 'dumb') return false
  return isSet(env['FORCE_COLOR']) ? env['FORCE_COLOR'] !== '0' : isTty
}

/** What a reader no longer wants is no error of ours; results that were not written are, such as on a full disk. */
function tellLostResults(stdout: NodeJS.WriteStream, terminal: Terminal): void {
  let isTold = false
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isTold) return
    isTold = true
    terminal.tell(`${terminal.paint.err.red('error:')} standard output can't be written: ${messageOf(error)}`)
    process.once('exit', () => (process.exitCode = exitCode({ isRefused: true })))
  })
}

/** What a terminal is made of: tests give their own. */
export interface Screen {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly isLive: boolean
  readonly columns: () => number
  readonly paint: { readonly out: Paint; readonly err: Paint }
}

export function terminalOn(screen: Screen): Terminal {
  let painted: readonly string[] = []
  let masked: readonly string[] = []
  const text = (lines: readonly string[] | string): string =>
    withoutSecrets((typeof lines === 'string' ? [lines] : lines).map(line => `${line}\n`).join(''), masked)
  const erase = (): string => (painted.length === 0 ? '' : `\u001b[${painted.length}A\r\u001b[0J`)
  const write = (to: (text: string) => void, lines: readonly string[] | string): void => {
    if (lines.length === 0) return
    if (painted.length > 0) screen.err(erase())
    to(text(lines))
    if (painted.length > 0) screen.err(text(painted))
  }
  return {
    print: lines => write(screen.out, lines),
    tell: lines => write(screen.err, lines),
    repaint(lines) {
      if (!screen.isLive) return
      screen.err(erase() + text(lines))
      painted = lines
    },
    isLive: screen.isLive,
    get columns() {
      return screen.columns()
    },
    paint: screen.paint,
    mask(secrets) {
      const real = secrets.filter(text => text.length >= shortestSecret)
      masked = [...new Set([...masked, ...real])].sort((a, b) => b.length - a.length)
    },
  }
}
