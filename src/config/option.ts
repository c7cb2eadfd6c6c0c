/**
 * What an option is, said once. From a table of these derive the flags of the command line, the keys of a configuration file, the options of
 * the library, the settings of an evaluation, what is stored with a run, and the tables of docs/cli.md.
 *
 * To add an option, add an entry to the group that it belongs to (options.ts lists the groups) and read the setting where it is needed.
 */
import type { Command } from 'commander'
import { z } from 'zod'
import { present } from '../../base/present.js'
import type { JsonObject } from '../../cache/records.js'

export interface OptionSpec {
  /** As commander declares it: `--fewshot-seed <n>`. A second one with `--no-` takes the option back. */
  readonly flag: string
  readonly help: string
  readonly off?: { readonly flag: string; readonly help: string }
  /** In place of the help in docs/cli.md, where that has links. */
  readonly docs?: string
  /** Reads the text of the flag. Absent where the flag has no value or is a plain text. */
  readonly read?: (text: string, before: never, flag: string) => unknown
  /** The value in a configuration file. Its description says in errors what is expected. */
  readonly file: z.ZodType
  /** The value in a program, where that is not what a file has: how it is checked, and the same value as a file gives it. */
  readonly program?: { readonly schema: z.ZodType; readonly read: (given: never) => unknown }
  /** What is made of the value of a flag or a file, such as the content of a file that is named. */
  readonly settle?: (given: never) => unknown
  /** Whether the value is a path, or a list of paths: in a configuration file, one that begins with `./` or `../` starts from the folder of the file. */
  readonly isPath?: true
  /** Whether another value makes another run. Every other option says how a run is done. */
  readonly isIdentity: boolean
  /** Whether `resume` knows the value: `given` as it is; `unless-default` where it is not false. */
  readonly stored: 'no' | 'given' | 'unless-default' | ((setting: never, kept: Kept) => unknown)
}

/** What a stored value may depend on: the folder that relative paths start from, and the other settings. */
export interface Kept {
  readonly cwd: string
  readonly settings: Readonly<Record<string, unknown>>
}

/** Options by the names of their settings. */
export type OptionGroup = Readonly<Record<string, OptionSpec>>

/** Keeps the types of an entry. */
export const option = <const Spec extends OptionSpec>(spec: Spec): Spec => spec

type Given<Spec extends OptionSpec> = z.output<Spec['file']>
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name
type Setting<Spec extends OptionSpec> = Spec extends { readonly settle: (given: never) => infer Settled }
  ? Exclude<Settled, undefined>
  : Given<Spec>
type Programmed<Spec extends OptionSpec> = Spec extends {
  readonly program: { readonly schema: z.ZodType<infer Value> }
}
  ? Value
  : Setting<Spec>

/** The flags of a group, as typed. Absent where a flag was not given. */
export type FlagsOf<Group extends OptionGroup> = { readonly [Name in keyof Group]?: Given<Group[Name]> }
/** The keys of a group in a configuration file. */
export type KeysOf<Group extends OptionGroup> = {
  readonly [Name in keyof Group & string as Snake<Name>]?: Given<Group[Name]> | undefined
}
/** The settings that flags, file or program come to. */
export type SettingsOf<Group extends OptionGroup> = { readonly [Name in keyof Group]?: Setting<Group[Name]> }
/** The options of a group in a program. */
export type ProgramOptionsOf<Group extends OptionGroup> = { readonly [Name in keyof Group]?: Programmed<Group[Name]> }

/** `fewshot_seed`, the key of `fewshotSeed`. */
export const keyOf = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

type ShapeOf<Group extends OptionGroup> = {
  readonly [Name in keyof Group & string as Snake<Name>]: z.ZodOptional<Group[Name]['file']>
}

/** What may stand in a configuration file. */
export const fileKeys = <Group extends OptionGroup>(group: Group): ShapeOf<Group> =>
  // Names of keys are made of names of options, which the type repeats.
  Object.fromEntries(Object.entries(group).map(([name, { file }]) => [keyOf(name), file.optional()])) as ShapeOf<Group>

/** What a program may give. */
export const programKeys = <Group extends OptionGroup>(group: Group): Readonly<Record<keyof Group, z.ZodType>> =>
  Object.fromEntries(
    Object.entries(group).map(([name, { file, program }]) => [name, (program?.schema ?? file).optional()] as const),
  ) as unknown as Readonly<Record<keyof Group, z.ZodType>>

/** The settings of a group out of flags and file. A flag wins. */
export function settingsOf<Group extends OptionGroup>(
  group: Group,
  flags: FlagsOf<Group>,
  config: KeysOf<Group>,
): SettingsOf<Group> {
  const [typed, written]: Readonly<Record<string, unknown>>[] = [flags, config]
  return settled(group, name => typed?.[name] ?? written?.[keyOf(name)], { isProgram: false })
}

/** The settings of a group out of the options of a program, which are checked already. */
export function programSettings<Group extends OptionGroup>(
  group: Group,
  options: ProgramOptionsOf<Group>,
): SettingsOf<Group> {
  const given: Readonly<Record<string, unknown>> = options
  return settled(group, name => given[name], { isProgram: true })
}

function settled<Group extends OptionGroup>(
  group: Group,
  given: (name: string) => unknown,
  { isProgram }: { readonly isProgram: boolean },
): SettingsOf<Group> {
  const entries = Object.entries(group).map(([name, { program, settle }]) => {
    const value = given(name)
    if (value === undefined) return [name, value]
    // An entry's functions take what its own schemas give.
    if (isProgram && program !== undefined) return [name, program.read(value as never)]
    return [name, settle === undefined ? value : settle(value as never)]
  })
  return present(Object.fromEntries(entries) as Record<string, unknown>) as SettingsOf<Group>
}

/** What is kept of a group with a run, in the words of a configuration file. */
export function storedOf<Group extends OptionGroup>(
  group: Group,
  settings: { readonly [Name in keyof Group]?: unknown },
  cwd: string,
): JsonObject {
  const values: Readonly<Record<string, unknown>> = settings
  const entries = Object.entries(group).map(([name, { stored }]) => {
    const value = values[name]
    if (value === undefined || stored === 'no') return [keyOf(name), undefined]
    if (typeof stored === 'function') return [keyOf(name), stored(value as never, { cwd, settings: values })]
    return [keyOf(name), stored === 'given' ? value : value || undefined]
  })
  return present(Object.fromEntries(entries) as Record<string, unknown>) as JsonObject
}

/** Gives a command the flags of a group, under a title of their own where there is one. */
export function addFlags(command: Command, group: OptionGroup, title?: string): Command {
  if (title !== undefined) command.optionsGroup(title)
  for (const { flag, help, off, read } of Object.values(group)) {
    const long = /--[a-z-]+/.exec(flag)?.[0] ?? flag
    if (read === undefined) command.option(flag, help)
    else command.option(flag, help, (text: string, before: unknown) => read(text, before as never, long))
    if (off !== undefined) command.option(off.flag, off.help)
  }
  return command
}
