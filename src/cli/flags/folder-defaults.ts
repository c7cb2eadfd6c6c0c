import type { Command } from 'commander'
import type { FolderDefaults } from '../../config/folder/folder-defaults.js'

/** Commands that read the folder's defaults as a layer below their configuration file. */
const readsFiles: ReadonlySet<string> = new Set(['eval', 'infer'])
/** The defaults that apply to a resumed run: only destinations of results. Other settings stay as the run was started. */
const ofResumed: readonly string[] = ['track', 'webhook']

/**
 * Adds the folder's defaults to the options of a command. Folders of tasks and plugins are added to the command line's. Any other value of the
 * command line replaces the default.
 */
export function addFolderDefaults(command: Command, { config }: FolderDefaults): void {
  if (readsFiles.has(command.name())) return
  const { include_path: includePath = [], plugin = [], track, webhook, prices } = config
  const lists: Readonly<Record<string, readonly string[]>> = { includePath, plugin }
  const values: Readonly<Record<string, unknown>> = { track, webhook, prices }
  for (const option of command.options) {
    const name = option.attributeName()
    if (command.name() === 'resume' && !ofResumed.includes(name)) continue
    const before: unknown = command.getOptionValue(name)
    const added = lists[name] ?? []
    if (added.length > 0)
      command.setOptionValueWithSource(
        name,
        [...added, ...(Array.isArray(before) ? (before as readonly unknown[]) : [])],
        'config',
      )
    else if (values[name] !== undefined && before === undefined)
      command.setOptionValueWithSource(name, values[name], 'config')
  }
}
