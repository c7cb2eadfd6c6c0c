/** Revisions of built-in backends: which contents of their declared files give the same answers. See docs/decisions/code-in-keys.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import type { CodeManifest, CodeRevision } from '../records.js'
import { codeManifest } from './code-manifest.js'
import { codeRoot } from './project-root.js'

/** Git object ids by the file's path, by the revision's number, by its name. */
export interface CodeRevisions {
  readonly [name: string]: { readonly [number: string]: { readonly [path: string]: readonly string[] } }
}

/** The table's place in the project. The build copies it to the same place below `dist`. */
export const revisionsPath = 'stages/model/code-revisions.json'

let table: CodeRevisions | undefined

/** Read when a model is planned, so that commands that open no model do not pay for it. */
function revisions(): CodeRevisions {
  table ??= readTable(join(codeRoot, revisionsPath))
  return table
}

function readTable(file: string): CodeRevisions {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as CodeRevisions
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && !(error instanceof SyntaxError)) throw error
    throw new PipelineError('config', `${file} is missing or damaged: run \`npm run build\``, { cause: error })
  }
}

/**
 * The code of a built-in backend as it is part of keys: its revision. Files whose content the table does not list are
 * added with their ids, so that somebody who is changing a backend gets answers of their own until the change is listed.
 *
 * @throws PipelineError when a package is not installed, or the table is missing.
 */
export async function revisionManifest(
  code: { readonly files: readonly string[]; readonly packages?: readonly string[]; readonly revision: CodeRevision },
  known: CodeRevisions = revisions(),
): Promise<CodeManifest> {
  const { files, packages } = await codeManifest(code)
  const numbered = Object.entries(packages ?? {}).map(([name, version]) => [name, withoutPatch(version)] as const)
  return {
    files: unlisted(files, code.revision, known),
    ...(packages === undefined ? {} : { packages: Object.fromEntries(numbered) }),
    revision: code.revision,
  }
}

/** Those of the files that the revision does not list with this content. */
export function unlisted(
  files: CodeManifest['files'],
  { name, number }: CodeRevision,
  known: CodeRevisions,
): CodeManifest['files'] {
  const listed = known[name]?.[number] ?? {}
  return Object.fromEntries(Object.entries(files).filter(([path, id]) => listed[path]?.includes(id) !== true))
}

/** `1.30.0` is `1.30`: a patch release must not change numbers, which the golden corpus checks. A pre-release may change any. */
export const withoutPatch = (version: string): string => /^(\d+\.\d+)\.\d+$/.exec(version)?.[1] ?? version
