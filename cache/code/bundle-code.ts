import type { BuildFailure, Plugin } from 'esbuild'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PipelineError, messageOf } from '../../base/errors/errors.js'
import { shownPath } from '../../base/files/shown-path.js'
import { gitBlobId } from './describe-sources.js'
import { projectRoot } from './project-root.js'
import { findSourcePosition, type SourcePosition } from './thrown-position.js'

/** A user's file with everything that it imports by relative path. */
export interface BundledCode {
  /** One ES module. Packages are still imported by name, so the module works on another machine. */
  readonly source: string
  /** Git object ids of the files. Paths are relative to the entry's folder. */
  readonly closure: Readonly<Record<string, string>>
}

/** Bundles a TypeScript or JavaScript file. @throws PipelineError with file:line:column if it does not compile */
export async function bundleCode(file: string): Promise<BundledCode> {
  const { build } = await import('esbuild')
  const folder = dirname(resolve(file))
  const built = await build({
    entryPoints: [basename(file)],
    absWorkingDir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    metafile: true,
    write: false,
    logLevel: 'silent',
  }).catch((error: unknown) => refuse(error, folder))
  const ids = Object.keys(built.metafile.inputs)
    .sort()
    .map(async path => [path, gitBlobId(await readFile(join(folder, path)))] as const)
  return { source: built.outputFiles[0]?.text ?? '', closure: Object.fromEntries(await Promise.all(ids)) }
}

/**
 * Replaces each package name in a module by the address of its entry. This package's name becomes this installation. Other packages are looked up
 * from `folder`, then from this installation.
 *
 * @throws PipelineError if a package is found in neither
 */
export async function linkCode(source: string, folder: string): Promise<string> {
  const { build } = await import('esbuild')
  const built = await build({
    stdin: { contents: source, resolveDir: folder, sourcefile: 'bundle.js', loader: 'js' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    write: false,
    logLevel: 'silent',
    plugins: [resolvePackages(folder)],
  }).catch((error: unknown) => refuse(error, folder, source))
  return built.outputFiles[0]?.text ?? ''
}

/** Finds the file that a package's name is resolved to from a folder. @returns undefined if there is none */
export async function packageEntry(name: string, folder: string): Promise<string | undefined> {
  const { build } = await import('esbuild')
  let entry: string | undefined
  const finder: Plugin = {
    name: 'package-entry',
    setup(context) {
      context.onResolve({ filter: /.*/ }, async args => {
        if (args.kind === 'entry-point' || args.pluginData === 'looking') return undefined
        const resolution = await context.resolve(args.path, {
          resolveDir: folder,
          kind: args.kind,
          pluginData: 'looking',
        })
        if (resolution.errors.length === 0 && !resolution.external) entry = resolution.path
        return { path: args.path, external: true }
      })
    },
  }
  await build({
    stdin: { contents: `export * from ${JSON.stringify(name)}`, resolveDir: folder, sourcefile: 'entry.js' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
    plugins: [finder],
  })
  return entry
}

const ownName = 'pipeline'
const ownEntry = join(projectRoot, 'dist', 'program', 'index.js')

const resolvePackages = (folder: string): Plugin => ({
  name: 'resolve-packages',
  setup(build) {
    build.onResolve({ filter: /.*/ }, async args => {
      if (args.kind === 'entry-point' || args.pluginData === 'looking') return undefined
      if (args.path === ownName) return { path: pathToFileURL(ownEntry).href, external: true }
      for (const resolveDir of [folder, projectRoot]) {
        const resolution = await build.resolve(args.path, { resolveDir, kind: args.kind, pluginData: 'looking' })
        if (resolution.errors.length > 0) continue
        return { path: resolution.external ? resolution.path : pathToFileURL(resolution.path).href, external: true }
      }
      return { errors: [{ text: `no package "${args.path}" beside it or in this installation` }] }
    })
  },
})

/** @param bundled the bundled code, whose source map leads to the positions in the user's files */
function refuse(error: unknown, folder: string, bundled?: string): never {
  if (!isBuildFailure(error)) throw error
  const problems = error.errors.map(({ text, location }) => {
    if (location === null) return `${shownPath(folder)}: ${text}`
    const { file, line } = location
    const column = location.column + 1
    const original = bundled === undefined ? undefined : findSourcePosition(bundled, line, column)
    return `${formatPosition(folder, original ?? { file, line, column })}  ${text}`
  })
  throw new PipelineError('config', problems.length > 0 ? problems : messageOf(error), { cause: error })
}

/** A file that came from another machine is not in the folder, so only its name is printed. */
function formatPosition(folder: string, { file, line, column }: SourcePosition): string {
  const path = join(folder, file)
  return `${existsSync(path) ? shownPath(path) : file}:${line}:${column}`
}

const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors)
