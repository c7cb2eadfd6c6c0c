import { codeManifest } from '../../cache/code/code-manifest.js'
import { selectUnlisted, type CodeRevisions } from '../../cache/code/code-revisions.js'
import type { CodeRevision } from '../../cache/records.js'
import type { BackendCode } from '../../stages/model/define-backend.js'
import { findBackend, listBackends } from '../../stages/model/registry.js'

/** The declared code of a built-in backend or one of its request types, with the name of the backend. */
export interface BuiltInCode {
  readonly backend: string
  readonly code: BackendCode
}

/** Returns the declared code of every built-in backend, including `apart`. */
export async function builtInCodes(): Promise<readonly BuiltInCode[]> {
  const codes = listBackends([]).map(async ({ id }) => {
    const backend = await findBackend(id, [])
    const apart = Object.values(backend.apart ?? {}).map(({ code }) => code)
    return [...new Set([backend.code, ...apart])].map(code => ({ backend: id, code }))
  })
  return (await Promise.all(codes)).flat()
}

/** A revision with the current contents of its declared files. */
export interface RevisedCode {
  readonly revision: CodeRevision
  readonly files: Readonly<Record<string, string>>
}

/** Returns the revisions of all built-in backends without duplicates. Presets and engines share that of their protocol. */
export async function revisedCodes(): Promise<readonly RevisedCode[]> {
  const byName = new Map<string, RevisedCode>()
  for (const { code } of await builtInCodes()) {
    if (code.revision === undefined || byName.has(code.revision.name)) continue
    const { files } = await codeManifest({ files: code.files })
    byName.set(code.revision.name, { revision: code.revision, files })
  }
  return [...byName.values()].sort((a, b) => (a.revision.name < b.revision.name ? -1 : 1))
}

/**
 * The table in a file's text. A rebase may leave both sides of a conflict in it. Either is a good base, since the current contents
 * are added to it: the upper one is taken.
 */
export const tableIn = (text: string): CodeRevisions =>
  JSON.parse(text.replace(/^<{7}.*\n([^]*?)(?:^\|{7}[^]*?)?^={7}\n[^]*?^>{7}.*\n/gm, '$1')) as CodeRevisions

/** Lists declared files whose content is not in the table for the current revision, as `name revision: path`. */
export const unlistedFiles = (codes: readonly RevisedCode[], table: CodeRevisions): readonly string[] =>
  codes.flatMap(({ revision, files }) =>
    Object.keys(selectUnlisted(files, revision, table)).map(path => `${revision.name} ${revision.number}: ${path}`),
  )

/** Adds the current contents to the current revisions of the table. Its other entries stay. */
export function withCurrent(table: CodeRevisions, codes: readonly RevisedCode[]): CodeRevisions {
  const added = { ...table }
  for (const { revision, files } of codes) {
    const { name, number } = revision
    const numbers = added[name] ?? {}
    const listed = numbers[number] ?? {}
    const paths = Object.entries(files).map(
      ([path, id]) => [path, [...new Set([...(listed[path] ?? []), id])]] as const,
    )
    added[name] = { ...numbers, [number]: sorted({ ...listed, ...Object.fromEntries(paths) }) }
  }
  return sorted(added)
}

/** The table with only the first, the last and the present content of each file. A build needs only the contents of its own files. */
export function withoutBetween(table: CodeRevisions, codes: readonly RevisedCode[]): CodeRevisions {
  const present = new Map(codes.map(({ revision: { name, number }, files }) => [`${name} ${number}`, files]))
  return mapped(table, (numbers, name) =>
    mapped(numbers, (paths, number) =>
      mapped(paths, (ids, path) =>
        ids.filter((id, at) => at === 0 || at === ids.length - 1 || id === present.get(`${name} ${number}`)?.[path]),
      ),
    ),
  )
}

/** Counts the contents in a table. */
export const contentsIn = (table: CodeRevisions): number =>
  Object.values(table)
    .flatMap(numbers => Object.values(numbers).flatMap(paths => Object.values(paths)))
    .flat().length

const mapped = <T>(record: Readonly<Record<string, T>>, change: (value: T, name: string) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))

const sorted = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
