import { formatFlagName, typedCommand, type OptionValue, type Spelling } from '../../base/errors/option-words.js'

/** Flags that differ from their library option in more than dashes. */
const flagNames: Readonly<Record<string, string>> = { includePaths: 'include-path', plugins: 'plugin' }

/** `a=1,b=x`, as arguments of a model are typed. */
const formatOptionValue = (value: OptionValue): string =>
  typeof value === 'object'
    ? Object.entries(value)
        .map(([name, inner]) => `${name}=${inner}`)
        .join()
    : String(value)

/** Spells options and commands for messages of the command line: `--num-fewshot 5`, `pipeline cache verify`. */
export const commandLine: Spelling = {
  option: (name, value) =>
    `--${flagNames[name] ?? formatFlagName(name)}${value === undefined ? '' : ` ${formatOptionValue(value)}`}`,
  command: typedCommand,
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The same inside texts of JSON. */
export const commandLineInJson: Spelling = {
  option: (name, value) => inJson(commandLine.option(name, value)),
  command: line => inJson(commandLine.command(line)),
}
