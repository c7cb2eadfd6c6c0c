import { codeFolder, findWorkFolder } from '../../../../cache/location.js'
import { makeFolder } from '../../../../cache/make-folder.js'
import { surroundings } from '../../../config/eval-settings.js'
import { makeGroupSettings } from '../../../config/option.js'
import { pythonOptions } from '../../../config/options/subject-options.js'
import type { Tools } from '../../command.js'
import type { OutputFlags } from '../../flags/evaluation-options.js'

/** Flags that every command of `pipeline tasks` takes. */
export type TasksFlags = OutputFlags & {
  readonly store?: string
  readonly python?: string
  readonly allowNetwork?: boolean
  readonly pythonSeconds?: number
  readonly pythonMemoryMb?: number
  readonly includePath?: readonly string[]
  readonly plugin?: readonly string[]
}

/** The settings of users' code that a command without a run has. */
export const runtimeSettings = (flags: TasksFlags, env: Tools['env']) => ({
  ...makeGroupSettings(pythonOptions, flags, {}),
  ...surroundings(flags, {}, env),
})

/** Returns the folder for compiled code of the user's own. */
export function codeCache(store: string): string {
  const folder = codeFolder(findWorkFolder(store))
  makeFolder(folder)
  return folder
}
