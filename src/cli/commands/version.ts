import { join } from 'node:path'
import { isFileSync } from '../../../base/files/path-kinds.js'
import { buildInfo } from '../../../cache/code/build-info.js'
import { projectRoot } from '../../../cache/code/project-root.js'
import { surroundings } from '../../config/eval-settings.js'
import { folderFile } from '../../config/folder/folder-settings.js'
import { huggingFaceHome } from '../../config/variables.js'
import { pairs } from '../../present/text/layout/table.js'
import type { DefineCommand, Tools } from '../command.js'
import { shownAddress } from '../../../base/text/server-address.js'
import { resolveLocation } from '../../../cache/location.js'

const help = `
Examples:
  pipeline version --json
  pipeline version --paths`

interface VersionFlags {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly paths?: boolean
}

/** Defines `pipeline version`. */
export const defineVersion: DefineCommand = (command, tools) =>
  void command
    .option('--json', 'print as JSON')
    .option('--quiet', 'print the version alone')
    .option('--paths', 'also the folders and files that commands use here, and the names of variables in .env')
    .addHelpText('after', help)
    .action(({ json, quiet, paths }: VersionFlags) => {
      const { terminal } = tools
      const { version, commit, dirty } = buildInfo()
      const facts = { version, commit: commit ?? null, dirty: dirty ?? false, node: process.version }
      const listed = paths === true ? readPaths(tools) : undefined
      if (json === true) terminal.printData(JSON.stringify({ ...facts, ...(listed && { paths: listed }) }))
      else if (quiet === true) terminal.print(version)
      else
        terminal.print([
          `pipeline ${version} · ${commitText(commit, dirty)} · Node ${process.version}`,
          ...(listed === undefined ? [] : ['', ...pathLines(listed, terminal)]),
        ])
    })

/** Reads the files and folders that commands use. Variables are listed without values. */
function readPaths({ env, folder: { envFile, variables } }: Tools) {
  const defaults = join(process.cwd(), folderFile)
  const names = Object.keys(envFile?.variables ?? {})
  return {
    program: projectRoot,
    store: shownAddress(resolveLocation(surroundings({}, {}, env).store)),
    hugging_face: huggingFaceHome(env),
    defaults: isFileSync(defaults) ? defaults : null,
    env_file: envFile === undefined ? null : envFile.path,
    env_file_variables: names.filter(name => name in variables),
    env_file_variables_of_shell: names.filter(name => !(name in variables)),
  }
}

function pathLines(paths: ReturnType<typeof readPaths>, { paint }: Tools['terminal']): readonly string[] {
  const variables = [
    ...paths.env_file_variables,
    ...paths.env_file_variables_of_shell.map(name => `${name} (the shell has it, too, and wins)`),
  ]
  return pairs(
    [
      ['program', paths.program],
      ['store', paths.store],
      ['Hugging Face', paths.hugging_face],
      [folderFile, paths.defaults ?? 'none in this folder'],
      ['.env', paths.env_file ?? 'none in this folder'],
      ...variables.map(name => ['', name] as const),
    ],
    paint.out,
  )
}

const commitText = (commit: string | undefined, dirty: boolean | undefined): string =>
  commit === undefined ? 'no commit known' : `commit ${commit.slice(0, 7)}${dirty === true ? ' + changes' : ''}`
