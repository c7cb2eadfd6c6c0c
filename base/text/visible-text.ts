/**
 * Makes text from datasets, models, servers, plugins or files safe to print on a terminal. Control characters, line separators and direction marks
 * are printed as `\u001b` and have no effect. Line breaks and tabs stay. Colour sequences are removed, because server logs are full of them.
 *
 * The escapes are JSON's, so a JSON text keeps its meaning.
 *
 * @param ownColour returns the text for the parameters of a colour sequence. The program's own colours pass through it.
 */
export function visibleText(text: string, ownColour: (parameters: string) => string = () => ''): string {
  return text.replace(
    /\r\n|([\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}])(?:\[([\d;:]*)m)?/gu,
    (whole, character: string | undefined, parameters: string | undefined) => {
      if (character === undefined) return '\n'
      if (character === '\u001b' && parameters !== undefined) return ownColour(parameters)
      return (
        (character === '\n' || character === '\t' ? character : escapeCharacter(character)) +
        whole.slice(character.length)
      )
    },
  )
}

const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Half of a surrogate pair. JSON can contain one (`"\\ud83d"`), UTF-8 cannot. */
const half = /\p{Surrogate}/u

/** Returns whether UTF-8 can represent the text without loss. */
export const isWellFormed = (text: string): boolean => !half.test(text)

/** Replaces each half of a surrogate pair by U+FFFD. */
export const wellFormed = (text: string): string =>
  isWellFormed(text) ? text : text.replace(new RegExp(half, 'gu'), '\ufffd')

/** Makes a name from a dataset safe within a line. */
export const oneLine = (name: string): string => name.replace(/\s*[\r\n\t]+\s*/g, ' ')
