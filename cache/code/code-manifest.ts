import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import type { CodeManifest } from '../records.js'
import { buildInfo, projectRoot } from './build-info.js'

/**
 * Describes the code that determines an output: git object ids of files, and installed versions of packages.
 *
 * `files` are paths relative to the project. A path that ends with `/` stands for everything below that folder.
 *
 * @throws PipelineError if a package is not installed
 * @throws Error if a path does not exist
 */
export async function codeManifest(parts: {
  readonly files: readonly string[]
  readonly packages?: readonly string[]
}): Promise<CodeManifest> {
  const files = Object.fromEntries(parts.files.flatMap(filesAt).sort(([a], [b]) => (a < b ? -1 : 1)))
  if (parts.packages === undefined || parts.packages.length === 0) return { files }
  const versions = await Promise.all(parts.packages.map(async name => [name, await packageVersion(name)] as const))
  return { files, packages: Object.fromEntries(versions) }
}

function filesAt(path: string): (readonly [string, string])[] {
  const fileEntries = Object.entries(buildInfo().files).filter(([file]) =>
    path.endsWith('/') ? file.startsWith(path) : file === path,
  )
  if (fileEntries.length === 0) throw new Error(`internal error: no source file at ${path}`)
  return fileEntries
}

/** The version that a package resolves to from the project. */
async function packageVersion(name: string): Promise<string> {
  for (let folder = projectRoot; ; folder = dirname(folder)) {
    try {
      const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')
      return (JSON.parse(text) as { version: string }).version
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error
      if (dirname(folder) === folder)
        throw new PipelineError('config', await missingPackage(name), { reason: 'lacking-here', cause: error })
    }
  }
}

/** Explains why an optional package is missing, and how to install it. */
export async function missingPackage(name: string): Promise<string> {
  const own = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly optionalDependencies?: Readonly<Record<string, string>>
  }
  const version = new Map(Object.entries(own.optionalDependencies ?? {})).get(name)
  return version === undefined
    ? `the package "${name}" is not installed: run \`npm install\``
    : `the optional package "${name}", which computes local models, is not installed: run \`npm install ${name}@${version} --ignore-scripts\``
}
