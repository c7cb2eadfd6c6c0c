/**
 * References to options and commands in messages. Stages know an option only by its name. The place that shows a message spells it: `--num-fewshot
 * 5` on the command line, `numFewshot: 5` in a program.
 */

/** Spells options and commands in a message. */
export interface Spelling {
  option(name: string, value: OptionValue | undefined): string
  command(line: string): string
}

export type OptionValue = string | number | Readonly<Record<string, string | number>>

// Private-use characters, which occur in no text.
const [start, middle, end] = ['\uE0F0', '\uE0F1', '\uE0F2']
const reference = new RegExp(`${start}([^${middle}${end}]*)${middle}([^${middle}${end}]*)${end}`, 'g')

/** Refers to an option in a message, with an optional value: `option('modelArgs', { model: 'gpt-4o' })`. */
export const option = (name: string, value?: OptionValue): string =>
  `${start}${name}${middle}${value === undefined ? '' : JSON.stringify(value)}${end}`

/** Refers to a command of the program in a message: `command('cache verify')`. Options in it are separate references. */
export const command = (line: string): string => `${start}${middle}${line}${end}`

/** Replaces the references in `text` by their spelling. */
export const spelled = (text: string, spelling: Spelling): string =>
  text.replace(reference, (_, name: string, rest: string) =>
    name === ''
      ? spelling.command(rest)
      : spelling.option(name, rest === '' ? undefined : (JSON.parse(rest) as OptionValue)),
  )

/** Returns the names of the options in `text`, without duplicates. */
export const optionsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(reference)].flatMap(([, name = '']) => (name === '' ? [] : [name]))),
]

/** Spells options as a program writes them. */
export const programSpelling: Spelling = {
  option: (name, value) => (value === undefined ? name : `${name}: ${JSON.stringify(value)}`),
  command: line => `the command "${line}"`,
}
