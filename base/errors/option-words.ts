/**
 * References to options and commands in messages. A stage or the store refers to an option by its name in the library. The code that shows the
 * message spells it: `--num-fewshot 5` on the command line, `numFewshot: 5` in a program.
 *
 * References belong in the problems of a `PipelineError` and in notes, which are spelled before they are shown. A text that is stored, such as the
 * reason of a failure, has no references.
 */
import { formatArguments } from '../text/arguments-text.js'
import { shellWord } from '../text/shell-word.js'
import { without } from '../values/without.js'

/** Spells references for one kind of reader. */
export interface Spelling {
  option(name: string, value: OptionValue | undefined): string
  command(command: CommandLine): string
}

export type OptionValue = string | number | Readonly<Record<string, string | number>>

/** A command of the program, such as `report last --store DIR`. */
export interface CommandLine {
  readonly name: string
  readonly args: readonly string[]
  /** Options by their names in the library: texts, named arguments, or `true` for an option without a value. */
  readonly options: Readonly<Record<string, string | true | Readonly<Record<string, unknown>>>>
}

// Private-use characters, which do not occur in a text.
const [start, middle, end] = ['\uE0F0', '\uE0F1', '\uE0F2']
const reference = new RegExp(`${start}([^${start}${middle}${end}]*)${middle}([^${start}${middle}${end}]*)${end}`, 'g')

// Percent-encoding keeps references whole where the text around them is encoded as JSON or shown on one line.
const encodeValue = (value: unknown): string => encodeURIComponent(JSON.stringify(value))

/** Refers to an option, with the value to give if there is one: `option('modelArgs', { model: 'gpt-4o' })`. */
export const option = (name: string, value?: OptionValue): string =>
  `${start}${name}${middle}${value === undefined ? '' : encodeValue(value)}${end}`

/** Refers to a command: `command('report', ['last'], { store: dir })`. */
export const command = (name: string, args: readonly string[] = [], options: CommandLine['options'] = {}): string =>
  `${start}${middle}${encodeValue({ name, args, options })}${end}`

/** Replaces the references in a text. Anything that only looks like a reference stays as it is. */
export const spellReferences = (text: string, spelling: Spelling): string =>
  text.replace(reference, (whole, name: string, rest: string) => {
    try {
      const value = rest === '' ? undefined : (JSON.parse(decodeURIComponent(rest)) as unknown)
      return name === ''
        ? spelling.command(value as CommandLine)
        : spelling.option(name, value as OptionValue | undefined)
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof URIError || error instanceof TypeError) return whole
      throw error
    }
  })

/**
 * Returns the form of a text for the store, which has no references because its later reader is unknown. Options are named as in the library. Commands are
 * written as they are typed, since most people read a stored text in a report.
 */
export const storedText = (text: string): string => spellReferences(text, { ...programSpelling, command: typedCommand })

/** The names of the options that a text refers to, each once. */
export const optionsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(reference)].flatMap(([, name = '']) => (name === '' ? [] : [name]))),
]

/** Converts `modelArgs` to a flag name: `model-args`. */
export const formatFlagName = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

/** Writes a command as a person types it: `pipeline report last --store DIR`. */
export const typedCommand = ({ name, args, options }: CommandLine): string =>
  [
    `pipeline ${name}`,
    ...args.map(shellWord),
    ...Object.entries(options).map(
      ([key, value]) =>
        `--${formatFlagName(key)}${value === true ? '' : ` ${shellWord(typeof value === 'string' ? value : formatArguments(value))}`}`,
    ),
  ].join(' ')

/** Functions of the library by the command that they correspond to. */
const functions: Readonly<Record<string, string>> = {
  eval: 'evaluate',
  resume: 'resume',
  judge: 'judge',
  report: 'report',
  export: 'exportRun',
}

function call(name: string, { args, options: allOptions }: CommandLine): string {
  const options = without(allOptions, 'help')
  const values = Object.keys(options).length === 0 ? args : [...args, options]
  return `${name}(${values.map(value => JSON.stringify(value)).join(', ')})`
}

/** Spells references for programs: `numFewshot: 5`, `resume("calm-heron-19c2")`. A command without a function keeps its command line spelling. */
export const programSpelling: Spelling = {
  option: (name, value) => (value === undefined ? name : `${name}: ${JSON.stringify(value)}`),
  command: line => {
    const name = new Map(Object.entries(functions)).get(line.name)
    return name === undefined ? typedCommand(line) : call(name, line)
  },
}
