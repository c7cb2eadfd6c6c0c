import type { OptionValue, Spelling } from '../../base/errors/option-words.js'

/** Options of the library whose flags are not their names with dashes. */
const flagNames: Readonly<Record<string, string>> = { includePaths: 'include-path', plugins: 'plugin' }

/** `a=1,b=x`, as arguments of a model are typed. */
const typed = (value: OptionValue): string =>
  typeof value === 'object'
    ? Object.entries(value)
        .map(([name, inner]) => `${name}=${inner}`)
        .join()
    : String(value)

const dashed = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

/** How messages name options and commands here: `--num-fewshot 5`, `pipeline cache verify`. */
export const commandLine: Spelling = {
  option: (name, value) => `--${flagNames[name] ?? dashed(name)}${value === undefined ? '' : ` ${typed(value)}`}`,
  command: line => `pipeline ${line}`,
}
