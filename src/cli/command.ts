import type { Command } from 'commander'
import type { Clock } from '../../base/time/clock.js'
import type { FolderSettings } from '../config/folder/folder-settings.js'
import type { ExitCode } from './exit-code.js'
import type { Terminal } from './display/terminal.js'

/** The context of every command. */
export interface Tools {
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** The settings of the working folder. Its variables are in `env` already. */
  readonly folder: FolderSettings
  /** All commands, in the order of the help. */
  readonly commands: readonly CommandEntry[]
  /** The words of the command line in normalized spelling, the command first. */
  readonly words: readonly string[]
  /** Ends the process although something still runs, as after Ctrl-C. */
  readonly leave: () => void
}

/** A command's name, its summary and the module that defines it. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** Only the command that is typed is loaded. */
  load(): Promise<DefineCommand>
}

/** Adds flags and an action to a command. The action passes the exit code to `end`. */
export type DefineCommand = (command: Command, tools: Tools, end: (code: ExitCode) => void) => void
