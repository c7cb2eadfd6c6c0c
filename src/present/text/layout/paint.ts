import { randomInt } from 'node:crypto'
import { visibleText } from '../../../../base/text/visible-text.js'

/** Colours text. Colours carry no meaning that the words do not have. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
  /** The width of a line in columns; infinite without a terminal. */
  readonly columns: number
}

/** A random part of every colour mark, so that untrusted text cannot contain one. */
const seal = String(randomInt(1e9, 1e10))

type Colour = (text: string) => string

const makeColour =
  (start: number, end: number): Colour =>
  text =>
    `\u001b[${seal};${start}m${text}\u001b[${seal};${end}m`

const skipColour: Colour = text => text

const colours = {
  bold: makeColour(1, 22),
  dim: makeColour(2, 22),
  red: makeColour(31, 39),
  green: makeColour(32, 39),
  yellow: makeColour(33, 39),
  cyan: makeColour(36, 39),
}

const noColours = {
  bold: skipColour,
  dim: skipColour,
  red: skipColour,
  green: skipColour,
  yellow: skipColour,
  cyan: skipColour,
}

/**
 * Marks text with a terminal's colours, or with none. Only `shownText` turns the marks into colours.
 *
 * @param columns the width of the terminal as it is now. @default infinite
 */
export const paintFor = (useColour: boolean, columns: () => number = () => Infinity): Paint => ({
  ...(useColour ? colours : noColours),
  get columns() {
    return columns()
  },
})

/** Leaves texts without colours. */
export const plain: Paint = paintFor(false)

/** Returns a `Paint` for lines that are indented by `by` columns. */
export const indentedPaint = (paint: Paint, by: number): Paint => ({ ...paint, columns: paint.columns - by })

/** Converts a text for a terminal. Marks of `Paint` become escape sequences; all other control characters become visible. */
export const shownText = (text: string): string =>
  visibleText(text, parameters =>
    parameters.startsWith(`${seal};`) ? `\u001b[${parameters.slice(seal.length + 1)}m` : '',
  )

/** Splits a text into its parts and colour marks, in order, to measure and cut it. */
export const textAndMarks = (text: string): readonly string[] => text.split(marks)

export const isMark = (part: string): boolean => part.startsWith(`\u001b[${seal};`)

const marks = new RegExp(`(\\p{Cc}\\[${seal};\\d+m)`, 'u')
