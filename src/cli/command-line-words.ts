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

/** Returns the same spelling inside texts of JSON. */
export const inJsonText = (spelling: Spelling): Spelling => ({
  option: (name, value) => inJson(spelling.option(name, value)),
  command: line => inJson(spelling.command(line)),
})

/** Spells references inside texts of JSON. */
export const commandLineInJson: Spelling = inJsonText(commandLine)

/** Commands that take no store. */
const withoutStore: ReadonlySet<string> = new Set([
  'tasks',
  'models',
  'config',
  'completion',
  'version',
  'verify',
  'launch',
])
/** Commands that are meant to be typed although they have no argument. Others without one are only named. */
const typedAlone: ReadonlySet<string> = new Set(['runs list', 'cache verify', 'cache batches', 'cache stats', 'ui'])

/** Returns a spelling whose commands work on a store other than the default one. */
export const inStore = (store: string): Spelling => ({
  ...commandLine,
  command(line) {
    const { name, args, options } = line
    const isTyped = args.length > 0 || Object.keys(options).length > 0 || typedAlone.has(name)
    const takesStore = !withoutStore.has(name.split(' ')[0] ?? '')
    const isNeeded = isTyped && takesStore && options['store'] === undefined && options['help'] === undefined
    return commandLine.command(isNeeded ? { ...line, options: { ...options, store } } : line)
  },
})
