/** Writes to the terminal. No other code does. It escapes control characters and fits lines to the width. */
import { oneLine } from '../../../base/text/visible-text.js'
import { messageOf } from '../../../base/errors/errors.js'
import { spellReferences } from '../../../base/errors/option-words.js'
import { isLongEnough, withoutSecrets } from '../../../base/text/secrets.js'
import { paintFor, shownText, type Paint } from '../../present/text/layout/paint.js'
import { clip, displayWidth } from '../../present/text/layout/width.js'
import { wrapLine } from '../../present/text/layout/wrap.js'
import { commandLine, inJsonText, inStore } from '../command-line-words.js'
import { exitCode } from '../exit-code.js'

/** Writes results, notes and the progress bar. */
export interface Terminal {
  /** Writes results to standard output. Each text is a line, wrapped at words on a narrow terminal. */
  print(lines: readonly string[] | string): void
  /** Writes data for programs, such as JSON, to standard output without wrapping. */
  printData(text: string): void
  /**
   * Writes a part of a file, such as CSV, to standard output unchanged, without a line end. The text must not contain control characters that act on
   * a terminal.
   */
  printPart(text: string): void
  /** Writes everything else (progress, notes, errors) to standard error, formatted as by `print`. */
  tell(lines: readonly string[] | string): void
  /**
   * Replaces the output of the last `repaint`, below everything printed since. Without a terminal it does nothing.
   *
   * @param draw returns the lines. It is called again when the size of the terminal changes
   */
  repaint(draw: () => readonly string[]): void
  /** True if `repaint` shows anything. */
  readonly isLive: boolean
  /** Number of lines that `repaint` may use. */
  readonly rows: number
  readonly paint: { readonly out: Paint; readonly err: Paint }
  /** Prints these texts as `***` from now on. */
  mask(secrets: readonly string[]): void
  /** Adds `--store` to the commands that are suggested from now on. Those of a command on the default store need none. */
  suggestStore(store: string): void
}

/** Minimum width in columns. Narrower output would not be readable. */
const narrowest = 20

type Environment = Readonly<Record<string, string | undefined>>

/** The process's own terminal. If the reader goes away (`| head`), the work continues, and only the exit code tells how it ended. */
export function processTerminal(env: Environment): Terminal {
  const { stdout, stderr } = process
  // If progress cannot be shown, the work continues.
  stderr.on('error', () => undefined)
  const makeColumnsReader = (stream: NodeJS.WriteStream) => (): number =>
    stream.isTTY && stream.columns > 0 ? Math.max(narrowest, stream.columns) : Infinity
  const terminal = terminalOn({
    out: text => void stdout.write(text),
    err: text => void stderr.write(text),
    isLive: stderr.isTTY && env['TERM'] !== 'dumb' && !isSet(env['CI']),
    rows: () => (stderr.isTTY && stderr.rows > 0 ? stderr.rows : 24),
    paint: {
      out: paintFor(isColoured(stdout.isTTY, env), makeColumnsReader(stdout)),
      err: paintFor(isColoured(stderr.isTTY, env), makeColumnsReader(stderr)),
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

/** Reports results that could not be written, for example to a full disk. A closed pipe is no error. */
function tellLostResults(stdout: NodeJS.WriteStream, terminal: Terminal): void {
  let isTold = false
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isTold) return
    isTold = true
    terminal.tell(`${terminal.paint.err.red('error:')} standard output can't be written: ${messageOf(error)}`)
    process.once('exit', () => (process.exitCode = exitCode({ isRefused: true })))
  })
}

/** The streams and size of a terminal. Tests pass their own. */
export interface Screen {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly isLive: boolean
  readonly rows?: () => number
  readonly paint: { readonly out: Paint; readonly err: Paint }
  /** Registers a function that is called when the size changes. */
  readonly onResize?: (redraw: () => void) => void
}

type Lines = readonly string[] | string

export function terminalOn(screen: Screen): Terminal {
  let draw: (() => readonly string[]) | undefined
  let painted: readonly string[] = []
  let masked: readonly string[] = []
  let spelling = commandLine
  const { out, err } = screen.paint
  const rows = (): number => screen.rows?.() ?? 24
  const lines = (texts: Lines, columns: number): string =>
    (typeof texts === 'string' ? [texts] : texts)
      .flatMap(text => shownLines(withoutSecrets(spellReferences(text, spelling), masked), columns))
      .map(line => `${line}\n`)
      .join('')
  // After the terminal became narrower, a painted line occupies several rows.
  const erase = (): string => {
    const height = painted.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / err.columns)), 0)
    if (height === 0) return ''
    const reachable = Math.min(height, rows())
    // Rows are erased one by one, because tmux would move a cleared screen into its scroll-back.
    return `\u001b[${reachable}A\r${'\u001b[2K\u001b[1B'.repeat(reachable)}\u001b[${reachable}A`
  }
  const paint = (): string => {
    // A wrapped line would take two rows, and rows beyond the top of the screen cannot be erased.
    painted = (draw?.() ?? [])
      .slice(0, rows() - 1)
      .map(line => clip(oneLine(withoutSecrets(spellReferences(line, spelling), masked)), err.columns - 1))
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
    printData: text =>
      write(screen.out, `${shownText(withoutSecrets(spellReferences(text, inJsonText(spelling)), masked))}\n`),
    printPart: text => write(screen.out, withoutSecrets(text, masked)),
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
    suggestStore(store) {
      spelling = inStore(store)
    },
    mask(secrets) {
      const real = secrets.filter(isLongEnough)
      masked = [...new Set([...masked, ...real])].sort((a, b) => b.length - a.length)
    },
  }
}

/** Splits a text into terminal lines. Lines after a line break are indented, so that they do not look like separate messages. */
function shownLines(text: string, columns: number): readonly string[] {
  const [first = '', ...more] = text.split(/\r?\n/u)
  return [first, ...more.map(line => `  ${line}`)].flatMap(line => wrapLine(line, columns)).map(shownText)
}
