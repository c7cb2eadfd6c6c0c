/**
 * Reads the revisions of built-in backends: which contents of their declared files give the same answers. See
 * docs/decisions/code-in-keys.md.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import type { CodeManifest, CodeRevision } from '../records.js'
import { codeManifest } from './code-manifest.js'
import { codeRoot } from './project-root.js'

/** Git object ids, by backend name, revision number and file path. */
export interface CodeRevisions {
  readonly [name: string]: { readonly [number: string]: { readonly [path: string]: readonly string[] } }
}

/** The table's path in the project. The build copies it to the same path below `dist`. */
export const revisionsPath = 'stages/model/code-revisions.json'

let table: CodeRevisions | undefined

/** Reads the table when a model is planned, so that commands without a model do not pay for it. */
function revisions(): CodeRevisions {
  table ??= readRevisions(join(codeRoot, revisionsPath))
  return table
}

/** Reads a table. @throws PipelineError when it is missing or damaged. */
export function readRevisions(file: string): CodeRevisions {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as CodeRevisions
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && !(error instanceof SyntaxError)) throw error
    throw new PipelineError('config', `${file} is missing or damaged: run \`npm run build\``, { cause: error })
  }
}

/**
 * Describes a built-in backend's code by its revision, for use in keys. Files whose content the table does not list are
 * added with their ids. A developer who changes a backend therefore gets separate answers until the change is listed.
 *
 * @throws PipelineError if a package is not installed, or if the table is missing
 */
export async function revisionManifest(
  code: { readonly files: readonly string[]; readonly packages?: readonly string[]; readonly revision: CodeRevision },
  table: CodeRevisions = revisions(),
): Promise<CodeManifest> {
  const { files, packages } = await codeManifest(code)
  const numbered = Object.entries(packages ?? {}).map(([name, version]) => [name, withoutPatch(version)] as const)
  return {
    files: selectUnlisted(files, code.revision, table),
    ...(packages === undefined ? {} : { packages: Object.fromEntries(numbered) }),
    revision: code.revision,
  }
}

/** Selects the files whose content the revision does not list. */
export function selectUnlisted(
  files: CodeManifest['files'],
  { name, number }: CodeRevision,
  table: CodeRevisions,
): CodeManifest['files'] {
  const listed = table[name]?.[number] ?? {}
  return Object.fromEntries(Object.entries(files).filter(([path, id]) => listed[path]?.includes(id) !== true))
}

/**
 * Drops the patch number: `1.30.0` becomes `1.30`. The golden corpus checks that patch releases change no numbers. A
 * pre-release may change any number, so its version stays whole.
 */
export const withoutPatch = (version: string): string => /^(\d+\.\d+)\.\d+$/.exec(version)?.[1] ?? version
