/**
 * Defines what an option is. Tables of options generate the flags of the command line, the keys of a configuration file, the library's options, the
 * settings of an evaluation, the stored configuration of a run, and the tables in docs/cli/.
 *
 * To add an option, add an entry to the group that it belongs to (options.ts lists the groups) and read the setting where it is needed.
 */
import type { Command } from 'commander'
import { z } from 'zod'
import { present } from '../../base/values/present.js'
import type { JsonObject } from '../../cache/records.js'

export interface OptionSpec {
  /** As commander declares it: `--fewshot-seed <n>`. A second one with `--no-` takes the option back. */
  readonly flag: string
  readonly help: string
  readonly off?: { readonly flag: string; readonly help: string }
  /** Replaces the help in docs/cli/, which may contain links. */
  readonly docs?: string
  /** Parses the text of the flag. Absent for flags without a value or with a plain text. */
  readonly read?: ((text: string, before: never, flag: string) => unknown) & {
    /** The words that the flag takes, where these are few. */
    readonly words?: readonly string[]
  }
  /** The schema for configuration files. Errors quote its description. */
  readonly file: z.ZodType
  /** The schema for programs, if it differs from files, and the conversion to a file's value. */
  readonly program?: { readonly schema: z.ZodType; readonly read: (value: never) => unknown }
  /** Converts the value of a flag or file to the setting, for example by reading a named file. */
  readonly settle?: (value: never) => unknown
  /** True if the value is a path or a list of paths. In a configuration file, `./` and `../` are relative to the file's folder. */
  readonly isPath?: true
  /** True if a different value makes a different run. Other options only affect how a run is carried out. */
  readonly isIdentity: boolean
  /** Decides whether the value is stored for `resume`: `given` always, `unless-default` unless it is false. */
  readonly stored: 'no' | 'given' | 'unless-default' | ((setting: never, context: StoredContext) => unknown)
}

/** The context of a stored value: the folder of relative paths, and the other settings. */
export interface StoredContext {
  readonly cwd: string
  readonly settings: Readonly<Record<string, unknown>>
}

/** Options keyed by the names of their settings. */
export type OptionGroup = Readonly<Record<string, OptionSpec>>

/** Declares an option and keeps its types. */
export const option = <const Spec extends OptionSpec>(spec: Spec): Spec => spec

type FileValue<Spec extends OptionSpec> = z.output<Spec['file']>
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name
type Setting<Spec extends OptionSpec> = Spec extends { readonly settle: (value: never) => infer Settled }
  ? Exclude<Settled, undefined>
  : FileValue<Spec>
type Programmed<Spec extends OptionSpec> = Spec extends {
  readonly program: { readonly schema: z.ZodType<infer Value> }
}
  ? Value
  : Setting<Spec>

/** The parsed flags of a group. A flag that was not given is absent. */
export type FlagsOf<Group extends OptionGroup> = { readonly [Name in keyof Group]?: FileValue<Group[Name]> }
/** The keys of a group in a configuration file. */
export type KeysOf<Group extends OptionGroup> = {
  readonly [Name in keyof Group & string as Snake<Name>]?: FileValue<Group[Name]> | undefined
}
/** The settings of a group. */
export type SettingsOf<Group extends OptionGroup> = { readonly [Name in keyof Group]?: Setting<Group[Name]> }
/** The options of a group in a program. */
export type ProgramOptionsOf<Group extends OptionGroup> = { readonly [Name in keyof Group]?: Programmed<Group[Name]> }

/** Converts `fewshotSeed` to its key `fewshot_seed`. */
export const formatFileKey = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

type ShapeOf<Group extends OptionGroup> = {
  readonly [Name in keyof Group & string as Snake<Name>]: z.ZodOptional<Group[Name]['file']>
}

/** The schema of a group for configuration files. */
export const fileKeys = <Group extends OptionGroup>(group: Group): ShapeOf<Group> =>
  // The type repeats how keys are made from names.
  Object.fromEntries(
    Object.entries(group).map(([name, { file }]) => [formatFileKey(name), file.optional()]),
  ) as ShapeOf<Group>

/** The schema of a group for programs. */
export const programKeys = <Group extends OptionGroup>(group: Group): Readonly<Record<keyof Group, z.ZodType>> =>
  Object.fromEntries(
    Object.entries(group).map(([name, { file, program }]) => [name, (program?.schema ?? file).optional()] as const),
  ) as unknown as Readonly<Record<keyof Group, z.ZodType>>

/** Makes a group's settings from flags and file. A flag overrides the file. */
export function makeGroupSettings<Group extends OptionGroup>(
  group: Group,
  flags: FlagsOf<Group>,
  config: KeysOf<Group>,
): SettingsOf<Group> {
  const [flagValues, fileValues]: Readonly<Record<string, unknown>>[] = [flags, config]
  return settleGroup(group, name => flagValues?.[name] ?? fileValues?.[formatFileKey(name)], { isProgram: false })
}

/** Makes a group's settings from a program's checked options. */
export function programSettings<Group extends OptionGroup>(
  group: Group,
  options: ProgramOptionsOf<Group>,
): SettingsOf<Group> {
  const values: Readonly<Record<string, unknown>> = options
  return settleGroup(group, name => values[name], { isProgram: true })
}

function settleGroup<Group extends OptionGroup>(
  group: Group,
  readValue: (name: string) => unknown,
  { isProgram }: { readonly isProgram: boolean },
): SettingsOf<Group> {
  const entries = Object.entries(group).map(([name, { program, settle }]) => {
    const value = readValue(name)
    if (value === undefined) return [name, value]
    // The cast is safe, because the functions of an entry accept the output of its schemas.
    if (isProgram && program !== undefined) return [name, program.read(value as never)]
    return [name, settle === undefined ? value : settle(value as never)]
  })
  return present(Object.fromEntries(entries) as Record<string, unknown>) as SettingsOf<Group>
}

/** The stored form of a group's settings, with the keys of a configuration file. */
export function makeStoredSettings<Group extends OptionGroup>(
  group: Group,
  settings: { readonly [Name in keyof Group]?: unknown },
  cwd: string,
): JsonObject {
  const values: Readonly<Record<string, unknown>> = settings
  const entries = Object.entries(group).map(([name, { stored }]) => {
    const value = values[name]
    if (value === undefined || stored === 'no') return [formatFileKey(name), undefined]
    if (typeof stored === 'function') return [formatFileKey(name), stored(value as never, { cwd, settings: values })]
    return [formatFileKey(name), stored === 'given' ? value : value || undefined]
  })
  return present(Object.fromEntries(entries) as Record<string, unknown>) as JsonObject
}

/** Adds the flags of a group to a command, under a title if there is one. */
export function addFlags(command: Command, group: OptionGroup, title?: string): Command {
  if (title !== undefined) command.optionsGroup(title)
  for (const { flag, help, off, read } of Object.values(group)) {
    const long = /--[a-z-]+/.exec(flag)?.[0] ?? flag
    if (read === undefined) command.option(flag, help)
    else {
      const parse = (text: string, before: unknown): unknown => read(text, before as never, long)
      command.option(flag, help, Object.assign(parse, read.words && { words: read.words }))
    }
    if (off !== undefined) command.option(off.flag, off.help)
  }
  return command
}
