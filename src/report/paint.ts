import { stripVTControlCharacters } from 'node:util'
import colors from 'picocolors'

/** Marks text for the eye; never carries meaning that the words do not. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
}

/** Colours of a terminal, or none. */
export const paintFor = (useColour: boolean): Paint => colors.createColors(useColour)

export const plain: Paint = paintFor(false)

/**
 * Text that came from a dataset, model or server, as it may stand on a terminal: escape sequences and other control
 * characters cannot move the cursor or colour what follows. Line breaks and tabs stay.
 */
export const harmless = (text: string): string =>
  stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '·')

/** A name, which may be anything in a dataset, as it may stand within a line. */
export const harmlessName = (name: string): string => harmless(name.replace(/\s*[\r\n]+\s*/g, ' '))
