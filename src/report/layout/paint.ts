import { randomInt } from 'node:crypto'
import { visibleText } from '../../../base/visible-text.js'

/** Marks text for the eye; never carries meaning that the words do not. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
  /** Columns that a line may take; infinite where it is not written to a terminal. */
  readonly columns: number
}

/** Stands in every colour mark of this process, so that text from elsewhere cannot carry one. */
const seal = String(randomInt(1e9, 1e10))

type Colour = (text: string) => string

const marked =
  (start: number, end: number): Colour =>
  text =>
    `\u001b[${seal};${start}m${text}\u001b[${seal};${end}m`

const unmarked: Colour = text => text

const colours = {
  bold: marked(1, 22),
  dim: marked(2, 22),
  red: marked(31, 39),
  green: marked(32, 39),
  yellow: marked(33, 39),
  cyan: marked(36, 39),
}

const noColours = {
  bold: unmarked,
  dim: unmarked,
  red: unmarked,
  green: unmarked,
  yellow: unmarked,
  cyan: unmarked,
}

/**
 * Colours of a terminal, or none. What they mark is shown in colour by `shownText` alone.
 *
 * @param columns the width of the terminal as it is now. @default infinite
 */
export const paintFor = (useColour: boolean, columns: () => number = () => Infinity): Paint => ({
  ...(useColour ? colours : noColours),
  get columns() {
    return columns()
  },
})

export const plain: Paint = paintFor(false)

/** The same for lines that stand `by` columns to the right. */
export const indentedPaint = (paint: Paint, by: number): Paint => ({ ...paint, columns: paint.columns - by })

/** A text as it is written to a terminal: colours of `Paint` become escape sequences, all others cannot act. */
export const shownText = (text: string): string =>
  visibleText(text, parameters =>
    parameters.startsWith(`${seal};`) ? `\u001b[${parameters.slice(seal.length + 1)}m` : '',
  )

/** The text and the colour marks of `Paint` in it, in order, so that a text can be measured and cut. */
export const textAndMarks = (text: string): readonly string[] => text.split(marks)

export const isMark = (part: string): boolean => part.startsWith(`\u001b[${seal};`)

const marks = new RegExp(`(\\p{Cc}\\[${seal};\\d+m)`, 'u')

/** A name, which may be anything in a dataset, as it may stand within a line. */
export const oneLine = (name: string): string => name.replace(/\s*[\r\n\t]+\s*/g, ' ')
