/**
 * Options and commands as messages name them. A stage knows options by their name; whoever shows the message spells them: `--num-fewshot 5`
 * on the command line, `numFewshot: 5` to a program.
 */

/** How an option or a command is written where a message is shown. */
export interface Spelling {
  option(name: string, value: OptionValue | undefined): string
  command(line: string): string
}

export type OptionValue = string | number | Readonly<Record<string, string | number>>

// Characters of no text: private use, refused by every font and keyboard.
const [start, middle, end] = ['\uE0F0', '\uE0F1', '\uE0F2']
const reference = new RegExp(`${start}([^${middle}${end}]*)${middle}([^${middle}${end}]*)${end}`, 'g')

/** An option in a message, with the value to give it: `option('modelArgs', { model: 'gpt-4o' })`. */
export const option = (name: string, value?: OptionValue): string =>
  `${start}${name}${middle}${value === undefined ? '' : JSON.stringify(value)}${end}`

/** A command of the program in a message: `command('cache verify')`. Options in it are other references. */
export const command = (line: string): string => `${start}${middle}${line}${end}`

/** The text with its references as they are written there. */
export const spelled = (text: string, spelling: Spelling): string =>
  text.replace(reference, (_, name: string, rest: string) =>
    name === ''
      ? spelling.command(rest)
      : spelling.option(name, rest === '' ? undefined : (JSON.parse(rest) as OptionValue)),
  )

/** The names of the options in the text, each once. */
export const optionsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(reference)].flatMap(([, name = '']) => (name === '' ? [] : [name]))),
]

/** As a program writes them. */
export const programSpelling: Spelling = {
  option: (name, value) => (value === undefined ? name : `${name}: ${JSON.stringify(value)}`),
  command: line => `the command "${line}"`,
}
