/**
 * Text from a dataset, model, server, plugin or file as it may stand on a terminal: control characters, line separators
 * and marks that change the direction of writing become visible as `\u001b`, so that none of them acts. Line breaks and
 * tabs stay. Sequences that only colour are dropped: logs of servers are full of them.
 *
 * The form is that of JSON, so that a JSON text means the same afterwards.
 *
 * @param ownColour the sequence to write for the parameters of a colour sequence, where the program itself made it
 */
export function visibleText(text: string, ownColour: (parameters: string) => string = () => ''): string {
  return text.replace(
    /\r\n|([\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}])(?:\[([\d;:]*)m)?/gu,
    (whole, character: string | undefined, parameters: string | undefined) => {
      if (character === undefined) return '\n'
      if (character === '\u001b' && parameters !== undefined) return ownColour(parameters)
      return (character === '\n' || character === '\t' ? character : escaped(character)) + whole.slice(character.length)
    },
  )
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Half of a pair of UTF-16 code units: JSON can write one (`"\\ud83d"`), UTF-8 can not. */
const half = /\p{Surrogate}/u

/** Whether a text can be written as UTF-8 and read again as it was. */
export const isWellFormed = (text: string): boolean => !half.test(text)

/** The text with U+FFFD in place of each half of a pair. */
export const wellFormed = (text: string): string =>
  isWellFormed(text) ? text : text.replace(new RegExp(half, 'gu'), '\ufffd')
