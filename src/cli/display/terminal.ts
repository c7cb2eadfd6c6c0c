/** The one place that writes to the screen: what is foreign in a text cannot act there, and lines fit. */
import { messageOf } from '../../../base/errors/errors.js'
import { spelled } from '../../../base/errors/option-words.js'
import { withoutSecrets } from '../../../base/text/secrets.js'
import { oneLine, paintFor, shownText, type Paint } from '../../report/layout/paint.js'
import { clip, displayWidth } from '../../report/layout/width.js'
import { wrapped } from '../../report/layout/wrap.js'
import { commandLine } from '../command-line-words.js'
import { exitCode } from '../exit-code.js'

export interface Terminal {
  /** Results: to standard output. Each text is a line, which is wrapped at words where a screen is narrower. */
  print(lines: readonly string[] | string): void
  /** What programs read, such as JSON: to standard output, never wrapped. */
  printData(text: string): void
  /** Everything else (progress, notes, errors): to standard error, in lines as `print` has them. */
  tell(lines: readonly string[] | string): void
  /**
   * Replaces what the last `repaint` showed, below what was told; nothing where there is no screen.
   *
   * @param draw gives the lines for the screen as it is now: it is called again when the screen's size changes
   */
  repaint(draw: () => readonly string[]): void
  /** Whether `repaint` shows anything. */
  readonly isLive: boolean
  /** Lines of the screen that `repaint` may use. */
  readonly rows: number
  readonly paint: { readonly out: Paint; readonly err: Paint }
  /** Texts that are printed as `***` from now on. */
  mask(secrets: readonly string[]): void
}

/** What stands in for a key where none is needed (`EMPTY`, `x`) is no secret, and masking it would spoil every line. */
const shortestSecret = 6

/** Nothing can be read on a screen that is narrower than this. */
const narrowest = 20

type Environment = Readonly<Record<string, string | undefined>>

/** The process's own terminal. What is done goes on without a reader (`| head`): its end is told by the exit code alone. */
export function processTerminal(env: Environment): Terminal {
  const { stdout, stderr } = process
  // Progress that can't be shown is no reason to stop what is shown.
  stderr.on('error', () => undefined)
  const columnsOf = (stream: NodeJS.WriteStream) => (): number =>
    stream.isTTY && stream.columns > 0 ? Math.max(narrowest, stream.columns) : Infinity
  const terminal = terminalOn({
    out: text => void stdout.write(text),
    err: text => void stderr.write(text),
    isLive: stderr.isTTY && env['TERM'] !== 'dumb' && !isSet(env['CI']),
    rows: () => (stderr.isTTY && stderr.rows > 0 ? stderr.rows : 24),
    paint: {
      out: paintFor(isColoured(stdout.isTTY, env), columnsOf(stdout)),
      err: paintFor(isColoured(stderr.isTTY, env), columnsOf(stderr)),
    },
    onResize: redraw => void stderr.on('resize', redraw),
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
  readonly rows?: () => number
  readonly paint: { readonly out: Paint; readonly err: Paint }
  /** Calls `redraw` when the screen has another size. */
  readonly onResize?: (redraw: () => void) => void
}

type Lines = readonly string[] | string

export function terminalOn(screen: Screen): Terminal {
  let draw: (() => readonly string[]) | undefined
  let painted: readonly string[] = []
  let masked: readonly string[] = []
  const { out, err } = screen.paint
  const rows = (): number => screen.rows?.() ?? 24
  const lines = (texts: Lines, columns: number): string =>
    (typeof texts === 'string' ? [texts] : texts)
      .flatMap(text => shownLines(withoutSecrets(spelled(text, commandLine), masked), columns))
      .map(line => `${line}\n`)
      .join('')
  // A screen that became narrower shows a painted line in several rows.
  const erase = (): string => {
    const height = painted.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / err.columns)), 0)
    if (height === 0) return ''
    const reachable = Math.min(height, rows())
    // Row by row: clearing a whole screen at once, tmux would keep what was on it as if it had scrolled away.
    return `\u001b[${reachable}A\r${'\u001b[2K\u001b[1B'.repeat(reachable)}\u001b[${reachable}A`
  }
  const paint = (): string => {
    // A line that wraps would take two rows, and more rows than the screen has could not be erased.
    painted = (draw?.() ?? [])
      .slice(0, rows() - 1)
      .map(line => clip(oneLine(withoutSecrets(line, masked)), err.columns - 1))
    return painted.map(line => `${shownText(line)}\n`).join('')
  }
  const write = (to: (text: string) => void, text: string): void => {
    if (text === '') return
    if (painted.length === 0) {
      to(text)
      return
    }
    screen.err(erase())
    to(text)
    screen.err(paint())
  }
  const repaint = (): void => {
    if (screen.isLive) screen.err(erase() + paint())
  }
  screen.onResize?.(() => {
    if (painted.length > 0) repaint()
  })
  return {
    print: texts => write(screen.out, lines(texts, out.columns)),
    printData: text => write(screen.out, `${shownText(withoutSecrets(text, masked))}\n`),
    tell: texts => write(screen.err, lines(texts, err.columns)),
    repaint(drawn) {
      draw = drawn
      repaint()
    },
    isLive: screen.isLive,
    get rows() {
      return rows()
    },
    paint: screen.paint,
    mask(secrets) {
      const real = secrets.filter(text => text.length >= shortestSecret)
      masked = [...new Set([...masked, ...real])].sort((a, b) => b.length - a.length)
    },
  }
}

/** One text as lines of a screen. What is behind a line break in it cannot pass for a line of its own. */
function shownLines(text: string, columns: number): readonly string[] {
  const [first = '', ...more] = text.split(/\r?\n/u)
  return [first, ...more.map(line => `  ${line}`)].flatMap(line => wrapped(line, columns)).map(shownText)
}
